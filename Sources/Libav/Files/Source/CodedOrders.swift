// Finds the tracks of MXF, AVI, ASF and FLV files whose order of presentation the container does not know, and reads that order from
// their frames: once in a process, since every lane opens the file. Reads a track up to the first frame whose time of presentation is
// known; to its end where there is none. Decodes nothing. Any thread; others wait while one reads.
internal import CFFmpeg
internal import Synchronization

/// The orders of presentation that containers do not know.
final class CodedOrders: Sendable {
    /// Those of this process.
    static let shared = CodedOrders()

    /// Whose times are right.
    enum Finding: Equatable, Sendable {
        /// The container's.
        case stored
        /// The frames': the container gives the order of storage.
        case derived(CodedOrder)
        /// Nobody's.
        case unknown
    }

    private struct Asked: Hashable {
        let source: SourceFile
        let identity: String
        let track: Int
    }

    private let known = Mutex<[Asked: Finding]>([:])
    /// Answers that are kept.
    private static let most = 16
    /// So many IDR frames one after the other: the track has no others.
    private static let intraRun = 300

    /// Whether tracks may have another order than a container of this format says.
    static func mayDiffer(in format: String) -> Bool { ["mxf", "avi", "asf", "flv"].contains(format) }

    /// Whether a track's order may be other than its container, of such a format, says.
    static func mayDiffer(_ demuxer: Demuxer, track: Int) -> Bool {
        guard let stream = unsafe demuxer.ownStream(track) else { return false }
        let (codec, profile) = unsafe (
            stream.pointee.codecpar.pointee.codec_id, stream.pointee.codecpar.pointee.profile
        )
        return codec == AV_CODEC_ID_H264 && (profile < 0 || profile & FF_PROFILE_H264_INTRA == 0)
    }

    /// Whose times of a track are right.
    func finding(_ source: SourceFile, track: Int) -> Finding {
        let asked = Asked(source: source, identity: source.identity, track: track)
        return known.withLock { known in
            if let finding = known[asked] { return finding }
            if known.count >= CodedOrders.most { known = [:] }
            let finding = (try? CodedOrders.read(source, track: track)) ?? .unknown
            known[asked] = finding
            return finding
        }
    }

    /// Reads a track's order from its frames.
    private static func read(_ source: SourceFile, track: Int) throws -> Finding {
        let demuxer = try Demuxer(source, timesAsStored: true)
        demuxer.select(track: track)
        let counter = try PictureCounter(demuxer, track: track)
        let packet = try Packet()
        // AVI and ASF store times of decoding; those of MXF are of presentation, in the wrong order.
        let areDecoding = demuxer.format != "mxf"
        let held = areDecoding ? try CodecParameters(demuxer, track: track).reorderDepth : nil
        // Writers of old FLV leave out the offset between both times; FFmpeg then has the one for the other.
        let isAlike = demuxer.format == "flv"
        if isAlike, held == 0 { return .stored }
        var stored: [Int64] = []
        var sequences: [[Int32]] = []
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == track else { continue }
            let time: Int64
            if areDecoding {
                guard packet.pts == (isAlike ? packet.dts : nil) else { return .stored }
                guard let dts = packet.dts else { return .unknown }
                time = dts
            } else {
                // Times that are not those of storage come from an index that knows both orders.
                guard let pts = packet.pts,
                    pts == (stored.first ?? pts) + Int64(stored.count)
                else { return .stored }
                time = pts
            }
            stored.append(time)
            guard let picture = counter.picture(of: packet) else { return .unknown }
            if picture.isIDR || sequences.isEmpty { sequences.append([]) }
            sequences[sequences.count - 1].append(picture.order)
            if !areDecoding, stored.count == CodedOrders.intraRun, sequences.count == stored.count {
                return .stored
            }
        }
        guard let order = CodedOrder(stored: stored, sequences: sequences, held: held) else {
            return .unknown
        }
        return order.delay == 0 && (!areDecoding || isAlike) ? .stored : .derived(order)
    }
}

/// Reads the picture order counts of H.264. Owns FFmpeg's parser.
@safe private final class PictureCounter {
    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let codec: UnsafeMutablePointer<AVCodecContext>
    /// Bytes of the length before each NAL unit; nil: start codes separate them.
    private let lengthSize: Int?

    init(_ demuxer: Demuxer, track: Int) throws(LibavError) {
        let parameters = try CodecParameters(demuxer, track: track)
        let header = parameters.extradata
        lengthSize = header.count > 4 && header[0] == 1 ? Int(header[4] & 3) + 1 : nil
        unsafe codec = try LibavError.allocated(avcodec_alloc_context3(nil), "a codec's context")
        do throws(LibavError) {
            unsafe parser = try LibavError.allocated(
                av_parser_init(Int32(AV_CODEC_ID_H264.rawValue)), "a parser")
        } catch {
            var codec: UnsafeMutablePointer<AVCodecContext>? = unsafe codec
            unsafe avcodec_free_context(&codec)
            throw error
        }
        try LibavError.check(
            unsafe avcodec_parameters_to_context(codec, parameters.pointer), "setting up a parser")
        unsafe parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
    }

    deinit {
        unsafe av_parser_close(parser)
        var codec: UnsafeMutablePointer<AVCodecContext>? = unsafe codec
        unsafe avcodec_free_context(&codec)
    }

    /// A frame's picture order count, and whether counts begin anew with it; nil: the packet is none.
    func picture(of packet: Packet) -> (order: Int32, isIDR: Bool)? {
        guard let type = packet.withBytes(sliceType) else { return nil }
        var data: UnsafeMutablePointer<UInt8>?
        var size: Int32 = 0
        unsafe parser.pointee.output_picture_number = Int32.min
        _ = unsafe av_parser_parse2(
            parser, codec, &data, &size, packet.pointer.pointee.data, packet.pointer.pointee.size,
            trim_nopts, trim_nopts, 0)
        let order = unsafe parser.pointee.output_picture_number
        return order == Int32.min ? nil : (order, type == 5)
    }

    /// The type of the first NAL unit that is part of a picture (ITU-T H.264, 7.4.1 and annex B).
    private func sliceType(_ bytes: Span<UInt8>) -> UInt8? {
        if let lengthSize {
            var at = 0
            while at + lengthSize < bytes.count {
                let length = (at..<(at + lengthSize)).reduce(0) { $0 << 8 | Int(bytes[$1]) }
                let type = bytes[at + lengthSize] & 31
                if 1...5 ~= type { return type }
                at += lengthSize + length
            }
            return nil
        }
        var zeros = 0
        for index in bytes.indices {
            if zeros >= 2, bytes[index] == 1, index + 1 < bytes.count {
                let type = bytes[index + 1] & 31
                if 1...5 ~= type { return type }
            }
            zeros = bytes[index] == 0 ? zeros + 1 : 0
        }
        return nil
    }
}

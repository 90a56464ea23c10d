// Finds the tracks whose order of presentation their container does not know, and reads that order from their frames: once in a process,
// since every lane opens the file. Of MXF, AVI, ASF and FLV it reads a track up to the first frame whose time of presentation is known, to
// its end where there is none. Raw streams, and MXF that FFmpeg cannot seek in by an index, are numbered from their first frame to the
// last. Decodes nothing. Any thread; others wait while one reads.
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

    private let findings = Mutex<[Asked: Finding]>([:])
    private let indexed = Mutex<[Asked: Bool]>([:])
    /// Answers that are kept.
    private static let most = 16
    /// So many IDR frames one after the other: the track has no others.
    private static let intraRun = 300
    /// So many frames with times of presentation: all have them.
    private static let timedRun = 30
    /// Containers of one stream without times. FFmpeg gives those of MPEG the times of their rate, and finds them again by a seek.
    private static let untimed: Set<String> = ["h264", "hevc"]

    /// Whether tracks may have another order than a container of this format says.
    static func mayDiffer(in format: String) -> Bool {
        ["mxf", "avi", "asf", "flv"].contains(format) || untimed.contains(format)
    }

    /// Whether a track's order may be other than its container, of such a format, says.
    static func mayDiffer(_ demuxer: Demuxer, track: Int) -> Bool {
        guard let parameters = unsafe demuxer.ownStream(track)?.pointee.codecpar.pointee,
            unsafe parameters.codec_type == AVMEDIA_TYPE_VIDEO
        else { return false }
        if demuxer.format == "mxf" || demuxer.unpackers[track] != nil { return true }
        guard unsafe parameters.codec_id == AV_CODEC_ID_H264 else { return untimed.contains(demuxer.format) }
        let isIntra = unsafe isIntra(parameters)
        return !isIntra || untimed.contains(demuxer.format)
    }

    /// Whether an H.264 track is of a profile without other frames than IDR ones.
    private static func isIntra(_ parameters: AVCodecParameters) -> Bool {
        unsafe parameters.codec_id == AV_CODEC_ID_H264 && parameters.profile >= 0
            && parameters.profile & trim_profile_h264_intra != 0
    }

    /// Whose times of a track are right.
    func finding(_ source: SourceFile, track: Int) -> Finding {
        let asked = Asked(source: source, identity: source.identity, track: track)
        return findings.withLock { findings in
            if let finding = findings[asked] { return finding }
            if findings.count >= CodedOrders.most { findings = [:] }
            let finding = (try? read(source, track: track)) ?? .unknown
            findings[asked] = finding
            return finding
        }
    }

    /// Whether FFmpeg finds the samples of an MXF file by an index, to the last. Without one it seeks by the mean rate, and gives what it
    /// finds there the times that were sought.
    func isIndexed(_ source: SourceFile) -> Bool {
        let asked = Asked(source: source, identity: source.identity, track: -1)
        return indexed.withLock { indexed in
            if let answer = indexed[asked] { return answer }
            if indexed.count >= CodedOrders.most { indexed = [:] }
            let answer =
                (try? Demuxer(source, timesAsStored: true, edits: .applied))?.leadsToSamples(of: source)
                ?? false
            indexed[asked] = answer
            return answer
        }
    }

    /// Reads a track's order from its frames.
    private func read(_ source: SourceFile, track: Int) throws -> Finding {
        let demuxer = try Demuxer(source, timesAsStored: true, edits: .applied)
        demuxer.select(track: track)
        guard let reader = try PictureOrderReader(demuxer, track: track) else {
            return demuxer.format == "mxf" ? .stored : .unknown
        }
        if CodedOrders.untimed.contains(demuxer.format) {
            return try CodedOrders.numbered(demuxer, track, reader)
        }
        guard demuxer.format == "mxf" else { return try CodedOrders.ordered(demuxer, track, reader) }
        guard isIndexed(source) else {
            let numbered = try CodedOrders.numbered(demuxer, track, reader)
            return numbered == .unknown ? .stored : numbered
        }
        guard let parameters = unsafe demuxer.ownStream(track)?.pointee.codecpar.pointee,
            unsafe parameters.codec_id != AV_CODEC_ID_H264 || CodedOrders.isIntra(parameters)
        else { return try CodedOrders.ordered(demuxer, track, reader) }
        if try CodedOrders.isTimed(demuxer, track) { return .stored }
        // The index has places without the order of presentation.
        let again = try Demuxer(source, timesAsStored: true, edits: .applied)
        again.select(track: track)
        let numbered = try CodedOrders.numbered(again, track, reader)
        return numbered == .unknown ? .stored : numbered
    }

    /// Whether the first frames have times of presentation.
    private static func isTimed(_ demuxer: Demuxer, _ track: Int) throws(LibavError) -> Bool {
        let packet = try Packet()
        for _ in 0..<timedRun {
            guard case .packet = demuxer.read(into: packet) else { return true }
            if packet.track == track, packet.pts == nil { return false }
        }
        return true
    }

    /// The order of a track whose frames have times of storage or of decoding.
    private static func ordered(
        _ demuxer: Demuxer, _ track: Int, _ reader: PictureOrderReader
    ) throws(LibavError) -> Finding {
        let packet = try Packet()
        // AVI and ASF store times of decoding; those of MXF are of presentation, in the wrong order.
        let areDecoding = demuxer.format != "mxf"
        // Of packed frames, FFmpeg's times are those of other frames.
        let isPacked = demuxer.unpackers[track] != nil
        let held = areDecoding ? isPacked ? 1 : try CodecParameters(demuxer, track: track).reorderDepth : nil
        // Writers of old FLV leave out the offset between both times; FFmpeg then has the one for the other.
        let isAlike = demuxer.format == "flv"
        if isAlike, held == 0 { return .stored }
        var stored: [Int64] = []
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == track else { continue }
            let time: Int64
            if areDecoding {
                guard isPacked || packet.pts == (isAlike ? packet.dts : nil) else { return .stored }
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
            guard reader.read(packet) else { return .unknown }
            if !areDecoding, stored.count == intraRun, reader.isIntraOnly { return .stored }
        }
        guard let order = CodedOrder(stored: stored, shown: reader.shown, held: held) else { return .unknown }
        return order.delay == 0 && (!areDecoding || isAlike) ? .stored : .derived(order)
    }

    /// The order and the times of a track whose frames have none: they follow each other from where the track begins.
    private static func numbered(
        _ demuxer: Demuxer, _ track: Int, _ reader: PictureOrderReader
    ) throws(LibavError) -> Finding {
        guard let stream = unsafe demuxer.ownStream(track) else { return .unknown }
        let usual = unsafe av_rescale_q(
            1, av_inv_q(stream.pointee.r_frame_rate), stream.pointee.time_base)
        let packet = try Packet()
        var frames: [CodedOrder.Numbered] = []
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == track else { continue }
            guard reader.read(packet), let place = packet.place?.lowerBound else { return .unknown }
            frames.append(
                CodedOrder.Numbered(
                    place: place, duration: packet.duration > 0 ? packet.duration : usual,
                    isSync: packet.isKey))
        }
        let first = unsafe known(stream.pointee.start_time) ?? 0
        return CodedOrder(frames, shown: reader.shown, from: first).map { .derived($0) } ?? .unknown
    }
}

extension Demuxer {
    /// Whether seeks in MXF end where a sample begins, or the file's next structure: FFmpeg has an index that leads to all of them.
    fileprivate func leadsToSamples(of source: SourceFile) -> Bool {
        let videos = (0..<ownTrackCount).filter {
            unsafe ownStream($0)?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        }
        guard let track = videos.first ?? (ownTrackCount > 0 ? 0 : nil),
            let stream = unsafe ownStream(track), let packet = try? Packet(),
            let length = unsafe known(stream.pointee.duration), length > 1
        else { return false }
        let begin = unsafe known(stream.pointee.start_time) ?? 0
        return [length / 3, length / 2, length - 1].allSatisfy { offset in
            guard unsafe av_seek_frame(context, Int32(track), begin &+ offset, AVSEEK_FLAG_BACKWARD) >= 0
            else { return false }
            let place = unsafe avio_seek(context.pointee.pb, 0, SEEK_CUR)
            // The key of all that MXF consists of (SMPTE ST 377-1).
            if source.bytes(at: place, count: 4) == [0x06, 0x0E, 0x2B, 0x34] { return true }
            guard case .packet = read(into: packet) else { return false }
            return packet.place?.lowerBound == place
        }
    }
}

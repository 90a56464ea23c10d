// Reads from the samples of a track in which order they are presented: picture order counts of H.264 and HEVC, picture types of MPEG and
// VC-1. Decodes nothing: FFmpeg's parsers read the headers. Used on one queue.
internal import CFFmpeg

/// Reads the order of presentation of a track's frames, in the order of storage.
@safe final class PictureOrderReader {
    /// How a codec says the order.
    private enum Rule {
        /// Frames are presented as they are stored.
        case asStored
        /// Frames have numbers, which begin anew with some.
        case counts
        /// A reference frame is shown when the next one is decoded.
        case types
    }

    private let rule: Rule
    private let id: AVCodecID
    private let parser: UnsafeMutablePointer<AVCodecParserContext>?
    private let codec: UnsafeMutablePointer<AVCodecContext>
    /// Bytes of the length before each NAL unit; nil: start codes separate them.
    private let lengthSize: Int?
    /// Numbers begin anew with the next frame, whatever it is.
    private var isSequenceEnded = false

    private var sequences: [[Int32]] = []
    private var areReferences: [Bool] = []
    private var count = 0

    /// Nil: nothing is known of the codec's order.
    init?(_ demuxer: Demuxer, track: Int) throws(LibavError) {
        let parameters = try CodecParameters(demuxer, track: track)
        id = unsafe parameters.pointer.pointee.codec_id
        let properties = unsafe avcodec_descriptor_get(id)?.pointee.props ?? 0
        switch id {
        case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC: rule = .counts
        case AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_VC1: rule = .types
        case _ where properties & AV_CODEC_PROP_INTRA_ONLY != 0: rule = .asStored
        default: return nil
        }
        let header = parameters.extradata
        // ISO/IEC 14496-15: avcC and hvcC.
        let lengthAt = id == AV_CODEC_ID_HEVC ? 21 : 4
        lengthSize = header.count > lengthAt && header[0] == 1 ? Int(header[lengthAt] & 3) + 1 : nil
        unsafe codec = try LibavError.allocated(avcodec_alloc_context3(nil), "a codec's context")
        unsafe parser = rule == .asStored ? nil : trim_parser_init(id)
        guard unsafe parser != nil || rule == .asStored else { return nil }
        try LibavError.check(
            unsafe avcodec_parameters_to_context(codec, parameters.pointer), "setting up a parser")
        unsafe parser?.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
    }

    deinit {
        if let parser = unsafe parser { unsafe av_parser_close(parser) }
        var codec: UnsafeMutablePointer<AVCodecContext>? = unsafe codec
        unsafe avcodec_free_context(&codec)
    }

    /// Reads the next frame; false: it does not say its order.
    func read(_ packet: Packet) -> Bool {
        count += 1
        switch rule {
        case .asStored: return true
        case .types:
            unsafe parser?.pointee.pict_type = 0
            parse(packet)
            let type = unsafe UInt32(bitPattern: parser?.pointee.pict_type ?? 0)
            guard type != 0 else { return false }
            areReferences.append(type != AV_PICTURE_TYPE_B.rawValue && type != AV_PICTURE_TYPE_BI.rawValue)
            return true
        case .counts:
            guard let type = packet.withBytes(sliceType) else { return false }
            unsafe parser?.pointee.output_picture_number = Int32.min
            parse(packet)
            guard let order = unsafe parser?.pointee.output_picture_number, order != Int32.min else {
                return false
            }
            if beginsSequence(type) || sequences.isEmpty || isSequenceEnded { sequences.append([]) }
            isSequenceEnded = packet.withBytes(endsSequence)
            sequences[sequences.count - 1].append(order)
            return true
        }
    }

    /// The places in the order of presentation of the frames read, in the order of storage; nil: they do not give them.
    var shown: [Int32]? {
        switch rule {
        case .asStored: (0..<count).map { Int32(clamping: $0) }
        case .types: CodedOrder.shown(areReferences: areReferences)
        case .counts: CodedOrder.shown(sequences)
        }
    }

    /// Whether every frame read was one at which numbers begin anew: a track of nothing else has no other order.
    var isIntraOnly: Bool { rule == .asStored || (rule == .counts && sequences.count == count) }

    private func parse(_ packet: Packet) {
        guard let parser = unsafe parser else { return }
        var data: UnsafeMutablePointer<UInt8>?
        var size: Int32 = 0
        _ = unsafe av_parser_parse2(
            parser, codec, &data, &size, packet.pointer.pointee.data, packet.pointer.pointee.size,
            trim_nopts, trim_nopts, 0)
    }

    /// Whether picture order counts begin anew with a slice of this type: IDR and, of HEVC, BLA.
    private func beginsSequence(_ type: UInt8) -> Bool {
        id == AV_CODEC_ID_HEVC ? 16...20 ~= type : type == 5
    }

    /// The type of the first NAL unit that is part of a picture (ITU-T H.264, 7.4.1; H.265, 7.4.2.2).
    private func sliceType(_ bytes: Span<UInt8>) -> UInt8? {
        var found: UInt8?
        eachUnit(of: bytes) { type in
            let isSlice = id == AV_CODEC_ID_HEVC ? type < 32 : 1...5 ~= type
            if isSlice { found = type }
            return !isSlice
        }
        return found
    }

    /// Whether a unit ends the sequence or the stream.
    private func endsSequence(_ bytes: Span<UInt8>) -> Bool {
        guard id == AV_CODEC_ID_HEVC else { return false }
        var isEnd = false
        eachUnit(of: bytes) { type in
            isEnd = isEnd || 36...37 ~= type
            return true
        }
        return isEnd
    }

    /// The types of NAL units, until `body` returns false (ITU-T H.264 and H.265, 7.4.1 and 7.4.2, and annex B).
    private func eachUnit(of bytes: Span<UInt8>, _ body: (UInt8) -> Bool) {
        func type(at index: Int) -> UInt8 {
            id == AV_CODEC_ID_HEVC ? bytes[index] >> 1 & 63 : bytes[index] & 31
        }
        if let lengthSize {
            var at = 0
            while at + lengthSize < bytes.count {
                let length = (at..<(at + lengthSize)).reduce(0) { $0 << 8 | Int(bytes[$1]) }
                guard body(type(at: at + lengthSize)) else { return }
                at += lengthSize + length
            }
            return
        }
        var zeros = 0
        for index in bytes.indices {
            if zeros >= 2, bytes[index] == 1, index + 1 < bytes.count {
                guard body(type(at: index + 1)) else { return }
            }
            zeros = bytes[index] == 0 ? zeros + 1 : 0
        }
    }
}

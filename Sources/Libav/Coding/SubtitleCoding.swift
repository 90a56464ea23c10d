// Converts text subtitles between codecs. FFmpeg's text decoders return ASS lines, and its encoders take them; nothing is
// rendered. Each object owns its FFmpeg context and is confined to one queue.
internal import CFFmpeg
internal import Glibc
public import MediaTime

/// Decodes text subtitles.
@safe public final class SubtitleDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let name: String

    /// Opens a decoder for a text track.
    public init(_ parameters: CodecParameters, timebase: Timebase) throws(LibavError) {
        let id = unsafe parameters.pointer.pointee.codec_id
        let name = unsafe text(avcodec_get_name(id)) ?? "unknown"
        self.name = name
        guard LibavLimits.hasDecoder(id), let codec = unsafe LibavLookup.decoders[id.rawValue] else {
            throw LibavError("looking for a decoder of \(name)", code: trim_error_decoder_not_found)
        }
        unsafe context = try LibavError.allocated(avcodec_alloc_context3(codec), "a decoder of \(name)")
        try LibavError.check(
            unsafe avcodec_parameters_to_context(context, parameters.pointer),
            "setting up the decoder of \(name)")
        unsafe context.pointee.pkt_timebase = AVRational(num: timebase.numerator, den: timebase.denominator)
        try LibavError.check(unsafe avcodec_open2(context, codec, nil), "opening the decoder of \(name)")
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&pointer)
    }

    /// The styles its lines refer to, as the header of an ASS file.
    public var header: [UInt8] {
        guard let bytes = unsafe context.pointee.subtitle_header else { return [] }
        return unsafe [UInt8](
            UnsafeBufferPointer(start: bytes, count: Int(context.pointee.subtitle_header_size)))
    }

    /// Whether its styles are of whoever made the text, and not FFmpeg's for a codec that has none.
    public var hasOwnStyles: Bool { name == "ass" || name == "ssa" }

    /// The lines of one event; none if it is empty or damaged.
    public func lines(of packet: Packet) -> [String] {
        var subtitle = unsafe AVSubtitle()
        var got: Int32 = 0
        guard unsafe decode(&subtitle, &got, packet) >= 0, got != 0 else { return [] }
        defer { unsafe avsubtitle_free(&subtitle) }
        return (0..<Int(unsafe subtitle.num_rects)).compactMap { index in
            guard let rect = unsafe subtitle.rects[index] else { return nil }
            return unsafe rect.pointee.ass.map { unsafe String(cString: $0) }
        }
    }

    /// Decodes a packet; `subtitle` is the caller's to free where `got` is not 0.
    func decode(_ subtitle: inout AVSubtitle, _ got: inout Int32, _ packet: Packet) -> Int32 {
        unsafe avcodec_decode_subtitle2(context, &subtitle, &got, packet.pointer)
    }

    /// The size of the screen that its pictures are for; nil if it has none.
    var size: (width: Int, height: Int)? {
        let (width, height) = unsafe (Int(context.pointee.width), Int(context.pointee.height))
        return width > 0 && height > 0 ? (width, height) : nil
    }
}

/// Encodes text subtitles.
@safe public final class SubtitleEncoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let name: String

    /// Maximum size of one event in bytes.
    private static let largest = 1 << 20

    /// Opens an encoder.
    /// - Parameters:
    ///   - name: FFmpeg's.
    ///   - header: the styles that lines refer to, from their decoder.
    public init(_ name: String, header: [UInt8]) throws(LibavError) {
        self.name = name
        guard let codec = unsafe LibavLookup.encoders[name] else {
            throw LibavError("looking for an encoder of \(name)", code: trim_error_decoder_not_found)
        }
        unsafe context = try LibavError.allocated(avcodec_alloc_context3(codec), "an encoder of \(name)")
        unsafe context.pointee.time_base = AVRational(num: 1, den: 1000)
        let raw = unsafe av_mallocz(header.count + 1)
        guard let raw = unsafe raw else { throw LibavError("allocating styles", code: trim_averror(ENOMEM)) }
        unsafe header.withUnsafeBytes { from in
            if let base = from.baseAddress { unsafe raw.copyMemory(from: base, byteCount: header.count) }
        }
        unsafe context.pointee.subtitle_header = raw.assumingMemoryBound(to: UInt8.self)
        unsafe context.pointee.subtitle_header_size = Int32(clamping: header.count)
        try LibavError.check(unsafe avcodec_open2(context, codec, nil), "opening the encoder of \(name)")
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&pointer)
    }

    /// The codec parameters for a container.
    public func parameters() throws(LibavError) -> CodecParameters {
        try unsafe CodecParameters(context: context)
    }

    /// The encoded bytes of an event with these ASS lines.
    public func encode(_ lines: [String]) throws(LibavError) -> [UInt8] {
        var rects: [UnsafeMutablePointer<AVSubtitleRect>?] = unsafe []
        defer {
            for index in unsafe rects.indices {
                unsafe free(rects[index]?.pointee.ass)
                unsafe rects[index]?.deallocate()
            }
        }
        for line in lines {
            let rect = UnsafeMutablePointer<AVSubtitleRect>.allocate(capacity: 1)
            unsafe rect.initialize(to: unsafe AVSubtitleRect())
            unsafe rect.pointee.type = SUBTITLE_ASS
            unsafe rect.pointee.ass = unsafe strdup(line)
            unsafe rects.append(rect)
        }
        var buffer = [UInt8](repeating: 0, count: SubtitleEncoder.largest)
        let size = unsafe rects.withUnsafeMutableBufferPointer { list in
            var subtitle = unsafe AVSubtitle()
            unsafe subtitle.num_rects = UInt32(list.count)
            unsafe subtitle.rects = list.baseAddress
            return unsafe avcodec_encode_subtitle(context, &buffer, Int32(buffer.count), &subtitle)
        }
        return Array(buffer.prefix(Int(try LibavError.check(size, "encoding \(name)"))))
    }
}

extension CodecParameters {
    /// The parameters of an encoder's output.
    convenience init(context: UnsafeMutablePointer<AVCodecContext>) throws(LibavError) {
        var made: UnsafeMutablePointer<AVCodecParameters>? =
            unsafe try LibavError.allocated(avcodec_parameters_alloc(), "codec parameters")
        defer { unsafe avcodec_parameters_free(&made) }
        guard let own = unsafe made else { throw LibavError("allocating", code: trim_averror(ENOMEM)) }
        try LibavError.check(unsafe avcodec_parameters_from_context(own, context), "copying codec parameters")
        try unsafe self.init(copying: own, sideData: [], frameRate: AVRational(num: 0, den: 1))
    }
}

extension CodecParameters {
    /// Data for which FFmpeg has no codec name, with a container's tag.
    public convenience init(data tag: String) throws(LibavError) {
        var made: UnsafeMutablePointer<AVCodecParameters>? =
            unsafe try LibavError.allocated(avcodec_parameters_alloc(), "codec parameters")
        defer { unsafe avcodec_parameters_free(&made) }
        guard let own = unsafe made else { throw LibavError("allocating", code: trim_averror(ENOMEM)) }
        unsafe own.pointee.codec_type = AVMEDIA_TYPE_DATA
        unsafe own.pointee.codec_id = AV_CODEC_ID_BIN_DATA
        unsafe own.pointee.codec_tag = tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        try unsafe self.init(copying: own, sideData: [], frameRate: AVRational(num: 0, den: 1))
    }
}

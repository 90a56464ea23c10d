// The configuration of an encoder's stream as a value: a container can open a track with it when the encoder is gone, or was in
// another process. Equal values mean equal parameter sets, byte for byte. Made from an open encoder; converts itself to FFmpeg's
// structure.
internal import CFFmpeg

/// The properties of an encoded stream that a container must know.
public struct EncodedFormat: Hashable, Codable, Sendable {
    /// FFmpeg's name of the codec.
    public let codec: String
    /// The decoder's initialisation data, in hexadecimal.
    public let extradata: String
    /// Samples in an audio packet, except the last; 0: any number.
    public let frameSize: Int
    /// Encoder delay in samples before the first one sent, as reported when it was opened.
    public let priming: Int
    /// Reorder delay in frames.
    public let reorderDepth: Int
    /// FFmpeg's numbers.
    private let tag: UInt32, format: Int32, codedBits: Int32, rawBits: Int32
    /// Average bits per second as the encoder was told; parts of one stream may be told different ones.
    public var bitRate: Int64
    private let profile: Int32, level: Int32, width: Int32, height: Int32, aspect: [Int32]
    private let fieldOrder: UInt32, range: UInt32, primaries: UInt32, transfer: UInt32, matrix: UInt32
    private let chroma: UInt32, delay: Int32, sampleRate: Int32, blockAlign: Int32, seekPreroll: Int32
    private let frameRate: [Int32]
    /// FFmpeg's name of the channel layout; empty for video.
    private let layout: String
    /// HDR light levels.
    private let light: LightLevels

    /// The stream of an open encoder.
    init(_ context: UnsafePointer<AVCodecContext>, light: LightLevels, priming: Int) throws(LibavError) {
        var made = unsafe try LibavError.allocated(avcodec_parameters_alloc(), "codec parameters") as Optional
        defer { unsafe avcodec_parameters_free(&made) }
        guard let made = unsafe made else { throw LibavError("codec parameters", code: trim_averror(12)) }
        try LibavError.check(unsafe avcodec_parameters_from_context(made, context), "describing an encoder")
        let known = unsafe made.pointee
        codec = unsafe text(avcodec_get_name(known.codec_id)) ?? "unknown"
        extradata = unsafe EncodedFormat.hexadecimal(
            UnsafeBufferPointer(start: known.extradata, count: Int(known.extradata_size)))
        frameSize = Int(unsafe context.pointee.frame_size)
        reorderDepth = Int(unsafe context.pointee.has_b_frames)
        self.priming = priming
        self.light = light
        unsafe (tag, format, bitRate) = (known.codec_tag, known.format, known.bit_rate)
        unsafe (codedBits, rawBits) = (known.bits_per_coded_sample, known.bits_per_raw_sample)
        unsafe (profile, level, width, height) = (known.profile, known.level, known.width, known.height)
        unsafe aspect = [known.sample_aspect_ratio.num, known.sample_aspect_ratio.den]
        unsafe (fieldOrder, range) = (known.field_order.rawValue, known.color_range.rawValue)
        unsafe (primaries, transfer) = (known.color_primaries.rawValue, known.color_trc.rawValue)
        unsafe (matrix, chroma) = (known.color_space.rawValue, known.chroma_location.rawValue)
        unsafe (delay, sampleRate, blockAlign) = (known.video_delay, known.sample_rate, known.block_align)
        unsafe seekPreroll = known.seek_preroll
        unsafe frameRate = [context.pointee.framerate.num, context.pointee.framerate.den]
        layout = unsafe known.ch_layout.nb_channels > 0 ? describe(&made.pointee.ch_layout) : ""
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let text = unsafe bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of the initialisation data; nil if they are no hexadecimal digits.
    private var header: [UInt8]? {
        let text = Array(extradata.utf8)
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = EncodedFormat.digits.firstIndex(of: text[index]),
                let low = EncodedFormat.digits.firstIndex(of: text[index + 1])
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// As FFmpeg's structure.
    /// - Parameters:
    ///   - tag: the sample entry in the container; nil: the muxer's.
    ///   - hasPriming: the packets begin with encoder delay.
    public func parameters(tag: String? = nil, hasPriming: Bool = true) throws(LibavError) -> CodecParameters
    {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(codec), let header,
            frameRate.count == 2, aspect.count == 2
        else { throw LibavError("describing a track", cause: "its encoder's description is not valid") }
        var made = unsafe try LibavError.allocated(avcodec_parameters_alloc(), "codec parameters") as Optional
        defer { unsafe avcodec_parameters_free(&made) }
        guard let made = unsafe made else { throw LibavError("codec parameters", code: trim_averror(12)) }
        unsafe made.pointee.codec_id = descriptor.pointee.id
        unsafe made.pointee.codec_type = descriptor.pointee.type
        unsafe made.pointee.codec_tag = self.tag
        if let tag {
            unsafe made.pointee.codec_tag = tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        unsafe (made.pointee.format, made.pointee.bit_rate) = (format, bitRate)
        unsafe made.pointee.bits_per_coded_sample = codedBits
        unsafe made.pointee.bits_per_raw_sample = rawBits
        unsafe (made.pointee.profile, made.pointee.level) = (profile, level)
        unsafe (made.pointee.width, made.pointee.height) = (width, height)
        unsafe made.pointee.sample_aspect_ratio = AVRational(num: aspect[0], den: aspect[1])
        unsafe made.pointee.field_order = AVFieldOrder(rawValue: fieldOrder)
        unsafe made.pointee.color_range = AVColorRange(rawValue: range)
        unsafe made.pointee.color_primaries = AVColorPrimaries(rawValue: primaries)
        unsafe made.pointee.color_trc = AVColorTransferCharacteristic(rawValue: transfer)
        unsafe made.pointee.color_space = AVColorSpace(rawValue: matrix)
        unsafe made.pointee.chroma_location = AVChromaLocation(rawValue: chroma)
        unsafe made.pointee.video_delay = delay
        unsafe (made.pointee.sample_rate, made.pointee.block_align) = (sampleRate, blockAlign)
        unsafe made.pointee.frame_size = Int32(clamping: frameSize)
        unsafe made.pointee.initial_padding = hasPriming ? Int32(clamping: priming) : 0
        unsafe made.pointee.seek_preroll = seekPreroll
        if !layout.isEmpty {
            try LibavError.check(
                unsafe av_channel_layout_from_string(&made.pointee.ch_layout, layout),
                "choosing the channel layout \(layout)")
        }
        let plain = try unsafe CodecParameters(
            copying: made, sideData: light.sideData,
            frameRate: AVRational(num: frameRate[0], den: frameRate[1]))
        return try plain.withExtradata(header)
    }
}

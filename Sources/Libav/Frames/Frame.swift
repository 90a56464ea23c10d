// One decoded video frame or run of audio samples. A frame has one owner at a time and moves with it from queue to queue; no two
// queues use it at once, so it may cross queues. FFmpeg reference-counts its buffers; they are not copied.
internal import CFFmpeg
public import MediaTime

/// One decoded video frame, or a run of audio samples.
///
/// `@unchecked Sendable`: a frame has one owner at a time; stages hand it on through bounded queues.
@safe public final class Frame: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>

    /// An empty frame.
    public init() throws(LibavError) {
        unsafe pointer = try LibavError.allocated(av_frame_alloc(), "a frame")
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&pointer)
    }

    /// Presentation time in its producer's ticks; nil if unknown.
    public var pts: Int64? {
        get { unsafe known(pointer.pointee.pts) }
        set { unsafe pointer.pointee.pts = newValue ?? trim_nopts }
    }

    /// The decoder's best estimate of the presentation time, from all timestamps it saw.
    public var bestEffort: Int64? { unsafe known(pointer.pointee.best_effort_timestamp) }

    /// Duration of its packet, in ticks; 0 if unknown.
    public var packetDuration: Int64 { unsafe trim_frame_duration(pointer) }

    /// The decoder concealed errors in it.
    public var isDamaged: Bool {
        unsafe pointer.pointee.decode_error_flags != 0 || pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
    }

    /// It is a keyframe that refers to no other frame.
    var isIntraKey: Bool {
        unsafe trim_frame_is_key(pointer) != 0 && pointer.pointee.pict_type == AV_PICTURE_TYPE_I
    }

    /// It consists of two fields.
    public var isInterlaced: Bool { unsafe trim_frame_is_interlaced(pointer) != 0 }
    /// Whether the top field is the earlier one of an interlaced frame.
    public var isTopFieldFirst: Bool { unsafe trim_frame_is_top_field_first(pointer) != 0 }

    /// It carries closed captions (CEA-608, CEA-708).
    public var hasCaptions: Bool {
        unsafe av_frame_get_side_data(pointer, AV_FRAME_DATA_A53_CC) != nil
    }

    /// Width in pixels.
    public var width: Int { Int(unsafe pointer.pointee.width) }

    /// Height in pixels.
    public var height: Int { Int(unsafe pointer.pointee.height) }

    /// FFmpeg's number of the pixel or sample format.
    var format: Int32 { unsafe pointer.pointee.format }

    /// FFmpeg's name of the sample format, for audio.
    public var sampleFormat: String {
        unsafe text(av_get_sample_fmt_name(AVSampleFormat(rawValue: format))) ?? "none"
    }

    /// Samples per second, for audio.
    public var sampleRate: Int { Int(unsafe pointer.pointee.sample_rate) }

    /// Samples per channel, for audio.
    public var sampleCount: Int { Int(unsafe pointer.pointee.nb_samples) }

    /// Channels, for audio.
    public var channels: Int { Int(unsafe pointer.pointee.ch_layout.nb_channels) }

    /// Metadata that filters have added, by FFmpeg's keys.
    public var metadata: [String: String] {
        var entries: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while true {
            unsafe entry = av_dict_get(pointer.pointee.metadata, "", entry, AV_DICT_IGNORE_SUFFIX)
            guard let found = unsafe entry else { return entries }
            unsafe entries[String(cString: found.pointee.key)] = unsafe String(cString: found.pointee.value)
        }
    }

    /// Releases its content.
    public func clear() { unsafe av_frame_unref(pointer) }

    /// Sets the colour of its values, in FFmpeg's names: some encoders write the frame's colour.
    public func setColor(primaries: String, transfer: String, matrix: String) {
        func set(_ code: Int32, _ body: (UInt32) -> Void) { if code >= 0 { body(UInt32(code)) } }
        unsafe set(av_color_primaries_from_name(primaries)) {
            unsafe pointer.pointee.color_primaries = AVColorPrimaries(rawValue: $0)
        }
        unsafe set(av_color_transfer_from_name(transfer)) {
            unsafe pointer.pointee.color_trc = AVColorTransferCharacteristic(rawValue: $0)
        }
        unsafe set(av_color_space_from_name(matrix)) {
            unsafe pointer.pointee.colorspace = AVColorSpace(rawValue: $0)
        }
        unsafe pointer.pointee.color_range = AVCOL_RANGE_MPEG
    }

    /// Another frame that shares this one's content.
    public func reference() throws(LibavError) -> Frame {
        let frame = try Frame()
        try LibavError.check(unsafe av_frame_ref(frame.pointer, pointer), "sharing a frame")
        return frame
    }

    /// Moves the content of another frame here, which leaves that one empty.
    public func take(_ other: Frame) {
        clear()
        unsafe av_frame_move_ref(pointer, other.pointer)
    }

    /// Lets the encoder choose the frame type, or requests a keyframe.
    public func setKeyframe(_ forced: Bool) {
        unsafe pointer.pointee.pict_type = forced ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        unsafe trim_frame_set_key(pointer, 0)
    }

    /// Clears the source's flags (keyframe, interlaced), which do not apply to the output.
    public func becomeProgressive() {
        unsafe trim_frame_set_interlaced(pointer, 0)
        unsafe trim_frame_set_top_field_first(pointer, 0)
    }

    /// Keeps only a part of its audio. The range is in samples of this frame and must be inside it.
    public func keepSamples(_ range: Range<Int>) throws(LibavError) {
        guard range != 0..<sampleCount else { return }
        guard range.lowerBound >= 0, range.upperBound <= sampleCount, !range.isEmpty else {
            throw LibavError("cutting \(sampleCount) samples", cause: "no samples \(range)")
        }
        if range.lowerBound > 0 {
            try LibavError.check(unsafe av_frame_make_writable(pointer), "copying audio")
            unsafe _ = av_samples_copy(
                pointer.pointee.extended_data, pointer.pointee.extended_data, 0, Int32(range.lowerBound),
                Int32(range.count), pointer.pointee.ch_layout.nb_channels, AVSampleFormat(rawValue: format))
        }
        unsafe pointer.pointee.nb_samples = Int32(range.count)
    }

    /// Silence in the format of another frame's audio.
    public static func silence(like other: Frame, samples: Int) throws(LibavError) -> Frame {
        let frame = try Frame()
        unsafe frame.pointer.pointee.format = other.format
        unsafe frame.pointer.pointee.nb_samples = Int32(samples)
        unsafe frame.pointer.pointee.sample_rate = unsafe other.pointer.pointee.sample_rate
        try LibavError.check(
            unsafe av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &other.pointer.pointee.ch_layout),
            "copying a channel layout")
        try LibavError.check(unsafe av_frame_get_buffer(frame.pointer, 0), "allocating silence")
        unsafe _ = av_samples_set_silence(
            frame.pointer.pointee.extended_data, 0, Int32(samples),
            frame.pointer.pointee.ch_layout.nb_channels,
            AVSampleFormat(rawValue: frame.format))
        return frame
    }

    /// Multiplies audio samples by individual gains. Supports the formats of lossy audio encoders: float and 16 and 32 bits,
    /// planar or not; others stay unchanged.
    public func scaleSamples(_ range: Range<Int>, by gain: (_ index: Int) -> Float) {
        guard unsafe av_frame_make_writable(pointer) >= 0 else { return }
        let format = AVSampleFormat(rawValue: format)
        let isPlanar = av_sample_fmt_is_planar(format) != 0
        let step = isPlanar ? 1 : channels
        let range = range.clamped(to: 0..<sampleCount)
        for plane in 0..<(isPlanar ? channels : 1) {
            guard let data = unsafe pointer.pointee.extended_data[plane] else { return }
            let raw = UnsafeMutableRawPointer(data)
            for index in range {
                let factor = gain(index)
                for item in (index * step)..<(index * step + step) {
                    switch av_get_packed_sample_fmt(format) {
                    case AV_SAMPLE_FMT_FLT:
                        unsafe raw.assumingMemoryBound(to: Float.self)[item] *= factor
                    case AV_SAMPLE_FMT_S16:
                        let samples = unsafe raw.assumingMemoryBound(to: Int16.self)
                        unsafe samples[item] = Int16(Float(samples[item]) * factor)
                    case AV_SAMPLE_FMT_S32:
                        let samples = unsafe raw.assumingMemoryBound(to: Int32.self)
                        unsafe samples[item] = Int32(Double(samples[item]) * Double(factor))
                    default: return
                    }
                }
            }
        }
    }

    /// The format a filter graph needs before it is built.
    public var shape: FrameShape {
        guard sampleRate == 0 else {
            return FrameShape(
                width: 0, height: 0, format: format, sampleRate: sampleRate, layout: channelLayout,
                sampleAspect: Ratio(1), transfer: nil, primaries: nil, matrix: nil, isFullRange: false)
        }
        return FrameShape(
            width: width, height: height, format: format, sampleRate: 0, layout: "",
            sampleAspect: unsafe Ratio(
                Int64(pointer.pointee.sample_aspect_ratio.num), Int64(pointer.pointee.sample_aspect_ratio.den)
            )
            .flatMap { $0.numerator > 0 ? $0 : nil } ?? Ratio(1),
            transfer: unsafe text(av_color_transfer_name(pointer.pointee.color_trc)),
            primaries: unsafe text(av_color_primaries_name(pointer.pointee.color_primaries)),
            matrix: unsafe text(av_color_space_name(pointer.pointee.colorspace)),
            isFullRange: unsafe pointer.pointee.color_range == AVCOL_RANGE_JPEG)
    }

    private var channelLayout: String {
        unsafe describe(&pointer.pointee.ch_layout)
    }
}

/// The format of a frame for a filter graph: size and pixel format, or sample rate and layout.
public struct FrameShape: Hashable, Sendable {
    /// Size in pixels, 0 for audio.
    public let width: Int, height: Int
    /// FFmpeg's number of the pixel or sample format.
    let format: Int32
    /// Samples per second, 0 for video.
    public let sampleRate: Int
    /// FFmpeg's name of the channel layout, empty for video.
    public let layout: String
    /// Width of a pixel over its height.
    public let sampleAspect: Ratio
    /// Colour, in FFmpeg's names.
    public let transfer: String?, primaries: String?, matrix: String?
    /// Full range values.
    public let isFullRange: Bool

    /// The pixel format's name.
    public var pixelFormat: String {
        unsafe text(av_get_pix_fmt_name(AVPixelFormat(rawValue: format))) ?? "none"
    }
    /// The sample format's name.
    public var sampleFormat: String {
        unsafe text(av_get_sample_fmt_name(AVSampleFormat(rawValue: format))) ?? "none"
    }
}

/// FFmpeg's name of a channel layout; an unordered one gets the default for its number of channels.
func describe(_ layout: UnsafePointer<AVChannelLayout>) -> String {
    var usual = unsafe AVChannelLayout()
    var layout = unsafe layout
    if unsafe layout.pointee.order == AV_CHANNEL_ORDER_UNSPEC {
        unsafe av_channel_layout_default(&usual, layout.pointee.nb_channels)
    }
    return unsafe withUnsafePointer(to: &usual) { usual in
        if unsafe usual.pointee.nb_channels > 0 { unsafe layout = usual }
        var buffer = [CChar](repeating: 0, count: 128)
        _ = unsafe av_channel_layout_describe(layout, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

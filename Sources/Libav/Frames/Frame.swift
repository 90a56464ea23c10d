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

// Joins fields that a decoder returns as separate pictures to frames.
extension Frame {
    /// For a single field: it has the lines 1, 3, 5 … of its frame.
    var isBottomField: Bool { unsafe trim_frame_is_top_field_first(pointer) == 0 }

    /// A frame from two fields, at the time of the first one.
    static func woven(_ first: Frame, _ second: Frame) throws(LibavError) -> Frame {
        let frame = try Frame()
        guard first.format == second.format, first.width == second.width, first.height == second.height else {
            throw LibavError("putting fields together", cause: "they differ in size or format")
        }
        unsafe frame.pointer.pointee.format = first.format
        unsafe frame.pointer.pointee.width = Int32(clamping: first.width)
        unsafe frame.pointer.pointee.height = Int32(clamping: 2 * first.height)
        try LibavError.check(unsafe av_frame_get_buffer(frame.pointer, 0), "allocating a frame")
        try LibavError.check(
            unsafe av_frame_copy_props(frame.pointer, first.pointer), "copying a frame's properties")
        let isBottomFirst = first.isBottomField
        for (field, isBottom) in [(first, isBottomFirst), (second, !isBottomFirst)] {
            try frame.fill(with: field, isBottom: isBottom)
        }
        unsafe trim_frame_set_interlaced(frame.pointer, 1)
        unsafe trim_frame_set_top_field_first(frame.pointer, isBottomFirst ? 0 : 1)
        unsafe trim_frame_set_duration(frame.pointer, first.packetDuration + second.packetDuration)
        unsafe frame.pointer.pointee.decode_error_flags |= second.pointer.pointee.decode_error_flags
        unsafe frame.pointer.pointee.flags |= second.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT
        return frame
    }

    /// Copies a field's lines to every other line.
    private func fill(with field: Frame, isBottom: Bool) throws(LibavError) {
        let format = AVPixelFormat(rawValue: format)
        guard let description = unsafe av_pix_fmt_desc_get(format) else {
            throw LibavError("putting fields together", cause: "the pixel format is unknown")
        }
        let planes = Int(av_pix_fmt_count_planes(format))
        for plane in 0..<min(max(planes, 0), 4) {
            guard let to = unsafe row(plane), let from = unsafe field.row(plane) else {
                throw LibavError("putting fields together", cause: "a plane is missing")
            }
            let bytes = Int(av_image_get_linesize(format, Int32(width), Int32(plane)))
            let isChroma = (plane == 1 || plane == 2) && planes > 1
            let shift = isChroma ? Int(unsafe description.pointee.log2_chroma_h) : 0
            for line in 0..<((field.height + (1 << shift) - 1) >> shift) {
                let target = unsafe to.start + (2 * line + (isBottom ? 1 : 0)) * to.stride
                unsafe target.update(from: from.start + line * from.stride, count: max(0, bytes))
            }
        }
    }
}

/// Joins the fields from a decoder. Used on the decoder's queue.
struct FieldWeaver {
    /// The first field of each frame has the lines 1, 3, 5 ….
    let isBottomFirst: Bool
    private var held: Frame?

    init(isBottomFirst: Bool) { self.isBottomFirst = isBottomFirst }

    /// Takes the next picture in presentation order and returns completed frames: usually one for two fields. An unpaired field
    /// fills both.
    mutating func take(_ frame: Frame) throws(LibavError) -> [Frame] {
        guard frame.isInterlaced else { return try rest() + [frame] }
        let isFirst = frame.isBottomField == isBottomFirst
        if !isFirst, let first = held {
            held = nil
            return [try Frame.woven(first, frame)]
        }
        let before = try rest()
        if isFirst {
            held = frame
            return before
        }
        return before + [try Frame.woven(frame, frame)]
    }

    /// Flushes the remaining frames.
    mutating func rest() throws(LibavError) -> [Frame] {
        guard let alone = held else { return [] }
        held = nil
        return [try Frame.woven(alone, alone)]
    }

    /// Discards the held field.
    mutating func reset() { held = nil }
}

// Lays rectangles of colour over a frame: the picture of subtitles. Works in the frame's own planar or semi-planar YUV, of 8 to 16
// bits, so that what is not covered keeps its bits.
/// A colour as a frame stores it, in 8-bit codes of limited range with fractions: luma 16 to 235, chroma 16 to 240.
public struct FrameColor: Hashable, Sendable {
    /// Luma, and blue and red difference.
    public var luma: Double, blue: Double, red: Double

    /// A colour from its codes.
    public init(luma: Double, blue: Double, red: Double) {
        (self.luma, self.blue, self.red) = (luma, blue, red)
    }
}

/// A rectangle to lay over a frame.
public struct FrameOverlay: Hashable, Sendable {
    /// The place in the frame, in pixels.
    public var x: Int, y: Int, width: Int, height: Int
    /// How much of each pixel is hidden, row by row, 0 to 255.
    public var opacity: [UInt8]
    /// Its colours.
    public var colors: [FrameColor]
    /// The number of each pixel's colour, row by row; empty: all have the first.
    public var indexes: [UInt8]

    /// A rectangle.
    public init(
        x: Int, y: Int, width: Int, height: Int, opacity: [UInt8], colors: [FrameColor], indexes: [UInt8] = []
    ) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
        (self.opacity, self.colors, self.indexes) = (opacity, colors, indexes)
    }

    /// Whether all of it is described, and in a frame of this size.
    fileprivate func fits(_ wide: Int, _ high: Int) -> Bool {
        width > 0 && height > 0 && x >= 0 && y >= 0 && x + width <= wide && y + height <= high
            && opacity.count == width * height && (indexes.isEmpty || indexes.count == opacity.count)
            && Int(indexes.max() ?? 0) < colors.count
    }

}

extension Frame {
    /// Whether frames of a pixel format, by FFmpeg's name, can be drawn on.
    public static func canDraw(on pixelFormat: String) -> Bool {
        guard let layout = unsafe av_pix_fmt_desc_get(av_get_pix_fmt(pixelFormat)) else { return false }
        return unsafe isDrawable(layout.pointee)
    }

    private static func isDrawable(_ layout: AVPixFmtDescriptor) -> Bool {
        let refused = UInt64(
            AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT
                | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM)
        return unsafe layout.flags & refused == 0 && layout.nb_components >= 3
            && (8...16).contains(layout.comp.0.depth)
    }

    /// Lays rectangles over the frame, one after another. A rectangle beyond the frame is an error.
    public func draw(_ overlays: [FrameOverlay]) throws(LibavError) {
        guard !overlays.isEmpty else { return }
        guard let layout = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue: format)),
            unsafe Frame.isDrawable(layout.pointee), overlays.allSatisfy({ $0.fits(width, height) })
        else { throw LibavError("drawing on a frame", cause: "it has another layout, or another size") }
        try LibavError.check(unsafe av_frame_make_writable(pointer), "copying a frame")
        let (across, down) = unsafe (Int(layout.pointee.log2_chroma_w), Int(layout.pointee.log2_chroma_h))
        let (luma, blue, red, alpha) = unsafe layout.pointee.comp
        let hasAlpha = unsafe layout.pointee.nb_components == 4
        for overlay in overlays {
            blend(overlay, luma, 0, 0) { $0.luma }
            blend(overlay, blue, across, down) { $0.blue }
            blend(overlay, red, across, down) { $0.red }
            // 256 is more than the highest code.
            if hasAlpha { blend(overlay, alpha, 0, 0) { _ in 255.999 } }
        }
    }

    /// Blends one component: the value of a subsampled one is that of all pixels it stands for.
    private func blend(
        _ overlay: FrameOverlay, _ component: AVComponentDescriptor, _ across: Int, _ down: Int,
        _ value: (FrameColor) -> Double
    ) {
        let planes = unsafe [
            pointer.pointee.data.0, pointer.pointee.data.1, pointer.pointee.data.2, pointer.pointee.data.3,
        ]
        let strides = unsafe [
            pointer.pointee.linesize.0, pointer.pointee.linesize.1, pointer.pointee.linesize.2,
            pointer.pointee.linesize.3,
        ]
        guard let base = unsafe planes[Int(component.plane)] else { return }
        let stride = Int(strides[Int(component.plane)]), step = Int(component.step)
        let scale = Double(1 << (Int(component.depth) - 8)), shift = Int(component.shift)
        let isWide = component.depth > 8
        let most = Double((1 << Int(component.depth)) - 1)
        let codes = overlay.colors.map { min(most, value($0) * scale) }
        let whole = Double(255 << (across + down))
        for row in (overlay.y >> down)...((overlay.y + overlay.height - 1) >> down) {
            for column in (overlay.x >> across)...((overlay.x + overlay.width - 1) >> across) {
                var hidden = 0.0, sum = 0.0
                for y in max(row << down, overlay.y)..<min((row + 1) << down, overlay.y + overlay.height) {
                    for x in max(
                        column << across, overlay.x)..<min((column + 1) << across, overlay.x + overlay.width)
                    {
                        let pixel = (y - overlay.y) * overlay.width + x - overlay.x
                        let opacity = Double(overlay.opacity[pixel])
                        hidden += opacity
                        sum += opacity * codes[overlay.indexes.isEmpty ? 0 : Int(overlay.indexes[pixel])]
                    }
                }
                guard hidden > 0 else { continue }
                let place = unsafe base + row * stride + column * step + Int(component.offset)
                if isWide {
                    unsafe place.withMemoryRebound(to: UInt16.self, capacity: 1) { sample in
                        let old = unsafe Double(sample.pointee >> shift)
                        let new = (old * (whole - hidden) + sum) / whole
                        unsafe sample.pointee = UInt16(new.rounded()) << shift
                    }
                } else {
                    let new = unsafe (Double(place.pointee) * (whole - hidden) + sum) / whole
                    unsafe place.pointee = UInt8(new.rounded())
                }
            }
        }
    }
}

// Copies the samples of a frame out and in, for code that analyses video and audio itself: small frames, in one plane.
extension Frame {
    /// The bytes of a frame with one plane, row by row without padding; empty for others.
    public var packedBytes: [UInt8] {
        let format = AVPixelFormat(rawValue: format)
        let bytes = Int(av_image_get_linesize(format, Int32(width), 0))
        guard width > 0, height > 0, bytes > 0, av_pix_fmt_count_planes(format) == 1,
            let start = unsafe pointer.pointee.data.0
        else { return [] }
        let stride = Int(unsafe pointer.pointee.linesize.0)
        var all: [UInt8] = []
        all.reserveCapacity(bytes * height)
        for row in 0..<height {
            unsafe all.append(contentsOf: UnsafeBufferPointer(start: start + row * stride, count: bytes))
        }
        return all
    }

    /// A frame with 8-bit RGB.
    /// - Parameter bytes: row by row without padding: three times width times height.
    public static func make(rgb bytes: [UInt8], width: Int, height: Int) throws(LibavError) -> Frame {
        guard width > 0, height > 0, bytes.count == 3 * width * height else {
            throw LibavError("creating a frame", cause: "\(bytes.count) bytes are not \(width)x\(height)")
        }
        let frame = try Frame()
        unsafe frame.pointer.pointee.format = AV_PIX_FMT_RGB24.rawValue
        unsafe frame.pointer.pointee.width = Int32(clamping: width)
        unsafe frame.pointer.pointee.height = Int32(clamping: height)
        unsafe frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
        try LibavError.check(unsafe av_frame_get_buffer(frame.pointer, 0), "allocating a frame")
        guard let start = unsafe frame.pointer.pointee.data.0 else { return frame }
        let stride = Int(unsafe frame.pointer.pointee.linesize.0)
        unsafe bytes.withUnsafeBufferPointer { from in
            for row in 0..<height {
                guard let base = from.baseAddress else { return }
                unsafe (start + row * stride).update(from: base + row * 3 * width, count: 3 * width)
            }
        }
        return frame
    }

    /// Sets the encoding quality, from 1 (best) to 31, for codecs that support it.
    public func setQuality(_ quality: Int) {
        unsafe pointer.pointee.quality = Int32(clamping: quality) * FF_QP2LAMBDA
    }

    /// Mono audio samples from -1 to 1, if stored as floats; empty otherwise.
    public var monoSamples: [Float] {
        guard sampleCount > 0, channels == 1, let data = unsafe pointer.pointee.extended_data[0],
            [AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP].contains(AVSampleFormat(rawValue: format))
        else { return [] }
        let raw = unsafe UnsafeRawPointer(data).assumingMemoryBound(to: Float.self)
        return unsafe Array(UnsafeBufferPointer(start: raw, count: sampleCount))
    }

    /// For each moment, the largest magnitude of all channels' samples, if stored as interleaved floats; empty otherwise.
    public var peakSamples: [Float] {
        let count = channels
        guard sampleCount > 0, count > 0, AVSampleFormat(rawValue: format) == AV_SAMPLE_FMT_FLT,
            let data = unsafe pointer.pointee.extended_data[0]
        else { return [] }
        let raw = unsafe UnsafeRawPointer(data).assumingMemoryBound(to: Float.self)
        let all = unsafe UnsafeBufferPointer(start: raw, count: sampleCount * count)
        return (0..<sampleCount).map { moment in
            var peak: Float = 0
            for channel in 0..<count {
                let value = unsafe abs(all[moment * count + channel])
                // Floats may be infinite, or no number.
                if value > peak, value < 1e6 { peak = value }
            }
            return peak
        }
    }

    /// The samples of each channel, if stored as floats, one channel after another; empty otherwise.
    public var channelSamples: [[Float]] {
        guard sampleCount > 0, AVSampleFormat(rawValue: format) == AV_SAMPLE_FMT_FLTP else { return [] }
        return (0..<channels).compactMap { channel in
            guard let data = unsafe pointer.pointee.extended_data[channel] else { return nil }
            let raw = unsafe UnsafeRawPointer(data).assumingMemoryBound(to: Float.self)
            return unsafe Array(UnsafeBufferPointer(start: raw, count: sampleCount))
        }
    }
}

// Silence where no audio says its format.
extension Frame {
    /// One silent sample in stereo, in the format of AAC encoders.
    public static func silence(rate: Int) throws(LibavError) -> Frame {
        let frame = try Frame()
        unsafe frame.pointer.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        unsafe frame.pointer.pointee.nb_samples = 1
        unsafe frame.pointer.pointee.sample_rate = Int32(clamping: rate)
        unsafe av_channel_layout_default(&frame.pointer.pointee.ch_layout, 2)
        try LibavError.check(unsafe av_frame_get_buffer(frame.pointer, 0), "allocating silence")
        unsafe _ = av_samples_set_silence(
            frame.pointer.pointee.extended_data, 0, 1, 2, AVSampleFormat(rawValue: frame.format))
        return frame
    }
}

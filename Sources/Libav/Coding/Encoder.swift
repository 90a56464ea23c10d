// Encodes frames of one track to packets. Owns its FFmpeg context. Confined to one queue; FFmpeg runs its own threads. Input and
// output times are in the caller's ticks.
internal import CFFmpeg
internal import MediaTime

/// An encoder of one track.
///
/// `@unchecked Sendable`: frames are encoded on one queue. The muxer's reads the parameters, which FFmpeg does not change after
/// opening.
@safe public final class Encoder: @unchecked Sendable {
    private(set) var context: UnsafeMutablePointer<AVCodecContext>
    private let name: String
    /// The HDR light levels it was opened with.
    let light: LightLevels
    private var pass: EncodingPass?
    /// How new memory is cleared on its behalf.
    private var clearing: OpenEncoders.Clearing?
    /// It was sent a frame.
    private var hasFrames = false

    private init(named name: String, light: LightLevels = LightLevels()) throws(LibavError) {
        self.name = name
        self.light = light
        guard let codec = unsafe LibavLookup.encoders[name] else {
            throw LibavError("looking for the encoder \(name)", cause: "this build of FFmpeg has none")
        }
        unsafe context = try LibavError.allocated(avcodec_alloc_context3(codec), "the encoder \(name)")
        // The parameter sets go into the container's header.
        unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    }

    deinit {
        if let clearing { OpenEncoders.end(clearing) }
        // SVT-AV1 1.4 waits for ever when it is closed before it had a frame: it is left to the process, which ends with an error.
        let isOpen = unsafe avcodec_is_open(context) != 0
        if name == "libsvtav1", isOpen, !hasFrames { return }
        if unsafe context.pointee.stats_in != nil { unsafe av_freep(&context.pointee.stats_in) }
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        OpenEncoders.alone(name) {
            unsafe avcodec_free_context(&pointer)
            return 0
        }
    }

    /// Opens a video encoder.
    public convenience init(_ setup: VideoEncoderSetup) throws(LibavError) {
        try self.init(named: setup.encoder, light: setup.light)
        unsafe context.pointee.width = Int32(setup.width)
        unsafe context.pointee.height = Int32(setup.height)
        unsafe context.pointee.pix_fmt = av_get_pix_fmt(setup.pixelFormat)
        unsafe context.pointee.time_base = AVRational(
            num: setup.timebase.numerator, den: setup.timebase.denominator)
        unsafe context.pointee.framerate = AVRational(
            num: Int32(clamping: setup.frameRate.numerator), den: Int32(clamping: setup.frameRate.denominator)
        )
        unsafe context.pointee.sample_aspect_ratio = AVRational(
            num: Int32(clamping: setup.sampleAspect.numerator),
            den: Int32(clamping: setup.sampleAspect.denominator))
        if setup.isInterlaced {
            unsafe context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME
        }
        if !setup.hasGlobalHeader { unsafe context.pointee.flags &= ~AV_CODEC_FLAG_GLOBAL_HEADER }
        unsafe context.pointee.gop_size = Int32(clamping: setup.keyframeInterval)
        unsafe context.pointee.bit_rate = Int64(setup.bitRate)
        unsafe context.pointee.rc_max_rate = Int64(setup.maxBitRate)
        unsafe context.pointee.rc_buffer_size = Int32(clamping: setup.bufferSize)
        unsafe context.pointee.thread_count = Int32(setup.threads)
        unsafe context.pointee.color_range = setup.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        unsafe context.pointee.chroma_sample_location = AVCHROMA_LOC_LEFT
        if let name = setup.primaries {
            unsafe context.pointee.color_primaries = AVColorPrimaries(
                rawValue: number(av_color_primaries_from_name(name)))
        }
        if let name = setup.transfer {
            unsafe context.pointee.color_trc = AVColorTransferCharacteristic(
                rawValue: number(av_color_transfer_from_name(name)))
        }
        if let name = setup.matrix {
            unsafe context.pointee.colorspace = AVColorSpace(rawValue: number(av_color_space_from_name(name)))
        }
        var options = setup.options
        if let start = setup.bufferStart, setup.bufferSize > 0 {
            prepare(bufferStart: start, setup, &options)
        }
        if let pass = setup.pass { try prepare(pass, &options) }
        try open(options, clears: setup.isRepeatable)
    }

    /// Sets how full the decoder's buffer is at the first frame.
    private func prepare(
        bufferStart: Double, _ setup: VideoEncoderSetup, _ options: inout [(String, String)]
    ) {
        let start = min(1, max(0.01, bufferStart))
        switch name {
        case "libx265":
            let index = options.firstIndex { $0.0 == "x265-params" }
            let known = index.map { options.remove(at: $0).1 }
            options.append(
                ("x265-params", ([known].compactMap(\.self) + ["vbv-init=\(start)"]).joined(separator: ":")))
        default:
            unsafe context.pointee.rc_initial_buffer_occupancy = Int32(
                clamping: Int(start * Double(setup.bufferSize)))
        }
    }

    /// Sets the encoder's options for a pass.
    private func prepare(_ pass: EncodingPass, _ options: inout [(String, String)]) throws(LibavError) {
        self.pass = pass
        switch name {
        case "libx265":
            let words = ["pass=\(pass.isFirst ? 1 : 2)", "stats=\(pass.log.file)", "slow-firstpass=0"]
            let index = options.firstIndex { $0.0 == "x265-params" }
            let known = index.map { options.remove(at: $0).1 }
            options.append(("x265-params", ([known].compactMap(\.self) + words).joined(separator: ":")))
        case "libx264", "libvpx", "libvpx-vp9":
            unsafe context.pointee.flags |= pass.isFirst ? AV_CODEC_FLAG_PASS1 : AV_CODEC_FLAG_PASS2
            if name == "libx264" {
                options.append(("stats", pass.log.file))
            } else if !pass.isFirst, let text = pass.log.text {
                unsafe context.pointee.stats_in = try LibavError.allocated(av_strdup(text), "statistics")
            }
        default:
            throw LibavError("opening the encoder \(name)", cause: "it does not encode in two passes")
        }
    }

    /// Opens an audio encoder. Frame times are in samples.
    public convenience init(_ setup: AudioEncoderSetup) throws(LibavError) {
        try self.init(named: setup.encoder)
        unsafe context.pointee.sample_rate = Int32(setup.sampleRate)
        unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(setup.sampleRate))
        unsafe context.pointee.sample_fmt = av_get_sample_fmt(setup.sampleFormat)
        unsafe context.pointee.bit_rate = Int64(setup.bitRate)
        if let bits = setup.bits {
            unsafe context.pointee.bits_per_raw_sample = Int32(clamping: bits)
            // FFmpeg's name for what few players of FLAC decode.
            unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        }
        try LibavError.check(
            unsafe av_channel_layout_from_string(&context.pointee.ch_layout, setup.channelLayout),
            "choosing the channel layout \(setup.channelLayout)")
        // None of them reads memory that it has not written.
        try open(setup.options, clears: false)
    }

    /// - Parameter clears: it gets memory that is always the same.
    private func open(_ entries: [(String, String)], clears: Bool) throws(LibavError) {
        if clears {
            let needed = OpenEncoders.Clearing(for: name)
            OpenEncoders.begin(needed)
            clearing = needed
        }
        var options = OptionDictionary(entries)
        let code = OpenEncoders.alone(name) { unsafe avcodec_open2(context, nil, &options.pointer) }
        try LibavError.check(code, "opening the encoder \(name)")
        guard options.leftOver.isEmpty else {
            throw LibavError(
                "opening the encoder \(name)",
                cause: "it has no option \(options.leftOver.joined(separator: ", "))")
        }
        // libvorbis changes it later, on the encoding queue: its first packet gives no samples.
        priming = Int(unsafe context.pointee.initial_padding)
    }

    /// An enumeration's value from a name that may be unknown (2 is "unspecified" in all of them).
    private func number(_ code: Int32) -> UInt32 { code >= 0 ? UInt32(code) : 2 }

    /// The initialisation data for decoders: parameter sets.
    public var extradata: [UInt8] {
        unsafe [UInt8](
            UnsafeBufferPointer(start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
    }

    /// Its stream, for a container.
    public func format() throws(LibavError) -> EncodedFormat {
        try unsafe EncodedFormat(context, light: light, priming: priming)
    }

    /// Reorder delay in frames.
    public var reorderDepth: Int { Int(unsafe context.pointee.has_b_frames) }

    /// Samples in an audio frame, except the last; 0: any number.
    public var frameSize: Int { Int(unsafe context.pointee.frame_size) }

    /// Encoder delay in samples before the first one sent, as reported when it was opened.
    public private(set) var priming = 0

    /// Sends a frame; nil marks the end.
    public func send(_ frame: Frame?) throws(LibavError) {
        if frame != nil { hasFrames = true }
        try LibavError.check(unsafe avcodec_send_frame(context, frame?.pointer), "encoding with \(name)")
    }

    /// Ends a first pass after all packets were received: only then are its statistics complete.
    public func endPass() throws(LibavError) {
        // Closing it writes them.
        let empty = try unsafe LibavError.allocated(avcodec_alloc_context3(nil), "an encoder")
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&pointer)
        unsafe context = empty
    }

    /// Receives the next packet; nil if another frame must be sent first, or all have been received.
    public func receive() throws(LibavError) -> Packet? {
        let packet = try Packet()
        let code = unsafe avcodec_receive_packet(context, packet.pointer)
        if code == trim_error_eof, let pass, pass.isFirst, let text = unsafe text(context.pointee.stats_out) {
            pass.log.text = text
        }
        if code == trim_error_again || code == trim_error_eof { return nil }
        try LibavError.check(code, "encoding with \(name)")
        LibavPulse.beat()
        return packet
    }

    /// Whether this build has an encoder.
    public static func exists(_ name: String) -> Bool { unsafe LibavLookup.encoders[name] != nil }

    /// Whether an encoder can use more than one thread.
    public static func usesThreads(_ name: String) -> Bool {
        guard let codec = unsafe LibavLookup.encoders[name] else { return false }
        let threads = AV_CODEC_CAP_FRAME_THREADS | AV_CODEC_CAP_SLICE_THREADS | AV_CODEC_CAP_OTHER_THREADS
        return unsafe codec.pointee.capabilities & threads != 0
    }

    /// The sample rates an encoder supports; empty: any.
    public static func sampleRates(of name: String) -> [Int] {
        guard let codec = unsafe LibavLookup.encoders[name],
            let list = unsafe trim_codec_sample_rates(codec)
        else { return [] }
        var rates: [Int] = []
        while unsafe list[rates.count] != 0 { unsafe rates.append(Int(list[rates.count])) }
        return rates
    }

    /// The preferred sample format of an encoder.
    public static func sampleFormat(of name: String) -> String {
        guard let codec = unsafe LibavLookup.encoders[name],
            let list = unsafe trim_codec_sample_formats(codec)
        else { return "fltp" }
        let preferred = [AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP]
        var index = 0
        while unsafe list[index] != AV_SAMPLE_FMT_NONE {
            // Decoders of lossy codecs output floating point, and so do converters.
            if unsafe preferred.contains(list[index]) {
                return unsafe text(av_get_sample_fmt_name(list[index])) ?? "fltp"
            }
            index += 1
        }
        return unsafe text(av_get_sample_fmt_name(list[0])) ?? "fltp"
    }

    /// The sample formats an encoder supports, by FFmpeg's names.
    public static func sampleFormats(of name: String) -> [String] {
        guard let codec = unsafe LibavLookup.encoders[name],
            let list = unsafe trim_codec_sample_formats(codec)
        else { return [] }
        var formats: [String] = []
        while unsafe list[formats.count] != AV_SAMPLE_FMT_NONE {
            formats.append(unsafe text(av_get_sample_fmt_name(list[formats.count])) ?? "none")
        }
        return formats
    }

    /// The channel layouts an encoder supports, by FFmpeg's names; empty: any.
    public static func channelLayouts(of name: String) -> [String] {
        guard let codec = unsafe LibavLookup.encoders[name],
            let list = unsafe trim_codec_channel_layouts(codec)
        else { return [] }
        var layouts: [String] = []
        while unsafe list[layouts.count].nb_channels > 0 {
            unsafe layouts.append(describe(&UnsafeMutablePointer(mutating: list)[layouts.count]))
        }
        return layouts
    }
}

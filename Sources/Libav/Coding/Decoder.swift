// Turns the packets of one track into frames in presentation order. Owns its FFmpeg context. Lives on one queue; its
// own threads are FFmpeg's. Knows no time but the track's ticks, and chooses nothing: frames before a cut point come
// out like all others.
internal import CFFmpeg
public import MediaTime

/// A decoder of one track.
@safe public final class Decoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let name: String
    /// Puts fields together, and what it has put together.
    private var weaver: FieldWeaver?
    private var woven: [Frame] = []
    private var isDrained = false
    private let counter = ErrorCounter()

    /// Errors that the decoder has logged so far. Some of them are none: that pictures are missing to which those behind the
    /// beginning might have referred.
    public var errors: Int { counter.errors }
    /// Pictures of which the decoder has made something up so far, also where the frame is not marked.
    public var concealments: Int { counter.concealments }

    /// Opens a decoder.
    /// - Parameters:
    ///   - threads: of FFmpeg's; 0 lets it choose.
    ///   - transparent: the pictures have alpha, and it is wanted.
    ///   - reorderDepth: pictures that must be held back to bring all into order, where the stream does not say.
    ///   - isBottomFirst: each picture of the stream is a field, and two of them make a frame, of which the bottom one comes first, or
    ///     the top one; nil: pictures are given as they are coded.
    ///   - x264Build: the build of x264 that the stream's first picture names, whose faults H.264 is decoded with.
    public init(
        _ parameters: CodecParameters, timebase: Timebase, threads: Int, transparent: Bool = false,
        reorderDepth: Int = 0, isBottomFirst: Bool? = nil, x264Build: Int? = nil
    ) throws(LibavError) {
        let id = unsafe parameters.pointer.pointee.codec_id
        let name = unsafe text(avcodec_get_name(id)) ?? "unknown"
        self.name = name
        weaver = isBottomFirst.map(FieldWeaver.init)
        // FFmpeg's own decoders of VP8 and VP9 do not see the alpha that lies beside the picture.
        let better = transparent ? ["vp8": "libvpx", "vp9": "libvpx-vp9"][name] : nil
        let wanted = unsafe better.flatMap { unsafe avcodec_find_decoder_by_name($0) }
        guard let codec = unsafe wanted ?? avcodec_find_decoder(id) else {
            throw LibavError("looking for a decoder of \(name)", code: trim_error_decoder_not_found)
        }
        guard LibavLimits.decoders.contains(unsafe text(codec.pointee.name) ?? "") else {
            throw LibavError("decoding \(name)", cause: "it is not among the codecs that trimd decodes")
        }
        let size = unsafe (
            Int64(parameters.pointer.pointee.width), Int64(parameters.pointer.pointee.height)
        )
        guard size.0 * size.1 <= LibavLimits.pixels else {
            throw LibavError(
                "decoding \(name)", cause: "pictures of \(size.0)x\(size.1) are larger than 16384x16384")
        }
        unsafe context = try LibavError.allocated(avcodec_alloc_context3(codec), "a decoder of \(name)")
        try LibavError.check(
            unsafe avcodec_parameters_to_context(context, parameters.pointer),
            "setting up the decoder of \(name)")
        unsafe context.pointee.pkt_timebase = AVRational(num: timebase.numerator, den: timebase.denominator)
        unsafe context.pointee.opaque = unsafe counter.opaque
        unsafe context.pointee.max_pixels = LibavLimits.pixels
        unsafe context.pointee.thread_count = Int32(threads)
        if unsafe context.pointee.has_b_frames < Int32(reorderDepth) {
            unsafe context.pointee.has_b_frames = Int32(reorderDepth)
        }
        let build = x264Build.flatMap { name == "h264" ? [("x264_build", "\($0)")] : nil }
        var options = OptionDictionary(build ?? [])
        try LibavError.check(
            unsafe avcodec_open2(context, codec, &options.pointer), "opening the decoder of \(name)")
    }

    /// Processors FFmpeg may use.
    public static let processors = Int(av_cpu_count())

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&pointer)
    }

    /// What came of a packet.
    public enum Sending: Sendable {
        /// Taken.
        case taken
        /// Frames must be received first.
        case full
        /// The packet is damaged; decoding can go on.
        case damaged(LibavError)
    }

    /// Pictures that no others need are passed over: those of packets that are given while this holds.
    public var skipsUnreferenced: Bool {
        get { unsafe context.pointee.skip_frame == AVDISCARD_NONREF }
        set { unsafe context.pointee.skip_frame = newValue ? AVDISCARD_NONREF : AVDISCARD_DEFAULT }
    }

    /// Gives a packet; nil says that no more follow.
    public func send(_ packet: Packet?) throws(LibavError) -> Sending {
        let code = unsafe avcodec_send_packet(context, packet?.pointer)
        if code >= 0 || (packet == nil && code == trim_error_eof) { return .taken }
        if code == trim_error_again { return .full }
        if code == trim_averror(12) { throw LibavError("decoding \(name)", code: code) }
        return .damaged(LibavError("decoding \(name)", code: code))
    }

    /// Forgets the pictures it was given, to go on elsewhere in the stream. What it has learnt of the encoder stays.
    public func flush() {
        unsafe avcodec_flush_buffers(context)
        weaver?.reset()
        (woven, isDrained) = ([], false)
    }

    /// What there was to receive.
    public enum Receiving: Sendable {
        /// The frame was filled.
        case frame
        /// A packet must be sent first.
        case needsInput
        /// All frames have been received.
        case ended
        /// A packet was damaged; decoding can go on.
        case damaged(LibavError)
    }

    /// Receives the next frame in presentation order.
    public func receive(into frame: Frame) throws(LibavError) -> Receiving {
        guard weaver != nil else { return try receivePicture(into: frame) }
        while woven.isEmpty {
            if isDrained { return .ended }
            let picture = try Frame()
            switch try receivePicture(into: picture) {
            case .frame: woven = try weaver?.take(picture) ?? []
            case .ended:
                woven = try weaver?.rest() ?? []
                isDrained = true
            case let other: return other
            }
        }
        frame.take(woven.removeFirst())
        return .frame
    }

    private func receivePicture(into frame: Frame) throws(LibavError) -> Receiving {
        let code = unsafe avcodec_receive_frame(context, frame.pointer)
        if code >= 0 {
            LibavPulse.beat()
            return .frame
        }
        if code == trim_error_again { return .needsInput }
        if code == trim_error_eof { return .ended }
        if code == trim_averror(12) { throw LibavError("decoding \(name)", code: code) }
        return .damaged(LibavError("decoding \(name)", code: code))
    }
}

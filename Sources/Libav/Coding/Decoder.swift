// Decodes the packets of one track to frames in presentation order. Owns its FFmpeg context. Confined to one queue; FFmpeg runs
// its own threads. Knows only the track's ticks and selects nothing: it also returns frames before a cut point.
internal import CFFmpeg
public import MediaTime

/// A decoder of one track.
@safe public final class Decoder {
    private var context: UnsafeMutablePointer<AVCodecContext>
    private let name: String
    /// Of the decoder that is open, where another one is opened when a packet tells other initialisation data; nil: it follows them.
    private var parameters: CodecParameters?
    /// Of the track.
    private let own: CodecParameters
    /// Of the decoder that is open, where the last packet carried some; nil: those of the track.
    private var form: PacketForm?
    /// Turns frames as the form says.
    private var turning: (shape: FrameShape, turn: Int, filters: FilterGraph)?
    /// It was given packets: one that tells initialisation data begins a stream of its own.
    private var isFed = false
    /// Frames of the decoder before, and what it could not decode.
    private var rest: [Frame] = []
    private var restDamage: [LibavError] = []
    /// See `init`.
    private let isTransparent: Bool
    private let reorderDepth: Int
    private let x264Build: Int?
    /// Joins fields to frames.
    private var weaver: FieldWeaver?
    private var woven: [Frame] = []
    private var isDrained = false
    private let log = DecoderLog()
    /// Number of packets sent so far.
    public private(set) var packets = 0
    /// See `init`.
    private let keepsLast: Bool
    private var isDraining = false
    /// A frame was returned: those that are shown after it decode.
    private var hasRecovered = false

    /// Number of errors the decoder has logged. Some are harmless: missing references of frames after the start position.
    public var errors: Int { log.errors }

    /// Number of packets that are sent after one before its result is returned; of packets with several frames it may be fewer.
    public var delay: Int {
        let threads = Int(unsafe context.pointee.thread_count)
        if unsafe context.pointee.active_thread_type & FF_THREAD_FRAME != 0 { return max(0, threads - 1) }
        // It decodes several frames at once by itself: so many, unless it is told otherwise.
        guard unsafe text(context.pointee.codec.pointee.name) == "libdav1d", threads > 1 else { return 0 }
        return min(8, Int(Double(threads).squareRoot().rounded(.up)))
    }

    /// Returns the lines that the decoder has logged since the last call, by the number of the packet, from 0, in the order of their sending.
    ///
    /// All that concerns the packets up to that of a received frame is logged before the frame is returned.
    public func takeReports() -> [DecoderReport] { log.take() }

    /// Opens a decoder.
    /// - Parameters:
    ///   - threads: FFmpeg's threads; 0 lets it choose.
    ///   - transparent: the video has alpha, and it is wanted.
    ///   - reorderDepth: reorder delay in frames, where the stream does not give it.
    ///   - isBottomFirst: each picture of the stream is a field, and two make a frame; says whether the bottom one comes first;
    ///     nil: pictures are returned as coded.
    ///   - keepsLast: returns the last frames although few follow the recovery point where decoding began. FFmpeg 5.1 marks frames
    ///     as recovered when an earlier one is returned, but no more at the end of the stream; the first frame there without the
    ///     mark ends it.
    ///   - x264Build: the x264 build named in the stream's first picture, whose bugs H.264 decoding works around.
    public init(
        _ parameters: CodecParameters, timebase: Timebase, threads: Int, transparent: Bool = false,
        reorderDepth: Int = 0, isBottomFirst: Bool? = nil, keepsLast: Bool = false, x264Build: Int? = nil
    ) throws(LibavError) {
        let id = unsafe parameters.pointer.pointee.codec_id
        let name = unsafe text(avcodec_get_name(id)) ?? "unknown"
        self.name = name
        self.keepsLast = keepsLast && name == "h264"
        isTransparent = transparent
        (self.reorderDepth, self.x264Build) = (reorderDepth, x264Build)
        weaver = isBottomFirst.map(FieldWeaver.init)
        // FFmpeg's VP8 and VP9 decoders ignore alpha, which is stored separately.
        let better = transparent ? ["vp8": "libvpx", "vp9": "libvpx-vp9"][name] : nil
        let wanted = unsafe better.flatMap { unsafe avcodec_find_decoder_by_name($0) }
        guard let codec = unsafe wanted ?? LibavLookup.decoders[id.rawValue] else {
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
                "decoding \(name)", cause: "frames of \(size.0)x\(size.1) are larger than 16384x16384")
        }
        self.parameters = Decoder.reopened.contains(id) ? parameters : nil
        own = parameters
        unsafe context = try LibavError.allocated(avcodec_alloc_context3(codec), "a decoder of \(name)")
        try LibavError.check(
            unsafe avcodec_parameters_to_context(context, parameters.pointer),
            "setting up the decoder of \(name)")
        unsafe context.pointee.pkt_timebase = AVRational(num: timebase.numerator, den: timebase.denominator)
        unsafe context.pointee.opaque = unsafe log.opaque(for: 0)
        unsafe context.pointee.max_pixels = LibavLimits.pixels
        // Threads that decode slices of MPEG-1 and MPEG-2 miss damage that one thread finds, and leave it as it is.
        let divides = name == "mpeg1video" || name == "mpeg2video"
        unsafe context.pointee.thread_count = divides ? 1 : Int32(threads)
        if unsafe context.pointee.has_b_frames < Int32(reorderDepth) {
            unsafe context.pointee.has_b_frames = Int32(reorderDepth)
        }
        let build = x264Build.flatMap { name == "h264" ? [("x264_build", "\($0)")] : nil }
        var options = OptionDictionary(build ?? [])
        try LibavError.check(
            unsafe avcodec_open2(context, codec, &options.pointer), "opening the decoder of \(name)")
    }

    /// Codecs whose decoders read their initialisation data when they are opened, and never again.
    static let reopened: Set<AVCodecID> = [
        AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS, AV_CODEC_ID_THEORA, AV_CODEC_ID_SPEEX,
    ]

    /// Opens another decoder where a packet is of another codec, or tells other initialisation data; the frames that the one before has are
    /// returned first.
    private func follow(_ packet: Packet) throws(LibavError) {
        if form.map({ !$0.isCarried(by: packet) }) ?? packet.isForeign {
            let next = try packet.form()
            try reopen(next?.parameters() ?? own, isForeign: next != nil)
            form = next
        }
        guard let old = parameters, let header = packet.newHeader else { return }
        let new = try old.withExtradata(header)
        guard isFed || new.decodingHeader != old.decodingHeader else { return }
        try reopen(new, isForeign: form != nil)
    }

    /// Opens another decoder in the place of this one, whose frames are kept.
    /// - Parameter isForeign: the parameters are not those of the track.
    private func reopen(_ new: CodecParameters, isForeign: Bool) throws(LibavError) {
        try drain()
        let next = try Decoder(
            new,
            timebase: unsafe Timebase(
                numerator: context.pointee.pkt_timebase.num, denominator: context.pointee.pkt_timebase.den)
                ?? .microseconds, threads: Int(unsafe context.pointee.thread_count),
            transparent: isTransparent, reorderDepth: isForeign ? Decoder.deepest(new) : reorderDepth,
            x264Build: isForeign ? nil : x264Build)
        unsafe next.context.pointee.skip_frame = unsafe context.pointee.skip_frame
        unsafe next.context.pointee.skip_loop_filter = unsafe context.pointee.skip_loop_filter
        unsafe swap(&context, &next.context)
        unsafe swap(&context.pointee.opaque, &next.context.pointee.opaque)
        parameters = next.parameters
        (isFed, hasRecovered) = (false, false)
    }

    /// The frames by which any stream of a codec may be reordered: where H.264 does not say it, FFmpeg finds it out while frames are lost.
    private static func deepest(_ parameters: CodecParameters) -> Int {
        unsafe parameters.pointer.pointee.codec_id == AV_CODEC_ID_H264 ? 16 : 0
    }

    /// Takes what the open decoder still has.
    private func drain() throws(LibavError) {
        if keepsLast, form == nil { unsafe context.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT }
        var isEnding = false
        for _ in 0..<Decoder.most {
            if !isEnding {
                let code = unsafe avcodec_send_packet(context, nil)
                isEnding = code != trim_error_again
                if code < 0, code != trim_error_again, code != trim_error_eof { try note(code) }
            }
            let frame = try Frame()
            let code = unsafe avcodec_receive_frame(context, frame.pointer)
            if code >= 0 {
                if keepsLast, form == nil, !hasRecovered, !frame.isIntraKey { continue }
                hasRecovered = true
                try turn(frame)
                rest.append(frame)
            } else if code == trim_error_eof || code == trim_error_again && isEnding {
                return
            } else if code != trim_error_again {
                try note(code)
            }
        }
    }

    /// More than this are no frames and errors that a decoder has at its end.
    private static let most = 512

    /// Notes what the decoder that is replaced could not decode.
    private func note(_ code: Int32) throws(LibavError) {
        let error = LibavError("decoding \(name)", code: code)
        if code == trim_averror(12) { throw error }
        restDamage.append(error)
    }

    /// Turns a frame, where the film that it is of is turned otherwise than its track.
    private func turn(_ frame: Frame) throws(LibavError) {
        guard let turn = form?.turn, turn != 0 else { return }
        let shape = frame.shape
        if turning?.shape != shape || turning?.turn != turn {
            let chain = turn == 90 ? "transpose=clock" : turn == 180 ? "hflip,vflip" : "transpose=cclock"
            turning = (
                shape, turn,
                try FilterGraph(chain: chain, shape: shape, timebase: FilterGraph.frameNumbers, threads: 1)
            )
        }
        try turning?.filters.send(try frame.reference())
        guard let turned = try turning?.filters.receive() else {
            throw LibavError("turning a frame", cause: "the filters returned no frame")
        }
        frame.take(turned)
    }

    /// Number of CPUs FFmpeg may use.
    public static var processors: Int { LibavThreads.limit ?? LibavThreads.available }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&pointer)
    }

    /// The parameters of what was returned last.
    public func found() throws(LibavError) -> CodecParameters { try unsafe CodecParameters(context: context) }

    /// The result of sending a packet.
    public enum Sending: Sendable {
        /// Accepted.
        case taken
        /// Frames must be received first.
        case full
        /// The packet is damaged; decoding can continue.
        case damaged(LibavError)
    }

    /// Skips non-reference frames in packets sent while this is true.
    public var skipsUnreferenced: Bool {
        get { unsafe context.pointee.skip_frame == AVDISCARD_NONREF }
        set { unsafe context.pointee.skip_frame = newValue ? AVDISCARD_NONREF : AVDISCARD_DEFAULT }
    }

    /// Reads the headers of packets sent while this is true, and decodes no frame.
    public var skipsFrames: Bool {
        get { unsafe context.pointee.skip_frame == AVDISCARD_ALL }
        set { unsafe context.pointee.skip_frame = newValue ? AVDISCARD_ALL : AVDISCARD_DEFAULT }
    }

    /// Leaves the loop filter out, a sixth of the work: for frames at which nobody looks, and whose damage it does not hide.
    public var skipsLoopFilter: Bool {
        get { unsafe context.pointee.skip_loop_filter == AVDISCARD_ALL }
        set { unsafe context.pointee.skip_loop_filter = newValue ? AVDISCARD_ALL : AVDISCARD_DEFAULT }
    }

    /// Sends a packet; nil marks the end.
    public func send(_ packet: Packet?) throws(LibavError) -> Sending {
        if packet == nil, keepsLast {
            isDraining = true
            unsafe context.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT
        }
        if let packet {
            try follow(packet)
            unsafe context.pointee.opaque = unsafe log.opaque(for: packets)
        }
        isFed = true
        let code = unsafe avcodec_send_packet(context, packet?.pointer)
        if packet != nil, code != trim_error_again { packets += 1 }
        if code >= 0 || (packet == nil && code == trim_error_eof) { return .taken }
        if code == trim_error_again { return .full }
        if code == trim_averror(12) { throw LibavError("decoding \(name)", code: code) }
        return .damaged(LibavError("decoding \(name)", code: code))
    }

    /// Discards buffered frames, to continue elsewhere in the stream. Information about the encoder is kept.
    public func flush() {
        unsafe avcodec_flush_buffers(context)
        (rest, restDamage, isFed) = ([], [], false)
        if isDraining { unsafe context.pointee.flags &= ~AV_CODEC_FLAG_OUTPUT_CORRUPT }
        (isDraining, hasRecovered) = (false, false)
        weaver?.reset()
        (woven, isDrained) = ([], false)
    }

    /// The result of receiving.
    public enum Receiving: Sendable {
        /// The frame was filled.
        case frame
        /// A packet must be sent first.
        case needsInput
        /// All frames have been received.
        case ended
        /// A packet was damaged; decoding can continue.
        case damaged(LibavError)
    }

    /// Receives the next frame in presentation order.
    public func receive(into frame: Frame) throws(LibavError) -> Receiving {
        guard weaver != nil else { return try receiveDecoded(into: frame) }
        while woven.isEmpty {
            if isDrained { return .ended }
            let decoded = try Frame()
            switch try receiveDecoded(into: decoded) {
            case .frame: woven = try weaver?.take(decoded) ?? []
            case .ended:
                woven = try weaver?.rest() ?? []
                isDrained = true
            case let other: return other
            }
        }
        frame.take(woven.removeFirst())
        return .frame
    }

    private func receiveDecoded(into frame: Frame) throws(LibavError) -> Receiving {
        if !rest.isEmpty {
            frame.take(rest.removeFirst())
            return .frame
        }
        if !restDamage.isEmpty { return .damaged(restDamage.removeFirst()) }
        var code = unsafe avcodec_receive_frame(context, frame.pointer)
        if keepsLast {
            while code >= 0, !hasRecovered, !frame.isIntraKey, isDraining {
                code = unsafe avcodec_receive_frame(context, frame.pointer)
            }
            if code >= 0 { hasRecovered = true }
        }
        if code >= 0 {
            LibavPulse.beat()
            try turn(frame)
            return .frame
        }
        if code == trim_error_again { return .needsInput }
        if code == trim_error_eof { return .ended }
        if code == trim_averror(12) { throw LibavError("decoding \(name)", code: code) }
        return .damaged(LibavError("decoding \(name)", code: code))
    }
}

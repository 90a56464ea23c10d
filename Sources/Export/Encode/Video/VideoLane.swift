// Encodes video: decodes and selects, filters, and encodes, each stage on its own queue with bounded queues between them. Owns
// its demuxer, decoder, filter graph and encoder; each is confined to one queue.
internal import Libav
internal import Media
internal import MediaTime
internal import Synchronization

/// The encoding of the video track.
final class VideoLane: Lane {
    /// A frame with its position on the output timeline.
    struct Element: Sendable {
        var frame: Frame
        /// In ticks of the output.
        var pts: Int64, duration: Int64
    }

    let track: Track
    let opening = LaneQueue<LaneOpening>(capacity: 1)
    /// Encoders delay packets and return several at once; this capacity keeps them from waiting for the muxer.
    let packets = LaneQueue<Packet>(capacity: 16)
    let plan: VideoPlan
    let origin: Time
    let segments: Segments
    let source: SourceFile
    let strict: Bool
    let diagnostics: Diagnostics
    /// Packets of the current part.
    let reading = Mutex<BoundedQueue<Packet, MediaError>?>(nil)
    /// Decoded frames are large: one waits while one is processed.
    let decoded = BoundedQueue<Element, MediaError>(capacity: 1)
    let filtered = BoundedQueue<Element, MediaError>(capacity: 1)
    let color = Mutex<VideoFilterChain?>(nil)
    /// HDR light levels from the container.
    let stored = Mutex(LightLevels())

    init(_ plan: VideoPlan, of whole: ExportPlan, source: SourceFile, strict: Bool, diagnostics: Diagnostics)
    {
        self.plan = plan
        track = plan.track
        (origin, segments) = (whole.origin, whole.segments)
        self.source = source
        self.strict = strict
        self.diagnostics = diagnostics
    }

    func start() {
        Stage.start("video.decode") { [self] () throws(MediaError) in
            try decode()
        } failed: { [decoded] in
            decoded.end($0)
        }
        Stage.start("video.filter") { [self] () throws(MediaError) in
            try filter()
        } failed: { [filtered, decoded] in
            decoded.abandon()
            filtered.end($0)
        }
        Stage.start("video.encode") { [self] () throws(MediaError) in
            try encode()
        } failed: { [opening, packets, filtered] in
            filtered.abandon()
            packets.end($0)
            opening.end($0)
        }
    }

    func abandon() {
        packets.abandon()
        filtered.abandon()
        decoded.abandon()
        reading.withLock { $0 }?.abandon()
    }

    // MARK: Encoding

    private func encode() throws(MediaError) {
        var encoder: VideoEncoder?
        while let element = try filtered.receive() {
            let current: VideoEncoder
            if let encoder { current = encoder } else { current = try open(like: element.frame) }
            encoder = current
            if element.frame.hasCaptions, plan.settings.encoder != "libx264" { warnOfCaptions() }
            guard try push(element, to: current) else { return filtered.abandon() }
        }
        if let encoder { _ = try push(nil, to: encoder) }
        opening.end()
        packets.end()
    }

    /// FFmpeg passes captions only to x264.
    private func warnOfCaptions() {
        diagnostics.warn(
            Warning(
                .captionsLost,
                "the video has closed captions, which \(plan.settings.encoder) does not write; H.264 presets and passthrough keep them",
                track: track.index))
    }

    private func open(like first: Frame) throws(MediaError) -> VideoEncoder {
        let chain = color.withLock { $0 }
        // The light levels in the frames hold as long as they stay HDR.
        let light =
            chain?.keepsHDR == true ? first.light.completed(by: stored.withLock { $0 }) : LightLevels()
        let made = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try VideoEncoder(plan, color: chain, light: light)
        }
        var result = TrackResult(
            index: 0, source: track.index, kind: .video, codec: plan.settings.codec, way: .encode,
            actual: TimeSpan(start: segments.start, end: segments.end ?? segments.start))
        (result.width, result.height) = (plan.width, plan.height)
        if plan.pass != nil { result.passes = 2 }
        _ = opening.send(
            LaneOpening(coding: .encoder(made.encoder), timebase: plan.timebase, track: track, result: result)
        )
        return made
    }

    /// Encodes one frame, or flushes; false when the receiver takes no more packets.
    private func push(_ element: Element?, to encoder: VideoEncoder) throws(MediaError) -> Bool {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try encoder.send(element)
            for packet in encoder.take() { guard packets.send(packet) else { return false } }
            return true
        }
    }
}

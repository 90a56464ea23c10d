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
    private let plan: VideoPlan
    private let origin: Time
    private let segments: Segments
    private let source: SourceFile
    private let strict: Bool
    private let diagnostics: Diagnostics
    /// Packets of the current part.
    private let reading = Mutex<BoundedQueue<Packet, MediaError>?>(nil)
    /// Decoded frames are large: one waits while one is processed.
    private let decoded = BoundedQueue<Element, MediaError>(capacity: 1)
    private let filtered = BoundedQueue<Element, MediaError>(capacity: 1)
    private let color = Mutex<VideoFilterChain?>(nil)
    /// HDR light levels from the container.
    private let stored = Mutex(LightLevels())

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

    // MARK: Decoding

    private func decode() throws(MediaError) {
        // One grid for the whole output, if there is one.
        var grid = plan.gridPeriod.map { period in
            FrameGrid(
                period: period,
                end: segments.length.map { plan.timebase.ticks(of: $0, rounding: .halfAwayFromZero).ticks })
        }
        for segment in segments.all { guard try decode(segment, &grid) else { break } }
        decoded.end()
    }

    /// Decodes one part; false when the receiver takes no more frames.
    private func decode(_ segment: Segment, _ grid: inout FrameGrid?) throws(MediaError) -> Bool {
        let (first, begun) = try VideoStart(
            source: source, track: track, origin: origin, start: segment.start, diagnostics: diagnostics
        ).find()
        let read = BoundedQueue<Packet, MediaError>(capacity: 16)
        reading.withLock { $0 = read }
        stored.withLock { $0 = begun.light }
        let reader = Slot(begun.reader)
        Stage.start("video.demux") { [diagnostics] () throws(MediaError) in
            try reader.take()?.readAll(into: read, diagnostics)
            read.end()
        } failed: {
            read.end($0)
        }
        defer { read.abandon() }

        var timeline = FrameTimeline<Frame>(
            segment, timebase: plan.timebase, cadence: plan.cadence)
        var clock = FrameClock(track: track, origin: origin, rate: plan.track.video?.frameRate)
        var isGoing = true
        func show(_ placed: FrameTimeline<Frame>.Placed) throws(LibavError) {
            let places =
                grid?.places(pts: placed.pts, duration: placed.duration) ?? [(placed.pts, placed.duration)]
            for (index, place) in places.enumerated() where isGoing {
                // A repeated frame shares its buffers.
                let frame = index + 1 < places.count ? try placed.payload.reference() : placed.payload
                isGoing = decoded.send(Element(frame: frame, pts: place.pts, duration: place.duration))
            }
        }
        func take(_ frame: Frame) throws(LibavError) {
            let (time, duration) = clock.time(of: frame)
            if let placed = timeline.offer(frame, at: time, duration: duration) { try show(placed) }
        }
        if let time = first.first?.bestEffort.map({ track.timebase.time(ofTicks: $0) - origin }) {
            warnWhereNothingDecodes(from: segment.start, before: time)
        }
        for damage in begun.damage { try tell(damage, in: segment) }
        for frame in first where frame.isDamaged {
            try tell(.concealed(at: time(frame.bestEffort)), in: segment)
        }
        try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            for frame in first { try take(frame) }
        }
        let decoder = begun.decoder
        var watch = begun.watch
        var isFlushing = begun.isFlushing
        while isGoing, !timeline.isDone {
            let packet = isFlushing ? nil : try read.receive()
            if packet == nil, isFlushing { break }
            isFlushing = packet == nil
            if let packet { watch.give(at: time(packet.pts), isKey: packet.isKey) { false } }
            var damage: [Damage?] = []
            try media(.decodeFailed, track: track.index) { () throws(LibavError) in
                if case .damaged(let error) = try decoder.send(packet) {
                    damage.append(watch.damage(error, of: decoder))
                }
                damage += try drain(decoder, &watch) { frame throws(LibavError) in
                    try take(frame)
                    return isGoing && !timeline.isDone
                }
            }
            damage.append(watch.logged(by: decoder))
            for case let one? in damage { try tell(one, in: segment) }
        }
        if isGoing, let placed = timeline.finish() {
            try media(.decodeFailed, track: track.index) { () throws(LibavError) in try show(placed) }
        }
        if timeline.cutsFirstFrame {
            diagnostics.warn(
                Warning(
                    .firstFrameCut,
                    "the start falls inside a frame: the first frame is shorter than the others; --snap frame moves it to the frame's beginning",
                    time: segment.start, track: track.index))
        }
        if timeline.outOfOrder > 0 {
            diagnostics.warn(
                Warning(
                    .timestamps, "\(timeline.outOfOrder) frames have the time of another and are left out",
                    track: track.index))
        }
        return isGoing
    }

    /// A stream that was cut after its first keyframe shows nothing at first.
    private func warnWhereNothingDecodes(from start: Time, before time: Time) {
        let begins = max(track.start ?? .zero, start)
        guard time - begins > Time(1, 1000) else { return }
        diagnostics.warn(
            Warning(
                .damagedMedia,
                "the frames from \(begins.clock()) to \(time.clock()) cannot be decoded and are missing: there is no keyframe before them",
                time: begins, track: track.index))
    }

    /// Receives frames until the decoder needs input, or `body` returns false.
    /// - Returns: damage.
    private func drain(
        _ decoder: Decoder, _ watch: inout DamageWatch, _ body: (Frame) throws(LibavError) -> Bool
    ) throws(LibavError) -> [Damage?] {
        var damage: [Damage?] = []
        while true {
            // A decoded frame is large: it stays in the decoder until the next stage has room for it.
            decoded.waitForPlace()
            let frame = try Frame()
            switch try decoder.receive(into: frame) {
            case .frame:
                if frame.isDamaged { damage.append(.concealed(at: time(frame.bestEffort))) }
                if try !body(frame) { return damage }
            case .needsInput, .ended: return damage
            case .damaged(let error): damage.append(watch.damage(error, of: decoder))
            }
        }
    }

    private func time(_ ticks: Int64?) -> Time? {
        ticks.map { track.timebase.time(ofTicks: $0) - origin }
    }

    /// Reports damage in the range. A frame that began earlier may be on screen in it.
    private func tell(_ damage: Damage, in segment: Segment) throws(MediaError) {
        let usual = track.video?.frameRate?.reciprocal.map {
            Time($0.numerator, Int32(clamping: $0.denominator))
        }
        if let time = damage.time {
            guard time + (usual ?? .zero) > segment.start, segment.end.map({ time < $0 }) ?? true else {
                return
            }
        }
        if strict { throw damage.error(track: track.index) }
        diagnostics.warn(damage.warning(track: track.index))
    }

    // MARK: Filtering

    private func filter() throws(MediaError) {
        var graph: FilterGraph?
        var shape: FrameShape?
        var places: [Int64: (pts: Int64, duration: Int64)] = [:]
        var count: Int64 = 0
        // Filters receive the frame number as time, so that none can round the time.
        let numbers = Timebase(perSecond: 25) ?? .seconds

        func pass(_ graph: FilterGraph) throws(LibavError) -> Bool {
            while true {
                filtered.waitForPlace()
                guard let frame = try graph.receive() else { return true }
                let number = graph.outputTimebase.rescale(
                    frame.pts ?? 0, to: numbers, rounding: .halfAwayFromZero)
                guard let place = places.removeValue(forKey: number) else { continue }
                frame.becomeProgressive()
                if let colour = color.withLock({ $0 }) {
                    frame.setColor(
                        primaries: colour.primaries, transfer: colour.transfer, matrix: colour.matrix)
                }
                guard filtered.send(Element(frame: frame, pts: place.pts, duration: place.duration)) else {
                    return false
                }
            }
        }
        while let element = try decoded.receive() {
            let goesOn = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                if shape != element.frame.shape {
                    if let old = graph {
                        try old.send(nil)
                        guard try pass(old) else { return false }
                    }
                    graph = try build(for: element.frame.shape, isFirst: shape == nil, timebase: numbers)
                    shape = element.frame.shape
                }
                guard let graph else { return false }
                places[count] = (element.pts, element.duration)
                element.frame.pts = count
                count += 1
                try graph.send(element.frame)
                return try pass(graph)
            }
            guard goesOn else { return decoded.abandon() }
        }
        if let graph {
            _ = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                try graph.send(nil)
                return try pass(graph)
            }
        }
        filtered.end()
    }

    private func build(for shape: FrameShape, isFirst: Bool, timebase: Timebase) throws(LibavError)
        -> FilterGraph
    {
        let chain = VideoFilterChain(plan, shape: shape)
        if isFirst {
            color.withLock { $0 = chain }
        } else {
            diagnostics.warn(
                Warning(
                    .shapeChanged,
                    "the frame size or pixel format changes; all frames are converted to the first one's",
                    track: track.index))
        }
        if chain.isToneMapped {
            diagnostics.warn(
                Warning(
                    .toneMapped, "HDR video was tone-mapped to 8-bit SDR", track: track.index)
            )
        }
        return try FilterGraph(chain: chain.filters, shape: shape, timebase: timebase, threads: 0)
    }

    // MARK: Encoding

    private func encode() throws(MediaError) {
        var encoder: ImageEncoder?
        while let element = try filtered.receive() {
            let current: ImageEncoder
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

    private func open(like first: Frame) throws(MediaError) -> ImageEncoder {
        let chain = color.withLock { $0 }
        // The light levels in the frames hold as long as they stay HDR.
        let light =
            chain?.keepsHDR == true ? first.light.completed(by: stored.withLock { $0 }) : LightLevels()
        let made = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try ImageEncoder(plan, color: chain, light: light)
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
    private func push(_ element: Element?, to encoder: ImageEncoder) throws(MediaError) -> Bool {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try encoder.send(element)
            for packet in encoder.take() { guard packets.send(packet) else { return false } }
            return true
        }
    }
}

/// Assigns asset times to decoded frames; computes times and durations that frames lack from earlier frames.
struct FrameClock {
    private let track: Track
    private let origin: Time
    private let usual: Time
    private var next: Time?

    init(track: Track, origin: Time, rate: Ratio?) {
        self.track = track
        self.origin = origin
        usual =
            rate.flatMap(\.reciprocal).map { Time($0.numerator, Int32(clamping: $0.denominator)) }
            ?? Time(1, 25)
    }

    /// Returns a frame's first moment and its duration.
    mutating func time(of frame: Frame) -> (Time, Time) {
        let duration = frame.packetDuration > 0 ? track.timebase.time(ofTicks: frame.packetDuration) : usual
        let time = frame.bestEffort.map { track.timebase.time(ofTicks: $0) - origin } ?? next ?? .zero
        next = time + duration
        return (time, duration)
    }
}

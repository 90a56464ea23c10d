// Pictures of a range whose middle is taken over as stored and whose ends are encoded again, in one track. Works through
// head, copied span and tail in turn on one queue; every presentation time comes from the source, every decoding time is
// made anew for the whole output. Owns its demuxers, decoders and encoders.
internal import Libav
internal import Media
internal import MediaTime

/// What the plan says of a video track that is not encoded as a whole.
struct SpliceTrackPlan: Sendable {
    /// The source track.
    var track: Track
    /// Seconds per tick of the output.
    var timebase: Timebase
    /// What is copied and what encoded.
    var plan: SplicePlan
    /// `copy` or `smart`.
    var way: RenderMode
    /// Pictures decoders hold back in the output, where more than the plan saw is known to be needed.
    var delay: Int
}

extension SpliceTrackPlan {
    /// One line for a job's log.
    var summary: String {
        var parts: [String] = []
        if let head = plan.head { parts.append("\(head.frames) encoded") }
        if let copy = plan.copy {
            parts.append("copied from \(copy.first) to \(copy.stop.map { "\($0)" } ?? "end")")
        }
        if let tail = plan.tail { parts.append("\(tail.frames) encoded") }
        if let obstacle = plan.obstacle { parts.append(obstacle.rawValue) }
        return
            "track \(track.index) \(track.codec): \(parts.joined(separator: ", ")); delay \(max(delay, plan.delay)), ticks \(timebase)"
    }
}

/// A video track that is copied, with encoded ends where it must.
final class SpliceLane: Lane {
    let track: Track
    let opening = Handoff<LaneOpening>(capacity: 1)
    let packets = Handoff<Packet>(capacity: 64)
    private let plan: SpliceTrackPlan
    private let range: (origin: Time, start: Time, end: Time?)
    private let container: FileType
    private let source: SourceFile
    private let notes: Notes

    init(_ plan: SpliceTrackPlan, of whole: ExportPlan, source: SourceFile, notes: Notes) {
        self.plan = plan
        track = plan.track
        range = (whole.origin, whole.start, whole.end)
        container = whole.fileType
        self.source = source
        self.notes = notes
    }

    func start() {
        Stage.start("video.splice") { [self] () throws(MediaError) in
            try work()
        } failed: { [opening, packets] in
            packets.end($0)
            opening.end($0)
        }
    }

    func abandon() { packets.abandon() }

    private func work() throws(MediaError) {
        let splice = plan.plan
        let reader = try splice.copy.map { copy throws(MediaError) in
            try TrackReader.open(
                source, track: track, origin: range.origin,
                at: track.timebase.time(ofTicks: copy.first) - range.origin, back: .zero)
        }
        let format = try SpliceFormat(
            source: source, track: track, fileType: container, plan: plan)
        open(format)
        var out = SpliceOutput(
            times: DecodingTimes(
                delay: max(plan.delay, format.delay), step: usualStep, first: max(0, ticks(splice.firstFrame))
            ),
            packets: packets)
        if track.timebase.time(ofTicks: splice.firstFrame) - range.origin < range.start {
            notes.warn(
                Warning(
                    "firstFrameCut",
                    "the start falls inside a frame: the first frame is shorter than the others; --snap frame moves it to the frame's beginning",
                    time: range.start, track: track.index))
        }
        if let head = splice.head { try encode(head, format, &out) }
        if let copy = splice.copy, let reader { try self.copy(copy, reader, format, &out) }
        if let tail = splice.tail { try encode(tail, format, &out) }
        try out.finish(end: range.end.map { min(ticks(of: $0), out.end) } ?? out.end)
        opening.end()
        packets.end()
    }

    private func open(_ format: SpliceFormat) {
        var result = TrackResult(
            index: 0, source: track.index, kind: .video, codec: track.codec, way: plan.way,
            actual: TimeSpan(start: range.start, end: range.end ?? range.start))
        (result.width, result.height) = (track.video?.width, track.video?.height)
        result.scheme = format.scheme
        _ = opening.send(
            LaneOpening(
                coding: .stored(format.parameters), timebase: plan.timebase, track: track, result: result))
    }

    // MARK: The copied span

    private func copy(
        _ copy: SplicePlan.Copy, _ first: TrackReader, _ format: SpliceFormat, _ out: inout SpliceOutput
    ) throws(MediaError) {
        let reader = try begin(copy, first)
        var packet: Packet? = reader.packet
        while let sample = packet {
            guard let pts = sample.pts else { throw changed("a sample has no time") }
            if pts == copy.stop { return }
            // Pictures that lead the first sample are in the head, where they are shown at all.
            if pts >= copy.first {
                let isFirst = pts == copy.first
                let duration = sample.duration
                try format.adapt(sample, isFirstAfterEdge: isFirst && plan.plan.head != nil)
                sample.becomePlain()
                let from = max(0, ticks(pts))
                guard
                    try out.send(
                        sample, pts: from, duration: max(1, ticks(pts + max(1, duration)) - from),
                        isCopied: true)
                else { return }
            }
            let next = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
            packet = reader.reader.read(into: next, notes) ? next : nil
        }
        if copy.stop != nil { throw changed("the file ends before the copied part does") }
    }

    /// The reader at the first sample to be copied, which it has read.
    private func begin(_ copy: SplicePlan.Copy, _ first: TrackReader) throws(MediaError) -> (
        reader: TrackReader, packet: Packet
    ) {
        let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
        var reader = first
        for back in LookBack.pictures {
            var later = 0
            while reader.read(into: packet, notes) {
                guard let pts = packet.pts else { continue }
                if pts == copy.first { return (reader, packet) }
                // Sixteen pictures may be held back; so many later ones say that it is behind.
                later += pts > copy.first ? 1 : 0
                if later > SpliceFault.deepest { break }
            }
            reader = try TrackReader.open(
                source, track: track, origin: range.origin,
                at: track.timebase.time(ofTicks: copy.first) - range.origin, back: back)
        }
        throw changed("the first copied sample is not found again")
    }

    private func changed(_ why: String) -> MediaError {
        MediaError(
            .spliceFailed, "track \(track.index) cannot be copied: \(why)", track: track.index,
            remedy: "use --render encode")
    }

    // MARK: The encoded ends

    private func encode(_ edge: SplicePlan.Edge, _ format: SpliceFormat, _ out: inout SpliceOutput)
        throws(MediaError)
    {
        let from = track.timebase.time(ofTicks: edge.from) - range.origin
        let to = edge.to.map { track.timebase.time(ofTicks: $0) - range.origin }
        let encoder = try format.edge()
        var timeline = FrameTimeline<Frame>(
            start: range.start, end: to ?? range.end, timebase: plan.timebase, cadence: .all)
        var clock = FrameClock(track: track, origin: range.origin, rate: track.video?.frameRate)
        var failure: MediaError?
        var sent = out
        func give(_ placed: FrameTimeline<Frame>.Placed?) {
            guard let placed, failure == nil else { return }
            do throws(MediaError) {
                for packet in try encoder.encode(placed.payload, pts: placed.pts, duration: placed.duration) {
                    _ = try sent.send(
                        packet, pts: packet.pts ?? 0, duration: packet.duration, isCopied: false)
                }
            } catch { failure = error }
        }
        try EdgeDecoder(source: source, track: track, origin: range.origin, notes: notes).decode(from: from) {
            frame in
            let (time, duration) = clock.time(of: frame)
            guard time >= from else { return true }
            give(timeline.offer(frame, at: time, duration: duration))
            return failure == nil && !timeline.isDone
        }
        if !timeline.isDone { give(timeline.finish()) }
        if let failure { throw failure }
        for packet in try encoder.finish() {
            _ = try sent.send(packet, pts: packet.pts ?? 0, duration: packet.duration, isCopied: false)
        }
        out = sent
    }

    // MARK: Times

    private var usualStep: Int64 {
        let rate = track.video?.frameRate?.value ?? 25
        return max(1, Int64((Double(plan.timebase.denominator) / max(rate, 0.01)).rounded()))
    }

    /// A time of the track on the output's timeline.
    private func ticks(_ pts: Int64) -> Int64 {
        ticks(of: track.timebase.time(ofTicks: pts) - range.origin)
    }

    private func ticks(of time: Time) -> Int64 {
        plan.timebase.ticks(of: time - range.start, rounding: .halfAwayFromZero).ticks
    }
}

/// Gives packets their decoding times on the way out, and closes the table of times at the end.
struct SpliceOutput {
    private var times: DecodingTimes
    private let packets: Handoff<Packet>
    /// Held back: the last packet must close the table.
    private var held: Packet?
    private var lead: Int64?
    /// The latest end of a picture, in ticks of the output.
    private(set) var end: Int64 = 0
    private var lastShown: Int64 = 0

    init(times: DecodingTimes, packets: Handoff<Packet>) {
        self.times = times
        self.packets = packets
    }

    /// False where nobody wants packets any more.
    mutating func send(_ packet: Packet, pts: Int64, duration: Int64, isCopied: Bool) throws(MediaError)
        -> Bool
    {
        do throws(DecodingTimes.DelayTooSmall) {
            packet.dts = try times.next(pts: pts)
        } catch {
            throw SpliceFault.reordering.error
        }
        packet.pts = pts
        packet.duration = duration
        packet.isCopied = isCopied
        end = max(end, pts + duration)
        lastShown = max(lastShown, pts)
        if lead == nil, let dts = packet.dts { lead = pts - dts }
        defer { held = packet }
        return held.map { packets.send($0) } ?? true
    }

    /// Sends the last packet. Readers take the sum of the table's steps for the track's length, from decoding time to
    /// decoding time: the last step makes the sum come out.
    mutating func finish(end: Int64) throws(MediaError) {
        guard let packet = held, let pts = packet.pts, let dts = packet.dts, let lead else { return }
        held = nil
        if pts + packet.duration > end || pts == lastShown { packet.duration = max(1, end - pts) }
        let target = end - lead
        if pts < lastShown { packet.duration = min(max(1, target - dts), end - pts) }
        if dts + packet.duration < target { packet.dts = max(dts, min(pts, target - packet.duration)) }
        _ = packets.send(packet)
    }
}

// Copies the middle of a range and joins it with its encoded head and tail, in one video track. Sends head, copied span and tail in
// turn on one queue, while others encode the heads and tails ahead; presentation times come from the source, decoding times are
// computed for the whole output. Owns its demuxers, decoders and encoders.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source
internal import Synchronization

/// A video track that is copied, with encoded head and tail where needed.
final class SmartTrimLane: SingleStageLane {
    let track: Track
    let opening = LaneQueue<LaneOpening>(capacity: 1)
    let packets = LaneQueue<Packet>(capacity: 64, reuses: true)
    let plan: SmartTrimTrackPlan
    let origin: Time
    private let segments: Segments
    private let container: FileType
    let source: SourceFile
    let strict: Bool
    let diagnostics: Diagnostics
    let recordedFrames: HeadTailFrames
    /// The runs of the source that the output is given; nil: none.
    private let runs: StoredRuns?
    /// While heads and tails are encoded, and what is between them is copied.
    private let encoded = Mutex<EncodedSpans?>(nil)

    /// Whether it copies, and nothing is left to encode.
    var isOnlyCopying: Bool { encoded.withLock { $0?.areFinished ?? false } }

    /// - Parameters:
    ///   - strict: damage in the range is an error.
    ///   - recordedFrames: records the source frames of the encoded head and tail.
    ///   - runs: of the source that the output is given, so that they need not be read; nil: none.
    init(
        _ plan: SmartTrimTrackPlan, of whole: ExportPlan, source: SourceFile, strict: Bool,
        diagnostics: Diagnostics,
        recordedFrames: HeadTailFrames, runs: StoredRuns? = nil
    ) {
        self.recordedFrames = recordedFrames
        self.runs = runs
        self.strict = strict
        self.plan = plan
        track = plan.track
        (origin, segments) = (whole.origin, whole.segments)
        container = whole.fileType
        self.source = source
        self.diagnostics = diagnostics
    }

    var stage: String { "video.splice" }

    func work() throws(MediaError) {
        // Frames that end before the range are not affected.
        if let end = track.editEnd, end <= segments.start {
            opening.end()
            packets.end()
            return
        }
        let format = try SmartTrimFormat(source: source, track: track, fileType: container, plan: plan)
        open(format)
        var spans = begin(format)
        defer {
            spans.encoded.abandon()
            // Its threads hold this lane.
            encoded.withLock { $0 = nil }
        }
        guard let first = plan.parts.first, let last = plan.parts.last else { return }
        let earliest = first.plan.copy.flatMap { $0.hides ? ticks($0.first, in: first.segment) : nil }
        var out = SmartTrimOutput(
            times: DecodingTimes(
                delay: max(plan.delay, format.delay), step: usualStep,
                first: earliest
                    ?? max(start(of: first.segment), ticks(first.plan.firstFrame, in: first.segment))),
            packets: packets, hasTimes: !container.countsFrames)
        for (index, part) in plan.parts.enumerated() {
            guard try smartTrim(part, format, &spans, isFirst: index == 0, &out) else {
                return opening.end()
            }
        }
        guard !out.isEmpty else {
            throw MediaError(
                .undecodableMediaData,
                "no frame of track \(track.index) in the range decodes: there is no keyframe before them",
                time: segments.start, track: track.index,
                remedy: "choose a later start; trimctl probe --keyframes lists where decoding can begin")
        }
        let end = last.segment.end.map { ticks(of: $0, in: last.segment) }
        let hides = last.plan.copy?.hides == true
        let own = last.plan.reachesEnd ? .max : out.end
        out.finish(end: hides ? out.end : end.map { min($0, own) } ?? out.end)
        opening.end()
        packets.end()
    }

    /// Starts to encode the heads and tails.
    private func begin(_ format: SmartTrimFormat) -> Spans {
        let all = plan.parts.flatMap { part in
            [part.plan.head, part.plan.tail].compactMap(\.self).map { (span: $0, segment: part.segment) }
        }
        let pixels = (track.video?.width ?? 0) * (track.video?.height ?? 0)
        let atOnce = EncodedSpans.atOnce(all.count, pixels: pixels, processors: Decoder.processors)
        // Spans that are all encoded at once end at different times, and the last ones use what the others leave: of head and tail of
        // one range, the tail is often a few frames. Where others wait for their turn, they use it.
        let threads = all.count > atOnce ? max(1, Decoder.processors / atOnce) : Decoder.processors
        let found = all.map { _ in Diagnostics(besides: diagnostics) }
        let encoded = EncodedSpans(all.count) { [self] (index, send) throws(MediaError) in
            try encode(all[index].span, all[index].segment, format, threads: threads, found[index], send)
        }
        self.encoded.withLock { $0 = encoded }
        encoded.start(atOnce: atOnce)
        return Spans(encoded: encoded, found: found)
    }

    /// Heads and tails that are being encoded, in the order of the output.
    private struct Spans {
        let encoded: EncodedSpans
        /// The warnings of each.
        let found: [Diagnostics]
        /// The next to send.
        var next = 0
        /// The samples between them that are not read; nil: not asked for yet.
        var unread: [Range<Int64>]?
    }

    /// Spares a reader, before it reads, the samples that the output is given and that nothing here looks at. Of a source that lies on
    /// a disk, most is never read then.
    private func leaveUnread(_ reader: TrackReader, _ format: SmartTrimFormat, _ spans: inout Spans) {
        guard let runs, CloneDecision.isStored(track), format.leavesDependentSamples, !reader.looksAtSamples
        else { return }
        let unread = spans.unread ?? runs.within(reader.demuxer.dependentPlaces(of: track.index))
        spans.unread = unread
        reader.demuxer.omit(unread)
    }

    /// Sends the next head or tail; false: the receiver takes no more.
    private func send(_ spans: inout Spans, _ out: inout SmartTrimOutput) throws(MediaError) -> Bool {
        let index = spans.next
        spans.next += 1
        // In the order of the output, whichever was encoded first.
        defer { diagnostics.merge(spans.found[index].counted) }
        return try spans.encoded.receive(index) { packet in
            out.send(packet, pts: packet.pts ?? 0, duration: packet.duration, isCopied: false)
        }
    }

    /// Sends a part; false: the receiver takes no more.
    private func smartTrim(
        _ part: SmartTrimTrackPlan.Part, _ format: SmartTrimFormat, _ spans: inout Spans, isFirst: Bool,
        _ out: inout SmartTrimOutput
    ) throws(MediaError) -> Bool {
        let (segment, smartTrim) = (part.segment, part.plan)
        if track.timebase.time(ofTicks: smartTrim.firstFrame) - origin < segment.start {
            diagnostics.warn(
                Warning(
                    .firstFrameCut,
                    "the start falls inside a frame: the first frame is shorter than the others; --snap frame moves it to the frame's beginning",
                    time: segment.start, track: track.index))
        }
        if smartTrim.head != nil, try !send(&spans, &out) { return false }
        if let copy = smartTrim.copy {
            let reader = try TrackReader.open(
                source, track: track, origin: origin,
                at: track.timebase.time(ofTicks: copy.first) - origin, back: .zero, staysInFilm: true)
            leaveUnread(reader, format, &spans)
            let isAfterOther = !isFirst || smartTrim.head != nil
            guard try self.copy(copy, part, reader, format, isAfterOther: isAfterOther, &out) else {
                return false
            }
        }
        guard smartTrim.tail != nil else { return true }
        return try send(&spans, &out)
    }

    private func open(_ format: SmartTrimFormat) {
        var result = TrackResult(
            index: 0, source: track.index, kind: .video, codec: track.codec, way: plan.way,
            actual: TimeSpan(start: segments.start, end: segments.end ?? segments.start))
        (result.width, result.height) = (track.video?.width, track.video?.height)
        result.scheme = format.scheme
        _ = opening.send(
            LaneOpening(
                coding: .stored(format.parameters), timebase: plan.timebase, track: track, result: result))
    }

    // MARK: The copied span

    private func copy(
        _ copy: SmartTrimPlan.Copy, _ part: SmartTrimTrackPlan.Part, _ first: TrackReader,
        _ format: SmartTrimFormat,
        isAfterOther: Bool, _ out: inout SmartTrimOutput
    ) throws(MediaError) -> Bool {
        let (segment, shown) = (part.segment, part.plan.firstFrame)
        let end = segment.end.map { ticks(of: $0, in: segment) } ?? .max
        let reader = try begin(copy, first)
        var packet: Packet? = reader.packet
        var leading = 0
        var hasBegun = false
        let hasSeams = copy.stop == nil && !source.editSeams(of: track.index).isEmpty
        while let sample = packet {
            guard let pts = sample.pts else { throw changed("a sample has no time") }
            if pts == copy.stop { return true }
            // The next part of the edit list is decoded from it.
            if hasSeams, hasBegun, sample.isDiscarded, sample.isKey { return true }
            // Leading pictures of the first sample are in the head if they are shown at all.
            if pts >= copy.first {
                hasBegun = true
                let duration = sample.duration
                try format.adapt(sample, isFirstAfterOther: pts == copy.first && isAfterOther)
                try renumber(sample, isFirst: pts == copy.first, without: &leading)
                try media(.outOfMemory, track: track.index) { () throws(LibavError) in
                    try sample.becomePlain()
                }
                // The first frame is shown from the in point, whenever it began. Hidden samples keep their distance.
                var from =
                    pts < shown
                    ? ticks(pts, in: segment) : max(start(of: segment), ticks(pts, in: segment))
                // Two frames cannot begin at one tick; the one before lasts less than half a tick.
                if pts == copy.first, part.plan.head != nil, from == start(of: segment) { from += 1 }
                // Without an edit list, a frame of less than half a tick is shown for one tick.
                sample.isHidden = pts < shown || (from >= end && container.hasEditLists)
                let time = track.timebase.time(ofTicks: pts) - origin
                let own =
                    (duration > 0
                        ? ticks(pts + duration, in: segment)
                        : ticks(of: time + track.usualLength(at: time), in: segment)) - from
                // Only hidden samples go past the out point; shown frames fill the range up to it.
                let isLast = pts == part.plan.lastFrame
                let length = sample.isHidden ? own : isLast ? end - from : min(own, end - from)
                guard out.send(sample, pts: from, duration: max(1, length), isCopied: true) else {
                    return false
                }
            }
            let next = try emptyPacket()
            packet = reader.reader.read(into: next, diagnostics) ? next : nil
        }
        guard copy.stop != nil else { return true }
        // Where the file is truncated, the output ends with the last sample available.
        guard let last = reader.reader.broken else {
            throw changed("the file ends before the copied part does")
        }
        if strict { throw Damage("the file breaks off", at: last).error(track: track.index) }
        return true
    }

    /// Counts the frames of a group of MPEG-2 without its leading ones, which are not copied: FFmpeg's muxer of MXF makes the order of
    /// frames in its index from their numbers.
    /// - Parameter count: leading frames of the present group.
    private func renumber(
        _ sample: Packet, isFirst: Bool, without count: inout Int
    ) throws(MediaError) {
        guard container == .mxf, track.videoCodec is MPEG12Codec.Type, isFirst || count > 0 else { return }
        let bytes = sample.bytes
        if isFirst {
            count = MPEG12Codec.accessUnit(bytes[...], framing: .annexB).temporalReference ?? 0
        } else if MPEG12Codec.beginsGroup(bytes) {
            count = 0
        }
        guard count > 0 else { return }
        let other = MPEG12Codec.renumbered(bytes, without: count)
        try media(.outOfMemory, track: track.index) { () throws(LibavError) in try sample.replaceBytes(other)
        }
    }

    /// Returns the reader at the first sample to copy, which it has already read.
    private func begin(_ copy: SmartTrimPlan.Copy, _ first: TrackReader) throws(MediaError) -> (
        reader: TrackReader, packet: Packet
    ) {
        let packet = try emptyPacket()
        var reader = first
        for back in LookBack.video {
            var later = 0
            while reader.read(into: packet, diagnostics) {
                guard let pts = packet.pts else { continue }
                if pts == copy.first { return (reader, packet) }
                // Up to 16 frames may be reordered; that many later ones mean the reader is past it.
                later += pts > copy.first ? 1 : 0
                if later > ReorderDepth.deepest { break }
            }
            reader = try TrackReader.open(
                source, track: track, origin: origin,
                at: track.timebase.time(ofTicks: copy.first) - origin, back: back, staysInFilm: true)
        }
        throw changed("the first copied sample is not found again")
    }

    private func changed(_ why: String) -> MediaError {
        MediaError(
            .spliceFailed, "track \(track.index) cannot be copied: \(why)", track: track.index,
            remedy: "use --render encode")
    }

    // MARK: Times

    private var usualStep: Int64 {
        let length = track.video?.usualLength ?? Time(1, 25)
        return max(1, plan.timebase.ticks(of: length, rounding: .halfAwayFromZero).ticks)
    }

    /// Maps a time of the track to the output timeline.
    func ticks(_ pts: Int64, in segment: Segment) -> Int64 {
        ticks(of: track.timebase.time(ofTicks: pts) - origin, in: segment)
    }

    func ticks(of time: Time, in segment: Segment) -> Int64 {
        plan.timebase.ticks(of: segment.output(time), rounding: .halfAwayFromZero).ticks
    }

    func start(of segment: Segment) -> Int64 { ticks(of: segment.start, in: segment) }
}

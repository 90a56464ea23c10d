// Exports one subtitle track: reads from before the in point, cuts events to the range, and writes them in the container's form.
// Owns its demuxer and codecs; confined to one queue. Opens the track when its first event is known, so that a track with nothing
// in the range is left out.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// One subtitle track.
final class TextLane: SingleStageLane {
    let track: Track
    let opening = LaneQueue<LaneOpening>(capacity: 1)
    let packets = LaneQueue<Packet>(capacity: 64)
    private let plan: TextPlan
    private let origin: Time
    /// The parts, the last of which may have no end.
    private let segments: Segments
    /// Where video and audio end.
    private let end: Time?
    private let timebase: Timebase
    private let source: SourceFile
    private let diagnostics: Diagnostics

    /// How far back to search for events in containers without a subtitle index, where reading everything would take too long.
    private static let lookBack = Time(600, 1)
    /// Maximum number of bytes read before the in point to find events that reach into the range.
    private static let affordable: Int64 = 2 << 30

    init(_ plan: TextPlan, of whole: ExportPlan, source: SourceFile, diagnostics: Diagnostics) {
        self.plan = plan
        track = plan.track
        (origin, segments, end) = (whole.origin, whole.segments, whole.passthrough.mediaEnd)
        // The movie timescale: the finest of all its tracks, in which FFmpeg's muxer compares them.
        timebase =
            whole.fileType.fixedTimebase ?? Timebase(perSecond: Int(whole.movieTimescale)) ?? .milliseconds
        self.source = source
        self.diagnostics = diagnostics
    }

    var stage: String { "text.\(track.index)" }

    func work() throws(MediaError) {
        switch plan.way {
        case .screens: try copyScreens(try reader(at: segments.start))
        case .copy, .convert: try writeText()
        }
        opening.end()
        packets.end()
    }

    /// A movie's index finds the sample shown at a time.
    private var hasIndex: Bool { track.codecTag != nil && track.samples != nil }

    /// A reader that begins far enough before a time to find what is shown then.
    private func reader(at start: Time) throws(MediaError) -> TrackReader {
        let back: Time = hasIndex ? .zero : isAffordable(start) ? .positiveInfinity : TextLane.lookBack
        return try TrackReader.open(source, track: track, origin: origin, at: start, back: back)
    }

    /// Whether this much of the file may be read for text alone.
    private func isAffordable(_ length: Time) -> Bool {
        let bytes = end.map { $0.seconds > 0 ? Double(source.size) * length.seconds / $0.seconds : 0 } ?? 0
        return bytes < Double(TextLane.affordable)
    }

    /// Parts that are read together: all of them where that is little, otherwise each separately.
    private var groups: [[Segment]] {
        let hull = segments.hull
        let isLittle = hasIndex || hull.end.map { isAffordable($0 - hull.start) } ?? true
        return isLittle ? [segments.all] : segments.all.map { [$0] }
    }

    /// An event's time in output ticks; may precede the part's start.
    private func ticks(_ time: Int64, in segment: Segment) -> Int64 {
        timebase.ticks(
            of: segment.output(track.timebase.time(ofTicks: time) - origin), rounding: .halfAwayFromZero
        ).ticks
    }

    /// Where a part ends: no later than video and audio.
    private func stop(of segment: Segment) -> Time? { [segment.end, end].compactMap(\.self).min() }

    /// A part's start and end in output ticks; the end is never rounded up.
    private func limits(of segment: Segment) -> (first: Int64, end: Int64) {
        (
            timebase.ticks(of: segment.at, rounding: .halfAwayFromZero).ticks,
            stop(of: segment).map {
                timebase.ticks(of: segment.output($0), rounding: .towardNegativeInfinity).ticks
            } ?? .max
        )
    }

    // MARK: Text

    /// An event in ticks of the track; without an end it lasts as long as possible.
    private struct Event {
        var start: Int64
        var end: Int64?
        var payload: TextPayload
    }

    private func writeText() throws(MediaError) {
        var reader = try self.reader(at: groups.first?.map(\.start).min() ?? .zero)
        let parameters = try stored(reader)
        let decoder: SubtitleDecoder?
        let encoder: SubtitleEncoder?
        if case .convert(let codec) = plan.way {
            let reading = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
                try SubtitleDecoder(
                    try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase)
            }
            decoder = reading
            encoder = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                try SubtitleEncoder(codec, header: reading.header)
            }
        } else {
            (decoder, encoder) = (nil, nil)
        }
        let writer = try TextWriter(self, plan, parameters, encoder)
        func write(_ event: Event, _ segment: Segment) throws(MediaError) -> Bool {
            let (first, limit) = limits(of: segment)
            let start = ticks(event.start, in: segment)
            let end = event.end.map { ticks($0, in: segment) } ?? limit
            guard end > first, start < limit else { return true }
            return try writer.event(max(start, first), min(end, limit), event.payload)
        }
        if segments.all.count == 1, let only = segments.all.first {
            guard
                try read(
                    reader, decoder, upTo: stop(of: only),
                    { (event) throws(MediaError) in try write(event, only) })
            else { return }
        } else {
            for (index, group) in groups.enumerated() {
                if index > 0 { reader = try self.reader(at: group.map(\.start).min() ?? .zero) }
                // Parts may be in any order; their text takes little memory.
                var events: [Event] = []
                let last = group.contains { stop(of: $0) == nil } ? nil : group.compactMap(stop).max()
                _ = try read(reader, decoder, upTo: last) { event in
                    events.append(event)
                    return true
                }
                for segment in group {
                    for event in events { guard try write(try own(event), segment) else { return } }
                }
            }
        }
        try writer.finish()
    }

    /// A copy of the event with its own packet, if it has one.
    private func own(_ event: Event) throws(MediaError) -> Event {
        guard case .bytes(let packet) = event.payload else { return event }
        var event = event
        event.payload = .bytes(
            try media(.outOfMemory, track: track.index) { () throws(LibavError) in try packet.copy() })
        return event
    }

    /// Reads the events that begin before a time, in asset time, while `body` returns true; returns false once it does not.
    private func read(
        _ reader: TrackReader, _ decoder: SubtitleDecoder?, upTo end: Time?,
        _ body: (Event) throws(MediaError) -> Bool
    ) throws(MediaError) -> Bool {
        // An event without a duration is shown until the next one.
        var waiting: Event?
        while true {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard reader.read(into: packet, diagnostics) else { break }
            guard let pts = packet.pts else { continue }
            if var known = waiting {
                waiting = nil
                known.end = pts
                guard try body(known) else { return false }
            }
            if let end, track.timebase.time(ofTicks: pts) - origin >= end { break }
            let payload: TextPayload
            if let decoder {
                let lines = decoder.lines(of: packet)
                if lines.isEmpty { continue }
                payload = .lines(lines)
            } else {
                // Two bytes for empty text: a gap in a movie's track.
                if plan.isContinuous, packet.size <= 2 { continue }
                payload = .bytes(packet)
            }
            if packet.duration > 0 {
                guard try body(Event(start: pts, end: pts &+ packet.duration, payload: payload)) else {
                    return false
                }
            } else {
                waiting = Event(start: pts, end: nil, payload: payload)
            }
        }
        return try waiting.map { (event) throws(MediaError) in try body(event) } ?? true
    }

    // MARK: Bitmaps and captions

    private func copyScreens(_ reader: TrackReader) throws(MediaError) {
        guard let segment = segments.all.first else { return }
        let limit = limits(of: segment).end
        func ticks(_ time: Int64) -> Int64 { self.ticks(time, in: segment) }
        let parameters = try stored(reader)
        var screen = SubtitlesOnScreen(codec: track.codec)
        var isOpen = false
        func send(_ packet: Packet, _ start: Int64) -> Bool {
            if !isOpen {
                isOpen = true
                open(parameters, isCopy: true)
            }
            if packet.duration > 0 {
                let end = min(ticks((packet.pts ?? 0) &+ packet.duration), limit)
                packet.duration = max(0, end - start)
            }
            (packet.pts, packet.dts) = (start, start)
            packet.isCopied = true
            return packets.send(packet)
        }
        func begin() throws(MediaError) -> Bool {
            let old = try media(.outOfMemory) { () throws(LibavError) in try screen.shown(at: 0) }
            return old.allSatisfy { send($0, 0) }
        }
        var hasBegun = false
        while true {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard reader.read(into: packet, diagnostics) else { break }
            guard let pts = packet.pts else { continue }
            let start = ticks(pts)
            guard start < limit else { break }
            if start <= 0 {
                screen.take(packet, until: packet.duration > 0 ? ticks(pts &+ packet.duration) : nil)
                continue
            }
            if !hasBegun {
                hasBegun = true
                guard try begin() else { return }
            }
            guard send(packet, start) else { return }
        }
        if !hasBegun { _ = try begin() }
    }

    // MARK: Opening

    private func stored(_ reader: TrackReader) throws(MediaError) -> CodecParameters {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(
                try CodecParameters(reader.demuxer, track: track.index), extradata: nil, tag: nil)
        }
    }

    /// Opens the track once there is something in the range.
    func open(_ parameters: CodecParameters, isCopy: Bool) {
        let result = TrackResult(
            index: 0, source: track.index, kind: .subtitle, codec: plan.codec, way: isCopy ? .copy : .encode,
            actual: TimeSpan(
                start: segments.start, end: segments.all.last.flatMap(stop) ?? segments.start))
        _ = opening.send(
            LaneOpening(coding: .stored(parameters), timebase: timebase, track: track, result: result))
    }
}

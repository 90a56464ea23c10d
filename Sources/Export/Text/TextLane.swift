// One track of subtitles on its way: read from before the in point, events cut to the range, written as the container wants
// them. Owns its demuxer and its codecs; lives on one queue. The track is opened when its first event is known, so that a
// track with nothing in the range is left out.
internal import Libav
internal import Media
internal import MediaTime

/// One track of subtitles.
final class TextLane: SingleStageLane {
    let track: Track
    let opening = Handoff<LaneOpening>(capacity: 1)
    let packets = Handoff<Packet>(capacity: 64)
    private let plan: TextPlan
    private let range: (origin: Time, start: Time, end: Time?)
    private let timebase: Timebase
    private let source: SourceFile
    private let notes: Notes

    /// Events of containers without an index for them are looked for so far back where reading all would take too long.
    private static let lookBack = Time(600, 1)
    /// Bytes before the in point that are read to look for events that reach into the range.
    private static let affordable: Int64 = 2 << 30

    init(_ plan: TextPlan, of whole: ExportPlan, source: SourceFile, notes: Notes) {
        self.plan = plan
        track = plan.track
        range = (whole.origin, whole.segments.start, whole.carry.end)
        // The movie's own ticks: the finest of all its tracks', in which FFmpeg's muxer compares them with one another.
        timebase =
            whole.fileType.fixedTimebase ?? Timebase(perSecond: Int(whole.movieTimescale)) ?? .milliseconds
        self.source = source
        self.notes = notes
    }

    var stage: String { "text.\(track.index)" }

    func work() throws(MediaError) {
        let reader = try TrackReader.open(
            source, track: track, origin: range.origin, at: range.start, back: back)
        switch plan.way {
        case .pictures: try copyPictures(reader)
        case .copy, .convert: try writeText(reader)
        }
        opening.end()
        packets.end()
    }

    /// How far before the in point to begin. A movie's index leads to the sample that is shown there.
    private var back: Time {
        if track.codecTag != nil, track.samples != nil { return .zero }
        let before =
            range.end.map { $0.seconds > 0 ? Double(source.size) * range.start.seconds / $0.seconds : 0 } ?? 0
        return before < Double(TextLane.affordable) ? .positiveInfinity : TextLane.lookBack
    }

    /// An event's time in ticks of the output; negative before the in point.
    private func ticks(_ time: Int64) -> Int64 {
        timebase.ticks(
            of: track.timebase.time(ofTicks: time) - range.origin - range.start, rounding: .halfAwayFromZero
        ).ticks
    }

    /// The range's end in ticks of the output, never rounded up.
    private var limit: Int64 {
        range.end.map { timebase.ticks(of: $0 - range.start, rounding: .towardNegativeInfinity).ticks }
            ?? .max
    }

    // MARK: text

    private func writeText(_ reader: TrackReader) throws(MediaError) {
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
        // An event that does not say how long it lasts is shown up to the next one.
        var waiting: (start: Int64, payload: TextPayload)?
        func place(_ start: Int64, _ end: Int64, _ payload: TextPayload) throws(MediaError) -> Bool {
            guard end > 0, start < limit else { return true }
            return try writer.event(max(start, 0), min(end, limit), payload)
        }
        while true {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard reader.read(into: packet, notes) else { break }
            guard let pts = packet.pts else { continue }
            let start = ticks(pts)
            if let known = waiting {
                waiting = nil
                guard try place(known.start, start, known.payload) else { return }
            }
            guard start < limit else { break }
            let payload: TextPayload
            if let decoder {
                let lines = decoder.lines(of: packet)
                if lines.isEmpty { continue }
                payload = .lines(lines)
            } else {
                // Two bytes that say that no text follows: a movie's pause.
                if plan.isContinuous, packet.size <= 2 { continue }
                payload = .bytes(packet)
            }
            if packet.duration > 0 {
                guard try place(start, ticks(pts &+ packet.duration), payload) else { return }
            } else {
                waiting = (start, payload)
            }
        }
        if let waiting { guard try place(waiting.start, limit, waiting.payload) else { return } }
        try writer.finish()
    }

    // MARK: pictures

    private func copyPictures(_ reader: TrackReader) throws(MediaError) {
        let parameters = try stored(reader)
        var screen = PictureScreen(codec: track.codec)
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
        var hasBegun = false
        while true {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard reader.read(into: packet, notes) else { break }
            guard let pts = packet.pts else { continue }
            let start = ticks(pts)
            guard start < limit else { break }
            if start <= 0 {
                screen.take(packet, until: packet.duration > 0 ? ticks(pts &+ packet.duration) : nil)
                continue
            }
            if !hasBegun {
                hasBegun = true
                for old in screen.shown(at: 0) { guard send(old, 0) else { return } }
            }
            guard send(packet, start) else { return }
        }
        if !hasBegun { for old in screen.shown(at: 0) { guard send(old, 0) else { return } } }
    }

    // MARK: opening

    private func stored(_ reader: TrackReader) throws(MediaError) -> CodecParameters {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(
                try CodecParameters(reader.demuxer, track: track.index), extradata: nil, tag: nil)
        }
    }

    /// Says that there is something in the range, and what.
    func open(_ parameters: CodecParameters, isCopy: Bool) {
        let result = TrackResult(
            index: 0, source: track.index, kind: .subtitle, codec: plan.codec, way: isCopy ? .copy : .encode,
            actual: TimeSpan(start: range.start, end: range.end ?? range.start))
        _ = opening.send(
            LaneOpening(coding: .stored(parameters), timebase: timebase, track: track, result: result))
    }
}

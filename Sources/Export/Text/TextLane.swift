// One track of subtitles on its way: read from before the in point, events cut to the range, written as the container wants
// them. Owns its demuxer and its codecs; lives on one queue. The track is opened when its first event is known, so that a
// track with nothing in the range is left out.
internal import Libav
internal import Media
internal import MediaTime

/// One track of subtitles.
final class TextLane: Lane {
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
        range = (whole.origin, whole.segments.start, whole.segments.end ?? whole.carry.end)
        // The movie's own ticks: the finest of all its tracks', in which FFmpeg's muxer compares them with one another.
        timebase =
            whole.fileType.fixedTimebase ?? Timebase(perSecond: Int(whole.movieTimescale)) ?? .milliseconds
        self.source = source
        self.notes = notes
    }

    func start() {
        Stage.start("text.\(track.index)") { [self] () throws(MediaError) in
            try work()
        } failed: { [opening, packets] in
            packets.end($0)
            opening.end($0)
        }
    }

    func abandon() { packets.abandon() }

    private func work() throws(MediaError) {
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

    /// What an event shows.
    private enum Payload {
        case bytes(Packet)
        case lines([String])
    }

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
        let writer = try Writer(self, parameters, encoder)
        // An event that does not say how long it lasts is shown up to the next one.
        var waiting: (start: Int64, payload: Payload)?
        func place(_ start: Int64, _ end: Int64, _ payload: Payload) throws(MediaError) -> Bool {
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
            let payload: Payload
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
                guard try place(start, ticks(pts + packet.duration), payload) else { return }
            } else {
                waiting = (start, payload)
            }
        }
        if let waiting { guard try place(waiting.start, limit, waiting.payload) else { return } }
        try writer.finish()
    }

    /// Writes events as the container wants them.
    private final class Writer {
        private let lane: TextLane
        private let parameters: CodecParameters
        private let encoder: SubtitleEncoder?
        private var timeline = TextTimeline<Payload>()
        private var isOpen = false
        private var last: Int64 = 0

        init(_ lane: TextLane, _ stored: CodecParameters, _ encoder: SubtitleEncoder?) throws(MediaError) {
            self.lane = lane
            self.encoder = encoder
            let isMovie = lane.plan.isContinuous
            parameters = try media(.encodeFailed, track: lane.track.index) { () throws(LibavError) in
                let own = try encoder?.parameters() ?? stored
                guard isMovie else { return own }
                var head = own.extradata
                // The sample entry's flags begin it; all of a forced track's samples are to be shown.
                if lane.track.dispositions.contains("forced"), !head.isEmpty { head[0] |= 0xc0 }
                return try CodecParameters(own, extradata: head, tag: "tx3g")
            }
        }

        /// Writes an event; false where nobody wants packets any more.
        func event(_ start: Int64, _ end: Int64, _ payload: Payload) throws(MediaError) -> Bool {
            guard end > start else { return true }
            guard lane.plan.isContinuous else { return try send(start, end, [payload]) }
            for segment in timeline.add(start: max(start, last), end: end, payload) {
                guard try send(segment.start, segment.end, segment.payloads) else { return false }
            }
            last = max(start, last)
            return true
        }

        func finish() throws(MediaError) {
            for segment in timeline.finish() {
                guard try send(segment.start, segment.end, segment.payloads) else { return }
            }
        }

        private func send(_ start: Int64, _ end: Int64, _ payloads: [Payload]) throws(MediaError) -> Bool {
            let packet = try media(.encodeFailed, track: lane.track.index) { () throws(LibavError) in
                let lines = payloads.flatMap { payload -> [String] in
                    if case .lines(let lines) = payload { lines } else { [] }
                }
                let packet: Packet
                if let encoder {
                    packet = try Packet()
                    try packet.replaceBytes(
                        lines.isEmpty ? [0, 0] : try encoder.encode([StyledLine.joined(lines)]))
                } else if !lane.plan.isContinuous, case .bytes(let own)? = payloads.last {
                    // Its side data are the event's: WebVTT keeps settings there.
                    packet = own
                } else if case .bytes(let own)? = payloads.last {
                    packet = try Packet()
                    try packet.replaceBytes(own.bytes)
                } else {
                    packet = try Packet()
                    try packet.replaceBytes([0, 0])
                }
                return packet
            }
            if !isOpen {
                isOpen = true
                lane.open(parameters, isCopy: encoder == nil)
            }
            (packet.pts, packet.dts, packet.duration) = (start, start, end - start)
            packet.setKey(true)
            packet.isCopied = encoder == nil
            return lane.packets.send(packet)
        }
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
                let end = min(ticks((packet.pts ?? 0) + packet.duration), limit)
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
                screen.take(packet, until: packet.duration > 0 ? ticks(pts + packet.duration) : nil)
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

    private func open(_ parameters: CodecParameters, isCopy: Bool) {
        let result = TrackResult(
            index: 0, source: track.index, kind: .subtitle, codec: plan.codec, way: isCopy ? .copy : .encode,
            actual: TimeSpan(start: range.start, end: range.end ?? range.start))
        _ = opening.send(
            LaneOpening(coding: .stored(parameters), timebase: timebase, track: track, result: result))
    }
}

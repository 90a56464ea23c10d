// Sound, from the source to encoded packets: read on one queue; decode, cut to the sample, convert and encode on another,
// since sound is cheap. Owns its demuxer, decoder, filter graph and encoder.
internal import Libav
internal import Media
internal import MediaTime

/// One audio track on its way.
final class AudioLane: Lane {
    let track: Track
    let opening = Handoff<LaneOpening>(capacity: 1)
    /// Packets of sound are small and short: enough for a few seconds, so that pictures never wait for them.
    let packets = Handoff<Packet>(capacity: 128)
    private let plan: AudioPlan
    private let range: (origin: Time, start: Time, end: Time?)
    private let source: SourceFile
    private let strict: Bool
    private let notes: Notes
    private let read = Handoff<Packet>(capacity: 64)

    init(_ plan: AudioPlan, of whole: ExportPlan, source: SourceFile, strict: Bool, notes: Notes) {
        self.plan = plan
        track = plan.track
        // An edit list says where the sound ends; what the last packet holds beyond that is the encoder's padding.
        let own = plan.track.edits == nil ? nil : plan.track.duration.map { (plan.track.start ?? .zero) + $0 }
        range = (whole.origin, whole.start, [whole.end, own].compactMap(\.self).min())
        self.source = source
        self.strict = strict
        self.notes = notes
    }

    func start() {
        Stage.start("audio.\(track.index)") { [self] () throws(MediaError) in
            try work()
        } failed: { [opening, packets, read] in
            read.abandon()
            packets.end($0)
            opening.end($0)
        }
    }

    func abandon() {
        packets.abandon()
        read.abandon()
    }

    private func work() throws(MediaError) {
        for back in LookBack.sound {
            let reader = try TrackReader.open(
                source, track: track, origin: range.origin, at: range.start, back: back)
            if try attempt(reader) { break }
        }
        opening.end()
        packets.end()
    }

    /// Exports the track from where a reader stands; false where that is too late.
    private func attempt(_ reader: TrackReader) throws(MediaError) -> Bool {
        let decoder = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            try Decoder(
                try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase, threads: 1)
        }
        // The first packet shows whether the container went back far enough.
        let first = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
        let isThere = reader.read(into: first, notes)
        var next: Packet? = isThere ? first : nil
        if !reader.isFromBeginning {
            guard let time = next?.pts ?? next?.dts else { return false }
            // The first frame is not used; what is used must begin at or before the in point.
            let length =
                next.map { $0.duration > 0 ? track.timebase.time(ofTicks: $0.duration) : Time(1, 4) } ?? .zero
            if track.timebase.time(ofTicks: time) - range.origin + length > range.start { return false }
        }
        let isFromBeginning = reader.isFromBeginning
        let reading = Slot(reader)
        Stage.start("audio.\(track.index).demux") { [self] () throws(MediaError) in
            try reading.take()?.readAll(into: read, notes)
            read.end()
        } failed: { [read] in
            read.end($0)
        }
        defer { read.abandon() }

        var encoder: SoundEncoder?
        var sound = SoundCutter(plan, range: range, isFromBeginning: isFromBeginning)
        var isFlushing = false
        while !isFlushing, !sound.isDone {
            let packet: Packet?
            if let waiting = next { packet = waiting } else { packet = try read.receive() }
            next = nil
            isFlushing = packet == nil
            let frames = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
                try decode(packet, decoder)
            }
            for frame in frames.map(Optional.some) + (isFlushing ? [nil] : []) where !sound.isDone {
                let pieces = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                    try sound.cut(frame)
                }
                for piece in pieces { guard try push(piece, sound, &encoder) else { return true } }
            }
        }
        _ = try push(nil, sound, &encoder)
        return true
    }

    private func decode(_ packet: Packet?, _ decoder: Decoder) throws(LibavError) -> [Frame] {
        if case .damaged(let error) = try decoder.send(packet) { try damaged(error, at: packet?.pts) }
        var frames: [Frame] = []
        while true {
            let frame = try Frame()
            switch try decoder.receive(into: frame) {
            case .frame: frames.append(frame)
            case .needsInput, .ended: return frames
            case .damaged(let error): try damaged(error, at: nil)
            }
        }
    }

    private func damaged(_ error: LibavError, at pts: Int64?) throws(LibavError) {
        let time = pts.map { track.timebase.time(ofTicks: $0) - range.origin }
        if let time, time < range.start || range.end.map({ time >= $0 }) == true { return }
        if strict { throw error }
        notes.warn(
            Warning(
                "damagedMedia", "\(error)\(time.map { " at \($0.clock())" } ?? "")", time: time,
                track: track.index))
    }

    // MARK: Encoding

    /// Encodes one piece of sound, or what is left; false where nobody wants packets any more.
    private func push(
        _ frame: Frame?, _ sound: SoundCutter, _ encoder: inout SoundEncoder?
    ) throws(MediaError) -> Bool {
        if encoder == nil, let frame {
            let made = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                try SoundEncoder(plan, first: frame, length: range.end.map { $0 - range.start })
            }
            encoder = made
            var result = TrackResult(
                index: 0, source: track.index, kind: .audio, codec: made.codec, way: .encode,
                actual: TimeSpan(start: sound.firstSampleTime, end: range.end ?? range.start))
            let off = sound.firstSampleTime - range.start
            result.remainder = off == .zero ? nil : off
            (result.sampleRate, result.channels) = (made.sampleRate, made.channels)
            _ = opening.send(
                LaneOpening(
                    coding: .encoder(made.encoder), timebase: made.timebase, track: track, result: result))
        }
        guard let encoder else { return true }
        return try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try encoder.send(frame)
            for packet in encoder.take() { guard packets.send(packet) else { return false } }
            return true
        }
    }
}

/// Cuts decoded sound to the range, to the sample.
struct SoundCutter {
    private let plan: AudioPlan
    private let range: (origin: Time, start: Time, end: Time?)
    private let isFromBeginning: Bool
    private var clock: SampleClock?
    private var samples: SampleCut?
    private var rate = 0
    private var hasBegun = false

    /// Sound kept beyond the end where the rate is changed, so that the resampler has what it looks ahead to.
    private static let lookahead: Int64 = 4096

    init(_ plan: AudioPlan, range: (origin: Time, start: Time, end: Time?), isFromBeginning: Bool) {
        self.plan = plan
        self.range = range
        self.isFromBeginning = isFromBeginning
    }

    /// All samples of the range have come.
    var isDone: Bool { samples?.isDone ?? false }

    /// The asset time of the first sample: the one nearest to the in point.
    var firstSampleTime: Time { samples.map { Time($0.start, Int32(clamping: rate)) } ?? range.start }

    /// Takes the next frame, nil at the end. Gives the pieces of the one before it that lie in the range, with silence
    /// for what is missing before it: only the next frame's time tells a gap from a stray timestamp.
    mutating func cut(_ next: Frame?) throws(LibavError) -> [Frame] {
        defer { held = next }
        guard let held else { return [] }
        // The first frame after a seek is short where the codec has a delay, and its time is rounded once more.
        if !isFromBeginning, !hasSkippedFirst, next != nil {
            hasSkippedFirst = true
            return []
        }
        return try place(
            held, following: next.flatMap { $0.sampleRate == held.sampleRate ? time(of: $0) : nil })
    }

    private var held: Frame?
    private var hasSkippedFirst = false

    private func time(of frame: Frame) -> Time? {
        frame.bestEffort.map { plan.track.timebase.time(ofTicks: $0) - range.origin }
    }

    private mutating func place(_ frame: Frame, following: Time?) throws(LibavError) -> [Frame] {
        if clock == nil || rate != frame.sampleRate { begin(frame.sampleRate) }
        guard var clock, var samples else { return [] }
        defer { (self.clock, self.samples) = (clock, samples) }
        let place = clock.place(time: time(of: frame), count: frame.sampleCount, following: following)
        // From the beginning, the first timestamp is the anchor; after a seek it takes some to see through rounding.
        if isFromBeginning { clock.settle() }
        let step = samples.offer(place: place, count: frame.sampleCount)
        var pieces: [Frame] = []
        var silence = step.silence
        // Long gaps are filled in pieces, so that memory stays small.
        while silence > 0 {
            let count = min(silence, rate)
            pieces.append(try Frame.silence(like: frame, samples: count))
            silence -= count
        }
        if !step.keep.isEmpty {
            try frame.keepSamples(step.keep)
            pieces.append(frame)
        }
        if !hasBegun, !pieces.isEmpty {
            hasBegun = true
            clock.settle()
        }
        return pieces
    }

    private mutating func begin(_ rate: Int) {
        func sample(_ time: Time) -> Int64 {
            time.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value
        }
        let lookahead = rate > plan.settings.maxSampleRate ? SoundCutter.lookahead : 0
        let done = samples.map { Time($0.next, Int32(clamping: self.rate)) }
        self.rate = rate
        clock = SampleClock(rate: rate, timebase: plan.track.timebase)
        samples = SampleCut(
            start: sample(done.map { max($0, range.start) } ?? range.start),
            end: range.end.map { sample($0) + lookahead })
    }
}

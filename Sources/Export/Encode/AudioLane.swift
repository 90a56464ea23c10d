// Sound, from the source to encoded packets: read on one queue; decode, cut to the sample, convert and encode on another,
// since sound is cheap. Owns its demuxer, decoder, filter graph and encoder.
internal import Libav
internal import Media
internal import MediaTime
internal import Synchronization

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
    /// What the demuxer of the present pass hands over.
    private let reading = Mutex<Handoff<Packet>?>(nil)
    private let isAbandoned = Mutex(false)

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
        } failed: { [self, opening, packets] in
            reading.withLock { $0 }?.abandon()
            packets.end($0)
            opening.end($0)
        }
    }

    func abandon() {
        isAbandoned.withLock { $0 = true }
        packets.abandon()
        reading.withLock { $0 }?.abandon()
    }

    private func work() throws(MediaError) {
        let gain = try plan.loudness.map { target throws(MediaError) in try measure(target) } ?? 0
        var encoder: SoundEncoder?
        try pass { frame, sound throws(MediaError) in try push(frame, sound, &encoder, gain: gain) }
        opening.end()
        packets.end()
    }

    /// What a pass does with each piece of the range's sound, and with nil at the end; false where it wants no more.
    private typealias Consumer = (Frame?, SoundCutter) throws(MediaError) -> Bool

    /// Decodes the range once.
    private func pass(_ consume: Consumer) throws(MediaError) {
        for back in LookBack.sound {
            let reader = try TrackReader.open(
                source, track: track, origin: range.origin, at: range.start, back: back)
            if try attempt(reader, consume) { break }
        }
    }

    /// The gain in decibels that brings the sound to a loudness, as it will be written; less where it would clip.
    private func measure(_ target: Double) throws(MediaError) -> Double {
        var meter: LoudnessMeter?
        try pass { frame, _ throws(MediaError) in
            guard !isAbandoned.withLock({ $0 }) else { return false }
            return try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                if meter == nil, let frame { meter = try LoudnessMeter(plan, first: frame) }
                try meter?.send(frame)
                return true
            }
        }
        guard let meter, let loudness = meter.loudness else {
            notes.warn(
                Warning(
                    "loudnessUnknown",
                    "the sound is silent or too short to measure; its loudness stays as it is",
                    track: track.index))
            return 0
        }
        let gain = target - loudness
        let room = LoudnessMeter.highestPeak - meter.peak
        if gain > room {
            notes.warn(
                Warning(
                    "loudnessLimited",
                    "the sound is brought to \(LoudnessMeter.tenths(loudness + room)) LUFS, not \(LoudnessMeter.tenths(target)): "
                        + "louder, its peaks would clip", track: track.index))
        }
        return min(gain, room)
    }

    /// Exports the track from where a reader stands; false where that is too late.
    private func attempt(_ reader: TrackReader, _ consume: Consumer) throws(MediaError) -> Bool {
        let read = Handoff<Packet>(capacity: 64)
        reading.withLock { $0 = read }
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
        let slot = Slot(reader)
        Stage.start("audio.\(track.index).demux") { [self] () throws(MediaError) in
            try slot.take()?.readAll(into: read, notes)
            read.end()
        } failed: { [read] in
            read.end($0)
        }
        defer { read.abandon() }

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
                for piece in pieces { guard try consume(piece, sound) else { return true } }
            }
        }
        _ = try consume(nil, sound)
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
        _ frame: Frame?, _ sound: SoundCutter, _ encoder: inout SoundEncoder?, gain: Double
    ) throws(MediaError) -> Bool {
        if encoder == nil, let frame {
            let made = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                try SoundEncoder(plan, first: frame, length: range.end.map { $0 - range.start }, gain: gain)
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

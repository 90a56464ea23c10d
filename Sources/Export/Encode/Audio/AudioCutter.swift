// Cuts decoded audio to the sample and fills gaps with silence. A value used in one stage, on its queue.
internal import Libav
internal import Media
internal import MediaTime

/// Cuts decoded audio to one part, to the sample.
struct AudioCutter {
    private let plan: AudioPlan
    private let origin: Time
    private let segment: Segment
    /// Where the audio ends, if the source says so.
    private let end: Time?
    private let isFromBeginning: Bool
    private var clock: SampleClock?
    private var samples: SampleCut?
    private var rate = 0
    private var hasBegun = false

    /// Samples kept past the end where the rate is converted, for the resampler's lookahead.
    private static let lookahead: Int64 = 4096

    init(_ plan: AudioPlan, origin: Time, _ segment: Segment, end: Time?, isFromBeginning: Bool) {
        self.plan = plan
        self.origin = origin
        self.segment = segment
        self.end = end
        self.isFromBeginning = isFromBeginning
    }

    /// All samples of the range have arrived.
    var isDone: Bool { samples?.isDone ?? false }

    /// The asset time of the first sample: the one nearest to the in point.
    var firstSampleTime: Time { samples.map { Time($0.start, Int32(clamping: rate)) } ?? segment.start }

    /// Samples of the part that have not arrived; nil if none has.
    var missing: Int64? {
        guard let samples, let count = count(at: rate) else { return nil }
        return max(0, sample(segment.start, rate) + count - samples.next)
    }

    /// Number of samples of the part before their speed is changed; counted from the start of the output, so that rounding does
    /// not accumulate.
    private func count(at rate: Int) -> Int64? {
        let at = segment.at.unplayed(at: segment.speed)
        return segment.sourceLength.map { sample(at + $0, rate) - sample(at, rate) }
    }

    private func sample(_ time: Time, _ rate: Int) -> Int64 {
        time.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value
    }

    /// Takes the next frame, nil at the end. Returns the pieces of the previous frame that are in the range, with silence for
    /// what is missing before it: only the next frame's time distinguishes a gap from a stray timestamp.
    mutating func cut(_ next: Frame?) throws(LibavError) -> [Frame] {
        defer { held = next }
        guard let held else { return [] }
        // After a seek, the first frame is short if the codec has a delay, and its time is rounded twice.
        if !isFromBeginning, !hasSkippedFirst, next != nil {
            hasSkippedFirst = true
            return []
        }
        return try align(
            held, following: next.flatMap { $0.sampleRate == held.sampleRate ? time(of: $0) : nil })
    }

    private var held: Frame?
    private var hasSkippedFirst = false

    private func time(of frame: Frame) -> Time? {
        frame.bestEffort.map { plan.track.timebase.time(ofTicks: $0) - origin }
    }

    private mutating func align(_ frame: Frame, following: Time?) throws(LibavError) -> [Frame] {
        if clock == nil || rate != frame.sampleRate { begin(frame.sampleRate) }
        guard var clock, var samples else { return [] }
        defer { (self.clock, self.samples) = (clock, samples) }
        let position = clock.position(time: time(of: frame), count: frame.sampleCount, following: following)
        // At the beginning of the file, the first timestamp is the anchor; after a seek it takes several to correct rounding.
        if isFromBeginning { clock.settle() }
        let step = samples.offer(position: position, count: frame.sampleCount)
        var pieces: [Frame] = []
        var silence = step.silence
        // Long gaps are filled in pieces to bound memory.
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
        let lookahead = rate > plan.settings.maxSampleRate ? AudioCutter.lookahead : 0
        let done = samples.map { Time($0.next, Int32(clamping: self.rate)) }
        self.rate = rate
        clock = SampleClock(rate: rate, timebase: plan.track.timebase)
        let asked = count(at: rate).map { sample(segment.start, rate) + $0 }
        let own = end.map { sample($0, rate) }
        samples = SampleCut(
            start: sample(done.map { max($0, segment.start) } ?? segment.start, rate),
            end: [asked, own].compactMap(\.self).min().map { $0 + lookahead })
    }
}

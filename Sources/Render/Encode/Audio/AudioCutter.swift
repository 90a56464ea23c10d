// Cuts decoded audio to the sample and fills gaps with silence. A value used in one stage, on its queue.
package import Libav
package import Media
package import MediaTime
package import Source

/// Cuts decoded audio to one part, to the sample.
package struct AudioCutter {
    private let plan: AudioPlan
    private let origin: Time
    private let segment: Segment
    /// Where the audio ends, if the source says so.
    private let end: Time?
    private let isFromBeginning: Bool
    /// How far times may be off, in seconds.
    private let tolerance: Double
    private var clock: SampleClock?
    private var samples: SampleCut?
    private var rate = 0

    /// Samples kept past the end where the rate is converted, for the resampler's lookahead.
    private static let lookahead: Int64 = 4096

    /// - Parameters:
    ///   - tolerance: how far times may be off, in seconds.
    ///   - seeked: the time of the packet that a seek led to; frames that have no time of their own count from there. Nil: the
    ///     first frame is the track's.
    package init(
        _ plan: AudioPlan, origin: Time, _ segment: Segment, end: Time?, seeked: Time?,
        tolerance: Double = SampleClock.tolerance
    ) {
        self.tolerance = tolerance
        self.plan = plan
        self.origin = origin
        self.segment = segment
        self.end = end
        isFromBeginning = seeked == nil
        unusedEnd = seeked
    }

    /// All samples of the range have arrived.
    package var isDone: Bool { samples?.isDone ?? false }

    /// The asset time of the first sample: the one nearest to the in point.
    var firstSampleTime: Time { samples.map { Time($0.start, Int32(clamping: rate)) } ?? segment.start }

    /// How much of the part has not arrived; nil if nothing has.
    var missing: Time? {
        guard let samples, let count = count(at: rate) else { return nil }
        return Time(max(0, sample(segment.start, rate) + count - samples.next), Int32(clamping: rate))
    }

    /// Where the next piece begins in the output, before its speed is changed: on the grid of the rate that it has, which is another
    /// one where the rate changes.
    var position: Time? {
        guard rate > 0, let samples else { return nil }
        let at = sample(segment.at.unplayed(at: segment.speed), rate)
        return Time(at + pieceStart(samples) - sample(segment.start, rate), Int32(clamping: rate))
    }

    /// The sample that the next piece begins with.
    private func pieceStart(_ samples: SampleCut) -> Int64 {
        aligned == nil ? samples.next : samples.next - Int64(silence + kept.count)
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

    /// Takes the next frame, nil at the end. Then `piece` returns what is in the range of the previous frame: only the next frame's
    /// time distinguishes a gap from a stray timestamp.
    package mutating func take(_ next: Frame?) {
        defer { held = next }
        guard let held else { return }
        if isUnsure(held), next != nil { return }
        align(held, following: next.flatMap { $0.sampleRate == held.sampleRate ? time(of: $0) : nil })
    }

    /// The next piece of the previous frame: silence for what is missing before it, a second at most, so that a gap of hours needs no
    /// more memory than a short one; then its samples. Nil: there is none left.
    package mutating func piece() throws(LibavError) -> Frame? {
        guard let frame = aligned else { return nil }
        if silence > 0 {
            let count = min(silence, rate)
            silence -= count
            return try Frame.silence(like: frame, samples: count)
        }
        defer { aligned = nil }
        guard !kept.isEmpty else { return nil }
        try frame.keepSamples(kept)
        return frame
    }

    /// The frame whose pieces are taken, the samples of silence before it, and those of its own that are kept.
    private var aligned: Frame?
    private var silence = 0
    private var kept = 0..<0

    private var held: Frame?
    private var hasBegun = false
    /// The first frame's time after a seek; nil before it.
    private var firstTime: Time?
    private var isSure = false
    /// Where the frames that are not used end: the next one begins there if it has no time. Of a packet that holds several, such as one of
    /// Monkey's Audio, only the first has one; of WMA none may have.
    private var unusedEnd: Time?
    /// When the held frame begins, until one is used after a seek.
    private var heldTime: Time?

    /// How much of the audio after a seek is not used. The first frame is short if the codec has a delay, and its time is rounded
    /// twice. Where several frames share a timestamp, as in transport streams, those before the next one have a wrong time.
    private static let unsure = Time(1, 20)

    /// The time of the packet that a seek led to; nil: audio of a part that begins at `start` may lie before what is used of it, or there is
    /// no such packet.
    package static func time(of first: Packet?, _ track: Track, origin: Time, before start: Time) -> Time? {
        guard let first, let ticks = first.pts ?? first.dts else { return nil }
        let time = track.timebase.time(ofTicks: ticks) - origin
        let known = track.timebase.time(ofTicks: first.duration)
        let length = known > .zero ? known : Time(1, 4)
        return time + length + (length < unsure ? unsure : .zero) > start ? nil : time
    }

    /// Whether a frame is too near to the position of a seek.
    private mutating func isUnsure(_ frame: Frame) -> Bool {
        heldTime = nil
        guard !isFromBeginning, !isSure, let time = time(of: frame) ?? unusedEnd else { return false }
        isSure = firstTime.map { time - $0 >= AudioCutter.unsure } ?? false
        firstTime = firstTime ?? time
        heldTime = time
        unusedEnd = time + Time(Int64(frame.sampleCount), Int32(clamping: max(1, frame.sampleRate)))
        return !isSure
    }

    private func time(of frame: Frame) -> Time? {
        frame.bestEffort.map { plan.track.timebase.time(ofTicks: $0) - origin }
    }

    private mutating func align(_ frame: Frame, following: Time?) {
        if clock == nil || rate != frame.sampleRate { begin(frame.sampleRate) }
        guard var clock, var samples else { return }
        defer { (self.clock, self.samples) = (clock, samples) }
        let position = clock.position(
            time: time(of: frame) ?? heldTime, count: frame.sampleCount, following: following)
        // At the beginning of the file, the first timestamp is the anchor; after a seek it takes several to correct rounding.
        if isFromBeginning { clock.settle() }
        let step = samples.offer(position: position, count: frame.sampleCount)
        (aligned, silence, kept) = (frame, step.silence, step.keep)
        if !hasBegun, silence > 0 || !kept.isEmpty {
            hasBegun = true
            clock.settle()
        }
    }

    private mutating func begin(_ rate: Int) {
        let lookahead = rate > plan.settings.maxSampleRate ? AudioCutter.lookahead : 0
        let done = samples.map { Time($0.next, Int32(clamping: self.rate)) }
        self.rate = rate
        clock = SampleClock(rate: rate, timebase: plan.track.timebase, tolerance: tolerance)
        let asked = count(at: rate).map { sample(segment.start, rate) + $0 }
        let own = end.map { sample($0, rate) }
        samples = SampleCut(
            start: sample(done.map { max($0, segment.start) } ?? segment.start, rate),
            end: [asked, own].compactMap(\.self).min().map { $0 + lookahead })
    }
}

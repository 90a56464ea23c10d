// Compares the audio of a file with its source: its duration, and its lag at the beginning, middle and end of each part, by
// correlation in one channel. Runs on the caller's queue; keeps a short stretch of audio per position.
internal import Libav
internal import Media
internal import MediaTime
internal import Pictures
internal import Render
internal import Source
internal import Text

/// The comparison of one audio track.
struct AudioComparison {
    let source: SourceFile, output: SourceFile
    let track: Track, made: Track
    let origin: Time
    /// The container time of the output's 0.
    let zero: Time
    let segments: Segments
    /// Where the source's track ends; nil if unknown.
    let end: Time?

    /// A window in which both are compared.
    struct Window {
        /// In samples of the output, from its 0.
        var range: Range<Int>
        /// The source's asset time at which it should begin, and that at which its part does.
        var time: Time, begin: Time
        var samples: [Float] = []
    }

    /// The result.
    struct Outcome {
        var result: ComparisonReport.Audio
        var findings: [ComparisonReport.Finding] = []
        var damaged: Int64
    }

    /// Tolerance of the duration in samples: about two packets, since not all players trim the last one.
    static let lengthSlack: Int64 = 2304
    /// Samples to each side in which a lag is searched: more than three packets.
    private static let farthest = 4096
    /// Maximum number of parts whose start and end are compared.
    private static let mostParts = 16

    /// The samples that the output lasts, where its source ends with silence that is in no packet: its last packet says it.
    private func lasting(_ rate: Int) -> Int64 {
        guard source.joined(of: track.index)?.source.silentUntil != nil, let duration = made.duration else {
            return 0
        }
        return ((made.start ?? .zero) + duration).multiplied(by: Int64(rate), over: 1)
            .converted(to: 1, rounding: .halfAwayFromZero).value
    }

    func run() throws(MediaError) -> Outcome {
        let rate = track.audio?.sampleRate ?? 48000
        var windows = windows(rate)
        var count = 0
        let mono = MonoAudio(
            source: output, track: made, origin: zero, rate: rate, diagnostics: Diagnostics())
        let damaged = try mono.read(from: .zero, to: nil) { samples in
            let here = count..<(count + samples.count)
            for index in windows.indices where windows[index].range.overlaps(here) {
                let part = windows[index].range.clamped(to: here)
                windows[index].samples +=
                    samples[
                        (part.lowerBound - count)..<(part.upperBound - count)]
            }
            count += samples.count
            return true
        }
        let found = max(Int64(count), lasting(rate))
        let expected = try length(expected(rate) ?? Int64(count), found: found, rate)
        var outcome = Outcome(
            result: ComparisonReport.Audio(
                source: track.index, output: made.index, sampleRate: rate, expected: expected, found: found),
            damaged: damaged)
        try checkLag(windows, rate, &outcome)
        let off = outcome.result.found - outcome.result.expected
        if off.magnitude > AudioComparison.lengthSlack.magnitude {
            outcome.findings.append(
                ComparisonReport.Finding(
                    "audioLength",
                    "the audio is \(quantity(off.magnitude, "sample")) too \(off > 0 ? "long" : "short") (at \(rate) Hz)",
                    track: made.index))
        }
        return outcome
    }

    private func checkLag(
        _ windows: [Window], _ rate: Int, _ outcome: inout Outcome
    ) throws(MediaError) {
        for window in windows {
            let found = try measure(window, rate)
            if try isOther(window, rate, likeness: found?.likeness) {
                outcome.findings.append(
                    ComparisonReport.Finding(
                        "audioContent", "the audio is not the source's", time: window.time, track: made.index)
                )
                continue
            }
            guard let found else { continue }
            if outcome.result.lag.map({ abs(found.lag) > abs($0) }) ?? true {
                (outcome.result.lag, outcome.result.likeness) = (found.lag, found.likeness)
            }
            guard abs(found.lag) > found.slack else { continue }
            // Only of audio that seems misplaced are the times looked at. Cut audio continues where the source's times only seem to jump,
            // and so is off by all of that since its part began.
            let rounding = try AudioTimeRounding(source: source, track: track, origin: origin).samples(
                from: window.begin, to: window.time)
            // More than that is a jump.
            let most = Int(2 * SampleClock.tolerance * Double(rate))
            guard abs(found.lag) > found.slack + min(rounding, most) else { continue }
            outcome.findings.append(
                ComparisonReport.Finding(
                    "audioLag",
                    "the audio is \(abs(found.lag)) samples too \(found.lag > 0 ? "late" : "early") (at \(rate) Hz)",
                    time: window.time, track: made.index))
        }
    }

    /// Where matching audio was found.
    struct Lag: Hashable {
        /// Delay in samples.
        var lag: Int
        /// Uncertainty in samples from the timestamps of both files.
        var slack: Int
        /// Correlation at that position and at the expected one, from -1 to 1.
        var likeness: Double, likenessExpected: Double
    }

    /// The lag at the very start of the output; nil if it is silent or too short.
    /// - Parameter certain: a correlation at the expected position from which on the lag does not matter: then nil, and other
    ///   positions are not searched, which takes much longer.
    func lagAtStart(unlessExpected certain: Double = .infinity) throws(MediaError) -> Lag? {
        let rate = track.audio?.sampleRate ?? 48000
        guard var window = windows(rate).first else { return nil }
        let mono = MonoAudio(
            source: output, track: made, origin: zero, rate: rate, diagnostics: Diagnostics())
        try mono.read(from: .zero, to: nil) { samples in
            window.samples += samples
            return window.samples.count < window.range.count
        }
        window.samples = Array(window.samples.prefix(window.range.count))
        return try measure(window, rate, unlessExpected: certain)
    }

    /// Samples at the beginning of a track whose packets need earlier ones to decode: two packets of HE-AAC.
    private static let warmUp = 4096
    /// A correlation below this does not prove a lag.
    private static let certain = 0.9

    /// Measures a window. A track that begins without earlier packets does not decode to the source's audio at first: if the
    /// window matches nowhere, its rest decides.
    private func measure(
        _ window: Window, _ rate: Int, unlessExpected limit: Double = .infinity
    ) throws(MediaError) -> Lag? {
        guard let around = try surroundings(of: window, rate) else { return nil }
        if isExpected(window, around, atLeast: limit) { return nil }
        guard var all = locate(window, around) else { return nil }
        // Where audio is louder or quieter than the source's, the least difference is elsewhere; the correlation does not depend on it.
        if all.likenessExpected >= AudioComparison.certain, all.likenessExpected >= all.likeness {
            (all.lag, all.likeness) = (0, all.likenessExpected)
        }
        guard abs(all.lag) > all.slack, all.likeness < AudioComparison.certain,
            let first = window.samples.firstIndex(where: { $0 != 0 })
        else { return all }
        let warm = first + AudioComparison.warmUp
        guard warm < window.samples.count else { return all }
        let rest = Window(
            range: (window.range.lowerBound + warm)..<window.range.upperBound,
            time: window.time + Time(Int64(warm), Int32(clamping: rate)), begin: window.begin,
            samples: Array(window.samples[warm...]))
        guard let around = try surroundings(of: rest, rate), let found = locate(rest, around),
            found.likeness >= AudioComparison.certain
        else { return all }
        return found
    }

    /// Whether a window correlates so well at its expected position, and its rest after the warm-up too: `measure` uses either.
    private func isExpected(_ window: Window, _ around: Surroundings, atLeast limit: Double) -> Bool {
        guard limit <= 1, let first = window.samples.firstIndex(where: { $0 != 0 }) else { return false }
        let warm = first + AudioComparison.warmUp
        return [0, warm].allSatisfy { from in
            guard from < window.samples.count else { return true }
            let likeness = Correlation.likeness(
                of: window.samples[from...], in: around.samples[(around.reach + from)...])
            return likeness >= limit
        }
    }

    /// The source's audio around the expected position of a window.
    struct Surroundings {
        var samples: [Float]
        /// How many samples it begins before that position.
        var reach: Int
        /// The uncertainty of a lag in samples.
        var slack: Int
    }

    private func locate(_ window: Window, _ around: Surroundings) -> Lag? {
        guard
            let found = Correlation(of: window.samples, in: around.samples, expected: around.reach)
        else { return nil }
        // Audio of an earlier source time than expected is late.
        return Lag(
            lag: around.reach - found.offset, slack: around.slack, likeness: found.likeness,
            likenessExpected: found.likenessExpected)
    }

    /// Nil if the window is too short.
    func surroundings(of window: Window, _ rate: Int) throws(MediaError) -> Surroundings? {
        guard window.samples.count >= rate / 50 else { return nil }
        if let tempo = Tempo(segments.speed) { return try surroundings(of: window, rate, tempo) }
        let reach = min(rate / 5, AudioComparison.farthest)
        let margin = Time(Int64(reach), Int32(clamping: rate))
        let from = window.time - margin
        var whole: [Float] = []
        // Before the start of the source there is silence.
        if from < .zero {
            whole = [Float](repeating: 0, count: Int((-from.seconds * Double(rate)).rounded()))
        }
        let wanted = window.samples.count + 2 * reach
        let mono = MonoAudio(
            source: source, track: track, origin: origin, rate: rate, diagnostics: Diagnostics())
        let length = Time(Int64(wanted + rate / 50), Int32(clamping: rate))
        try mono.read(from: max(.zero, from), to: from + length) { samples in
            whole += samples
            return whole.count < wanted
        }
        whole = Array(whole.prefix(wanted))
        if whole.count < wanted { whole += [Float](repeating: 0, count: wanted - whole.count) }
        return Surroundings(samples: whole, reach: reach, slack: slack(rate))
    }

    /// Whole-tick timestamps are no more precise than this many samples; finer ones are exact to the sample.
    func slack(_ rate: Int) -> Int {
        let ticks = [track, made].map {
            Int((Double($0.timebase.numerator) / Double($0.timebase.denominator) * Double(rate)).rounded(.up))
        }
        return 1 + ticks.filter { $0 > 1 }.reduce(0, +)
    }

    /// The surroundings of a window of audio whose speed was changed: the source's, changed in the same way from the in point on. Of
    /// joined parts that is not the same way, and there are none.
    private func surroundings(
        of window: Window, _ rate: Int, _ tempo: Tempo
    ) throws(MediaError) -> Surroundings? {
        guard segments.all.count == 1 else { return nil }
        let reach = min(rate / 5, AudioComparison.farthest)
        let first = window.range.lowerBound - reach
        let wanted = window.samples.count + 2 * reach
        var whole = [Float](repeating: 0, count: max(0, -first))
        var position = 0
        var mono = MonoAudio(
            source: source, track: track, origin: origin, rate: rate, diagnostics: Diagnostics())
        let own = made.audio
        mono.filters = tempo.filters(rate: own?.sampleRate ?? rate, layout: own?.channelLayout ?? "mono")
        try mono.read(from: segments.start, to: segments.end) { samples in
            let from = max(0, first - position)
            if from < samples.count { whole += samples[from...] }
            position += samples.count
            return whole.count < wanted
        }
        whole = Array(whole.prefix(wanted))
        if whole.count < wanted { whole += [Float](repeating: 0, count: wanted - whole.count) }
        return Surroundings(samples: whole, reach: reach, slack: slack(rate) + 1)
    }

    /// A quarter of a second at the beginning, middle and end of each part.
    func windows(_ rate: Int) -> [Window] {
        var windows: [Window] = []
        for segment in segments.all.prefix(AudioComparison.mostParts) {
            guard let end = [segment.end, end].compactMap(\.self).min() else { continue }
            let first = sample(segment.at, rate)
            let last = sample(segment.output(max(end, segment.start)), rate)
            let length = min(rate / 4, last - first)
            guard length > 0 else { continue }
            let middle = first + (last - first - length) / 2
            for begin in last - first > 4 * length ? [first, middle, last - length] : [first] {
                let time = segment.source(Time(Int64(begin), Int32(clamping: rate)))
                windows.append(
                    Window(range: begin..<(begin + length), time: time, begin: segment.start))
            }
        }
        return windows
    }

    /// Nil where nothing says how long the source's audio is.
    private func expected(_ rate: Int) -> Int64? {
        guard let last = segments.all.last, let end = [last.end, end].compactMap(\.self).min() else {
            return nil
        }
        return Int64(sample(last.output(max(last.start, end)), rate))
    }

    func sample(_ time: Time, _ rate: Int) -> Int {
        Int(time.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value)
    }
}

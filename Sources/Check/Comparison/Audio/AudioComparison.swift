// Compares the audio of a file with its source: its duration, and its lag at the beginning, middle and end of each part, by
// correlation in one channel. Runs on the caller's queue; keeps a short stretch of audio per position.
internal import Codecs
internal import Glibc
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
    private static let lengthSlack: Int64 = 2304
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

// Compares the channels of the audio of a file with its source's, one by one and all along: mixed down, audio whose left and right are
// exchanged is no other. Runs on the caller's queue.
extension AudioComparison {
    /// Parts in which the channels' samples are compared, besides their levels.
    private static let comparedWindows = 6
    /// A difference of the levels that is told, in decibels.
    private static let toldGain = 3.0

    /// Adds what is wrong with single channels. At another speed, and where the output has other channels, no statement is made.
    func compareChannels(_ outcome: inout Outcome, _ diagnostics: Diagnostics) throws(MediaError) {
        guard let own = made.audio, let format = track.audio, segments.speed == Ratio(1) else { return }
        guard own.channels == format.channels else {
            if own.channels < format.channels {
                diagnostics.warn(
                    Warning(
                        .downmixed,
                        "the source's audio has \(quantity(format.channels, "channel")) and the output's \(own.channels); they were compared mixed down",
                        track: made.index))
            }
            return
        }
        guard ChannelLayout.isSame(own.channelLayout, format.channelLayout) else { return }
        let rate = ChannelLevels.rate
        let reach = rate / 5
        let ranges = windows(rate).prefix(AudioComparison.comparedWindows).map(\.range)
        var found = ChannelLevels(channels: own.channels, windows: ranges)
        guard try read(output, made, zero, from: .zero, to: nil, at: 0, into: &found) else { return }
        var wanted = ChannelLevels(
            channels: own.channels,
            windows: ranges.map { ($0.lowerBound - reach)..<($0.upperBound + reach) })
        var edges: Set<Int> = []
        for segment in segments.all {
            let end = [segment.end, end].compactMap(\.self).min()
            guard end.map({ $0 > segment.start }) ?? true else { continue }
            let at = sample(segment.at, rate)
            guard try read(source, track, origin, from: segment.start, to: end, at: at, into: &wanted)
            else { return }
            let last = end.map { sample(segment.output($0), rate) }
            edges.formUnion([at, last].compactMap { $0.map { $0 / ChannelLevels.block } })
        }
        edges.insert(wanted.blocks - 1)
        if !made.audioCodec.isLossless, found.isMixed(from: wanted, reach: reach) {
            diagnostics.warn(
                Warning(
                    .downmixed, "all channels of the output's audio are one; they were compared mixed down",
                    track: made.index))
            return
        }
        let names = ChannelLayout.named(format.channelLayout)?.channelNames ?? []
        func name(_ channel: Int) -> String {
            names.indices.contains(channel) ? names[channel] : "\(channel + 1)"
        }
        func time(_ block: Int) -> Time {
            let time = Time(Int64(block * ChannelLevels.block), Int32(rate))
            return (segments.all.last { $0.at <= time } ?? segments.all.first)?.source(time) ?? time
        }
        // Codecs keep only the lowest frequencies of that channel: AAC 280 Hz.
        let bass =
            made.audioCodec.isLossless
            ? nil : names.firstIndex(of: ChannelLayout.Speaker.lowFrequency.rawValue)
        for fault in found.faults(comparedWith: wanted, reach: reach, edges: edges)
        where fault.channel != bass {
            let (code, message, time): (String, String, Time?) =
                switch fault {
                case .missing(let channel, let blocks):
                    (
                        "audioMissing",
                        "channel \(name(channel)) is silent up to \(time(blocks.upperBound).clock()), and the source's is not",
                        time(blocks.lowerBound)
                    )
                case .added(let channel, let blocks):
                    (
                        "audioContent",
                        "channel \(name(channel)) is heard up to \(time(blocks.upperBound).clock()), and the source's is silent",
                        time(blocks.lowerBound)
                    )
                case .other(let channel, let other, let window):
                    (
                        "audioChannel",
                        "channel \(name(channel)) has the sound of the source's channel \(name(other))",
                        time(ranges[window].lowerBound / ChannelLevels.block)
                    )
                }
            outcome.findings.append(
                ComparisonReport.Finding(code, message, time: time, track: made.index))
        }
        if let other = found.otherSound(than: wanted, edges: edges) {
            let (start, end) = (
                time(other.lowerBound / ChannelLevels.block), time(other.upperBound / ChannelLevels.block)
            )
            outcome.findings.append(
                ComparisonReport.Finding(
                    "audioContent", "the audio is not the source's up to \(end.clock())", time: start,
                    track: made.index))
        }
        if let gain = found.gain(over: wanted).map({ 20 * log10($0) }), abs(gain) > AudioComparison.toldGain {
            diagnostics.warn(
                Warning(
                    .loudnessChanged,
                    "the audio is \(Int(abs(gain).rounded())) dB \(gain > 0 ? "louder" : "quieter") than the source's",
                    track: made.index))
        }
    }

    /// Reads a part of a track, channel by channel, to a position of the output. False where the channels are others in between, as those
    /// of broadcasts: nothing can be said of them.
    private func read(
        _ file: SourceFile, _ track: Track, _ origin: Time, from start: Time, to end: Time?, at position: Int,
        into levels: inout ChannelLevels
    ) throws(MediaError) -> Bool {
        let rate = ChannelLevels.rate
        let own = track.audio?.sampleRate ?? 48_000
        var position = position
        var graph: FilterGraph?
        var shape: FrameShape?
        var count: Int64 = 0
        var isUniform = true
        func drain(_ graph: borrowing FilterGraph) throws(LibavError) {
            while let out = try graph.receive() {
                levels.add(out.channelSamples, at: position)
                position += out.sampleCount
            }
        }
        let audio = CutAudio(
            source: file, track: track, origin: origin, rate: own, diagnostics: Diagnostics())
        try audio.read(from: start, to: end) { piece throws(LibavError) in
            if piece.channels != levels.powers.count || shape.map({ $0.layout != piece.shape.layout }) == true
            {
                isUniform = false
                return false
            }
            if shape != piece.shape {
                if let graph {
                    try graph.send(nil)
                    try drain(graph)
                }
                (shape, count) = (piece.shape, 0)
                graph = try FilterGraph(
                    chain: "aresample=\(rate),aformat=sample_fmts=fltp:sample_rates=\(rate)",
                    shape: piece.shape, timebase: Timebase(perSecond: piece.sampleRate) ?? .seconds,
                    threads: 1)
            }
            guard let graph else { return true }
            piece.pts = count
            count += Int64(piece.sampleCount)
            try graph.send(piece)
            try drain(graph)
            return true
        }
        try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            guard let graph, isUniform else { return }
            try graph.send(nil)
            try drain(graph)
        }
        return isUniform
    }
}

// Says of a window of audio that it is not the source's at all: where nothing matches, no lag can be measured. Pure but for reading the
// source anew where a window seems to be other audio; it does not decide where the audio belongs.
extension AudioComparison {
    /// Whether a window holds other audio than the source, which audio that was encoded with loss does not: hardly any correlation of
    /// what can be heard, or one is silent and the other is not. With another speed no statement is made.
    /// - Parameter likeness: the best correlation that was found; nil: either is silent, or too short.
    func isOther(_ window: Window, _ rate: Int, likeness: Double?) throws(MediaError) -> Bool {
        guard likeness ?? 0 < AudioComparison.unrelated, segments.speed == Ratio(1),
            let around = try surroundings(of: window, rate)
        else { return false }
        let own = Correlation.level(of: window.samples[...])
        let source = Correlation.level(of: around.samples[around.reach...].prefix(window.samples.count))
        guard likeness != nil else {
            return min(own, source) < AudioComparison.silent && max(own, source) > AudioComparison.audible
        }
        guard min(own, source) > AudioComparison.audible else { return false }
        let length = max(1, rate / AudioComparison.telephone)
        let found = Correlation(
            of: AudioComparison.smooth(window.samples, over: length),
            in: AudioComparison.smooth(around.samples, over: length), expected: around.reach)
        return found?.likeness ?? 0 < AudioComparison.unrelatedSmooth
    }

    /// Means of so many samples each: what codecs leave out above 2 kHz hardly counts.
    private static func smooth(_ samples: [Float], over length: Int) -> [Float] {
        var sum: Float = 0
        return samples.indices.map { index in
            sum += samples[index] - (index >= length ? samples[index - length] : 0)
            return sum / Float(length)
        }
    }

    /// Correlations below these are no likeness. Measured in windows of a quarter of a second: speech, music and pink noise through Opus
    /// at 6 kbit/s, the least that was tried, 0.16 and 0.18 where smooth; noise with other noise 0.04 and 0.09.
    private static let unrelated = 0.1, unrelatedSmooth = 0.13
    /// The samples per second of telephony: codecs keep no less at their lowest rates.
    private static let telephone = 8000
    /// Effective levels of full scale: -50 dB can be heard, -80 dB is what codecs make of silence.
    private static let audible = 0.003, silent = 0.0001

    /// The samples that the output should have, of those that the source's header says and those that were found: a source that breaks off
    /// is shorter than it says, and one whose header is rounded, or counts no delay, longer.
    func length(_ said: Int64, found: Int64, _ rate: Int) throws(MediaError) -> Int64 {
        guard (said - found).magnitude > AudioComparison.lengthSlack.magnitude else { return said }
        guard found > said else {
            var length = found
            for part in segments.all {
                let end = [part.end, end].compactMap(\.self).min()
                length += try remaining(of: part, after: found, to: end, rate)
            }
            return min(said, length)
        }
        guard let last = segments.all.last, last.end == nil else { return said }
        return min(found, said + (try remaining(of: last, after: said, to: nil, rate)))
    }

    /// The samples of a part that the output could have after these.
    private func remaining(
        of part: Segment, after count: Int64, to end: Time?, _ rate: Int
    ) throws(MediaError) -> Int64 {
        let from = max(part.start, part.source(Time(count, Int32(clamping: rate))))
        if let end, from >= end { return 0 }
        let mono = MonoAudio(
            source: source, track: track, origin: origin, rate: rate, diagnostics: Diagnostics())
        var samples = 0
        try mono.read(from: from, to: end) { piece in
            samples += piece.count
            return true
        }
        return Time(Int64(samples), 1).played(at: part.speed).converted(to: 1, rounding: .halfAwayFromZero)
            .value
    }
}

// Recognises copied audio that begins at the in point without decoding it: its first packets are the source's, byte for byte, and
// have their times. Runs on the caller's thread.
extension AudioComparison {
    /// How much of the output is looked at: as long as the window that is decoded otherwise.
    private static let copiedSpan = Time(1, 4)
    /// Fewer packets than this could be alike by chance, as those of silence are.
    private static let leastPackets = 3

    private struct StoredPacket {
        /// When it is played, in output time.
        let time: Time
        let bytes: [UInt8]
    }

    /// Whether the output begins with the source's packets, each at its time. False also where that cannot be told: packets may be cut
    /// or wrapped otherwise, or begin between two ticks.
    var beginsWithSourcePackets: Bool {
        guard let segment = segments.all.first, segment.speed == Ratio(1), track.codec == made.codec,
            track.audio?.sampleRate == made.audio?.sampleRate
        else { return false }
        let until = segment.at + AudioComparison.copiedSpan
        let copied = packets(
            output, made, zero, at: .zero, back: .positiveInfinity, shift: .zero, until: until)
        guard copied.count >= AudioComparison.leastPackets, let first = copied.first else { return false }
        let rate = track.audio?.sampleRate ?? 48_000
        let slack = Time(Int64(slack(rate)), Int32(clamping: rate))
        func isNear(_ one: StoredPacket, _ other: StoredPacket) -> Bool {
            one.time - other.time <= slack && other.time - one.time <= slack
        }
        // The first packets may be played before the in point, for the decoder's sake.
        let stored = packets(
            source, track, origin, at: segment.start + min(first.time - segment.at, .zero), back: Time(1, 2),
            shift: segment.start - segment.at, until: until + slack)
        guard let start = stored.firstIndex(where: { isNear($0, first) && $0.bytes == first.bytes }),
            stored.count - start >= copied.count
        else { return false }
        return zip(stored[start...], copied).allSatisfy { isNear($0, $1) && $0.bytes == $1.bytes }
    }

    /// The packets from a time of a file on, and some before it; none where one has no time.
    /// - Parameters:
    ///   - shift: what is played at this time is played at the output's 0.
    ///   - until: in output time.
    private func packets(
        _ file: SourceFile, _ track: Track, _ origin: Time, at time: Time, back: Time, shift: Time,
        until: Time
    ) -> [StoredPacket] {
        guard let packet = try? Packet(),
            let reader = try? TrackReader.open(
                file, track: track, origin: origin, at: time, back: back)
        else { return [] }
        var packets: [StoredPacket] = []
        while reader.read(into: packet, Diagnostics()) {
            guard let pts = packet.pts else { return [] }
            let time = track.timebase.time(ofTicks: pts) - origin - shift
            if time >= until { break }
            packets.append(StoredPacket(time: time, bytes: packet.bytes))
        }
        return packets
    }
}

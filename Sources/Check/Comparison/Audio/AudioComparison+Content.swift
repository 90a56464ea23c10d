// Says of a window of audio that it is not the source's at all: where nothing matches, no lag can be measured. Pure but for reading the
// source anew where a window seems to be other audio; it does not decide where the audio belongs.
internal import Media
internal import MediaTime
internal import Pictures
internal import Source

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

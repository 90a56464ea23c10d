// Says of a window of audio that it is not the source's at all: where nothing matches, no lag can be measured.
internal import Media
internal import MediaTime

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
        guard likeness == nil else { return min(own, source) > AudioComparison.audible }
        return min(own, source) < AudioComparison.silent && max(own, source) > AudioComparison.audible
    }

    /// Noise correlates with other noise by 0.04 in a quarter of a second, and with itself by more than 0.4 at the lowest bit rates.
    private static let unrelated = 0.1
    /// Effective levels of full scale: -50 dB can be heard, -80 dB is what codecs make of silence.
    private static let audible = 0.003, silent = 0.0001
}

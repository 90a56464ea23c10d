// Changes how fast audio plays, with its pitch kept: the filters, and the exact number of samples. Pure.
internal import MediaTime

/// Another playback speed.
struct Tempo: Hashable {
    let speed: Ratio

    /// Nil for the source's own speed.
    init?(_ speed: Ratio) {
        guard speed != Ratio(1) else { return nil }
        self.speed = speed
    }

    /// The filters, followed by a comma. Beyond twice the speed one filter would leave samples out instead of blending them.
    var filters: String {
        speed.value > 2 ? "atempo=2,atempo=\(speed.value / 2)," : "atempo=\(speed.value),"
    }

    /// Samples of the output for this much audio of the source.
    func samples(of length: Time, rate: Int) -> Int64 {
        length.played(at: speed).multiplied(by: Int64(rate), over: 1).converted(
            to: 1, rounding: .halfAwayFromZero
        ).value
    }
}

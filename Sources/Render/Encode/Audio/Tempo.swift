// Changes how fast audio plays, with its pitch kept: the filters, and the exact number of samples. Pure.
package import MediaTime
internal import Source

/// Another playback speed.
package struct Tempo: Hashable {
    let speed: Ratio

    /// Nil for the source's own speed.
    package init?(_ speed: Ratio) {
        guard speed != Ratio(1) else { return nil }
        self.speed = speed
    }

    /// The filters from a source's audio to that of the output at this speed. Beyond twice the speed one filter would leave samples
    /// out instead of blending them.
    ///
    /// The filter chooses its seams by the samples. So that whoever compares finds the same ones, they have the output's rate and
    /// channels and one format here, whatever follows: without the last filter, the following ones would choose them.
    package func filters(rate: Int, layout: String) -> String {
        let tempo = speed.value > 2 ? "atempo=2,atempo=\(speed.value / 2)" : "atempo=\(speed.value)"
        return AudioEncoder.conversion(rate: rate, layout: layout)
            + ",aformat=sample_fmts=flt,\(tempo),aresample"
    }

    /// Samples of the output for this much audio of the source.
    func samples(of length: Time, rate: Int) -> Int64 {
        length.played(at: speed).multiplied(by: Int64(rate), over: 1).converted(
            to: 1, rounding: .halfAwayFromZero
        ).value
    }
}

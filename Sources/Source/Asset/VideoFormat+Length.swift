// How long a frame is taken to last where nothing tells.
package import Media
package import MediaTime

extension VideoFormat {
    /// The length of a frame that does not say its own and that no other follows: as readers take it, by the rate whose grid holds all
    /// frames; by the average where that grid is much finer than the frames are. Nil if no rate is known.
    package var usualLength: Time? {
        let average = frameRate
        let grid = nominalRate.flatMap { rate in
            average.map { rate.value <= VideoFormat.finestGrid * $0.value } ?? true ? rate : nil
        }
        return (grid ?? average)?.reciprocal.flatMap { length in
            guard length.numerator > 0, let timescale = Int32(exactly: length.denominator) else { return nil }
            return Time(length.numerator, timescale)
        }
    }

    /// A grid of more places than this for each frame is one of ticks.
    private static let finestGrid = 3.0
}

extension Track {
    /// The length of a frame of which nothing tells it: the usual one, but not beyond the end of the edit list.
    /// - Parameter time: when the frame begins, in asset time.
    package func usualLength(at time: Time) -> Time {
        let usual = video?.usualLength ?? Time(1, 25)
        guard edits != nil, let duration else { return usual }
        let left = (start ?? .zero) + duration - time
        return left > .zero ? min(usual, left) : usual
    }
}

// Conversion of a time to another timescale: the six rules of CMTimeRoundingMethod, and lowest terms. It does not choose
// timescales; arithmetic (TimeArithmetic) and file writers do.

/// How to round a number between two units.
public enum RoundingMethod: String, Hashable, Codable, CaseIterable, Sendable {
    /// To the nearest; a half rounds away from zero. The default.
    case halfAwayFromZero
    /// Down in magnitude.
    case towardZero
    /// Up in magnitude.
    case awayFromZero
    /// Toward zero for a coarser scale, away from zero for a finer one; a negative number never becomes 0.
    case quickTime
    /// Up.
    case towardPositiveInfinity
    /// Down.
    case towardNegativeInfinity
}

extension Time {
    /// The same time in units of `1 / timescale` seconds, flagged if that is not exact.
    ///
    /// A value that needs more than 64 bits becomes an infinity, a timescale of 0 or less gives an invalid time, and a
    /// non-numeric time stays unchanged.
    public func converted(to timescale: Int32, rounding: RoundingMethod = .halfAwayFromZero) -> Time {
        guard timescale > 0 else { return .invalid }
        guard isNumeric else { return self }
        let (quotient, exact) = divide(
            Int128(value) * Int128(timescale), by: Int128(self.timescale), rounding: rounding,
            finer: timescale > self.timescale)
        guard let value = Int64(exactly: quotient) else {
            return quotient > 0 ? .positiveInfinity : .negativeInfinity
        }
        return Time(value: value, timescale: timescale, epoch: epoch)
            .flagged(rounded: hasBeenRounded || !exact)
    }

    /// The same time in lowest terms.
    public var reduced: Time {
        guard isNumeric else { return self }
        let (value, timescale) = lowestTerms(Int128(value), Int128(timescale))
        return Time(value: Int64(clamping: value), timescale: Int32(clamping: timescale), epoch: epoch)
            .flagged(rounded: hasBeenRounded)
    }

    /// `dividend / divisor` seconds at a timescale that is halved until the value fits; otherwise an infinity.
    ///
    /// The divisor must be above 0, and the dividend times the timescale below 2¹²⁷.
    static func fitting(
        _ dividend: Int128, over divisor: Int128, timescale: Int32, epoch: Int64 = 0, rounded: Bool = false
    ) -> Time {
        var scale = timescale
        while true {
            let (quotient, exact) = divide(
                dividend * Int128(scale), by: divisor, rounding: .halfAwayFromZero)
            if let value = Int64(exactly: quotient) {
                return Time(value: value, timescale: scale, epoch: epoch).flagged(rounded: rounded || !exact)
            }
            if scale == 1 { return quotient > 0 ? .positiveInfinity : .negativeInfinity }
            scale /= 2
        }
    }

    /// `dividend / divisor` seconds in lowest terms, or the nearest time that a timescale holds, flagged.
    ///
    /// The divisor must be from 1 to 2⁹⁴.
    static func nearest(_ dividend: Int128, over divisor: Int128, epoch: Int64, rounded: Bool) -> Time {
        let (dividend, divisor) = lowestTerms(dividend, divisor)
        guard let around = timesAround(dividend, over: divisor) else {
            return dividend > 0 ? .positiveInfinity : .negativeInfinity
        }
        let time = around.lowerIsNearer ? around.lower : around.upper
        let exact = Int128(time.value) == dividend && Int128(time.timescale) == divisor
        return Time(value: time.value, timescale: time.timescale, epoch: epoch)
            .flagged(rounded: rounded || !exact)
    }
}

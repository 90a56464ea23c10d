// Integer arithmetic for Time: division with rounding, products of more than 128 bits, and the nearest representable fractions.
// Independent of times, flags and infinities; nil means "does not fit".

/// The greatest common divisor of two magnitudes; `gcd(0, n)` is n.
func greatestCommonDivisor(_ first: UInt128, _ second: UInt128) -> UInt128 {
    var (a, b) = (first, second)
    while b != 0 { (a, b) = (b, a % b) }
    return a
}

/// A fraction in lowest terms. The divisor must be above 0.
func lowestTerms(_ dividend: Int128, _ divisor: Int128) -> (Int128, Int128) {
    let common = Int128(greatestCommonDivisor(dividend.magnitude, divisor.magnitude))
    return (dividend / common, divisor / common)
}

/// `dividend / divisor` as an integer. The divisor must be above 0, the dividend below 2¹²⁷ in magnitude.
///
/// `finer` says whether the result counts smaller units than its source; only the QuickTime rule uses it.
func divide(
    _ dividend: Int128, by divisor: Int128, rounding: RoundingMethod, finer: Bool = false
) -> (quotient: Int128, exact: Bool) {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    if remainder == 0 { return (quotient, true) }
    let away: Int128 = dividend < 0 ? -1 : 1
    let step: Int128
    switch rounding {
    case .halfAwayFromZero:
        let rest = Int128(remainder.magnitude)
        step = rest >= divisor - rest ? away : 0
    case .towardZero: step = 0
    case .awayFromZero: step = away
    case .quickTime: step = finer || (dividend < 0 && quotient == 0) ? away : 0
    case .towardPositiveInfinity: step = dividend > 0 ? 1 : 0
    case .towardNegativeInfinity: step = dividend < 0 ? -1 : 0
    }
    return (quotient + step, false)
}

/// `magnitude × factor × 2^exponent / divisor`, half rounded up, or nil if it needs more than 127 bits.
///
/// Multiplies a time by a floating-point number with a single rounding: 63 bits of value, 53 of significand and 31 of timescale
/// exceed 128, so the product has 256 bits.
func scale(
    _ magnitude: UInt128, by factor: UInt32, exponent: Int, over divisor: UInt32
) -> (quotient: UInt128, exact: Bool)? {
    var (high, low) = magnitude.multipliedFullWidth(by: UInt128(factor))
    if high == 0, low == 0 { return (0, true) }
    // One extra bit: the last bit of the quotient says which half the remainder is in.
    let shift = exponent + 1
    var lost = false
    if shift >= 0 {
        let width = high == 0 ? 128 - low.leadingZeroBitCount : 256 - high.leadingZeroBitCount
        guard width + shift <= 256 else { return nil }
        high = high << shift | (shift < 128 ? low >> (128 - shift) : low << (shift - 128))
        low = low << shift
    } else {
        let drop = -shift
        let lowMask: UInt128 = (1 << drop) &- 1
        let highMask: UInt128 = drop > 128 ? (1 << (drop - 128)) &- 1 : 0
        lost = low & lowMask != 0 || high & highMask != 0
        low = low >> drop | (drop < 128 ? high << (128 - drop) : high >> (drop - 128))
        high = high >> drop
    }
    guard high < UInt128(divisor) else { return nil }
    let (doubled, remainder) = UInt128(divisor).dividingFullWidth((high, low))
    let half = doubled & 1
    return (doubled >> 1 + half, half == 0 && remainder == 0 && !lost)
}

/// The two neighbours of `dividend / divisor` that a 31-bit timescale holds, or nil if the value needs over 64 bits.
///
/// The fraction must be in lowest terms with a divisor from 1 to 2⁹⁴. Both are the same where a time holds it exactly.
/// `lowerIsNearer` says which one rounding takes. Walks the Stern–Brocot tree, many steps at a time.
func timesAround(
    _ dividend: Int128, over divisor: Int128
) -> (lower: Time, upper: Time, lowerIsNearer: Bool)? {
    let whole = divide(dividend, by: divisor, rounding: .towardNegativeInfinity).quotient
    guard whole > Int128(Int64.min), whole < Int128(Int64.max) else {
        guard divisor == 1, let value = Int64(exactly: dividend) else { return nil }
        return (Time(value, 1), Time(value, 1), true)
    }
    let largest = max(whole.magnitude, (whole + 1).magnitude)
    let limit = min(Int128(Int32.max), Int128(UInt128(Int64.max) / largest))
    let rest = dividend - whole * divisor
    var lower: (p: Int128, q: Int128) = (0, 1)
    var upper: (p: Int128, q: Int128) = (1, 1)
    // The distance of each bound from the number, times its own denominator and the divisor.
    func gapBelow() -> Int128 { rest * lower.q - lower.p * divisor }
    func gapAbove() -> Int128 { upper.p * divisor - rest * upper.q }
    while gapBelow() > 0, gapAbove() > 0 {
        let up = min(gapBelow() / gapAbove(), (limit - lower.q) / upper.q)
        lower = (lower.p + up * upper.p, lower.q + up * upper.q)
        if gapBelow() == 0 { break }
        let down = min(gapAbove() / gapBelow(), (limit - upper.q) / lower.q)
        upper = (upper.p + down * lower.p, upper.q + down * lower.q)
        if up == 0, down == 0 { break }
    }
    if gapBelow() == 0 { upper = lower } else if gapAbove() == 0 { lower = upper }
    func time(_ bound: (p: Int128, q: Int128)) -> Time {
        Time(Int64(clamping: whole * bound.q + bound.p), Int32(clamping: bound.q))
    }
    return (time(lower), time(upper), gapBelow() * upper.q <= gapAbove() * lower.q)
}

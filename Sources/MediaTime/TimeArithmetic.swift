// Sums and products of times, with the rules of CMTimeAdd, CMTimeSubtract and the CMTimeMultiply family. Exact wherever a 64-bit
// value and a 31-bit timescale can hold the result; otherwise rounded once, from the exact result, and flagged.

extension Time {
    /// The sum; the timescale is that of the operands if equal, otherwise their least common multiple up to 31 bits.
    ///
    /// Invalid takes precedence over everything, an infinity over numbers and indefinite; opposite infinities are invalid. Times
    /// of two different epochs cannot be added, unless one is a duration (epoch 0).
    public static func + (left: Time, right: Time) -> Time {
        sum(left, right, sign: 1)
    }

    /// The difference, with the rules of the sum; within one epoch it is a duration (epoch 0).
    public static func - (left: Time, right: Time) -> Time {
        sum(left, right, sign: -1)
    }

    /// Adds in place.
    public static func += (left: inout Time, right: Time) { left = left + right }

    /// Subtracts in place.
    public static func -= (left: inout Time, right: Time) { left = left - right }

    /// The negated time.
    public static prefix func - (time: Time) -> Time {
        time.multiplied(by: -1)
    }

    /// The absolute value.
    public var absoluteValue: Time {
        isNegativeInfinity || value < 0 ? -self : self
    }

    /// The time multiplied by an integer; an infinity times 0 is invalid.
    public func multiplied(by factor: Int32) -> Time {
        guard isNumeric else { return scaledSpecial(sign: Int(factor.signum())) }
        return .fitting(
            Int128(value) * Int128(factor), over: Int128(timescale), timescale: timescale, epoch: epoch,
            rounded: hasBeenRounded)
    }

    /// The time multiplied by a fraction: in its own timescale where that is exact, otherwise in lowest terms, otherwise the
    /// nearest.
    ///
    /// A divisor of 0 gives an infinity; 0 over 0, and an infinity times 0, are invalid.
    public func multiplied(by factor: Int64, over divisor: Int64) -> Time {
        if factor == 0, divisor == 0 { return .invalid }
        let sign = Int(factor.signum()) * (divisor < 0 ? -1 : 1)
        guard isNumeric else { return scaledSpecial(sign: sign) }
        guard divisor != 0 else {
            let direction = Int(value.signum()) * sign
            return direction == 0 ? .invalid : direction > 0 ? .positiveInfinity : .negativeInfinity
        }
        let product = Int128(value) * Int128(factor) * (divisor < 0 ? -1 : 1)
        let size = Int128(divisor.magnitude)
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: size)
        if remainder == 0, let value = Int64(exactly: quotient) {
            return Time(value: value, timescale: timescale, epoch: epoch).flagged(rounded: hasBeenRounded)
        }
        return .nearest(product, over: Int128(timescale) * size, epoch: epoch, rounded: hasBeenRounded)
    }

    /// The time multiplied by a floating-point number, at a timescale doubled until it is at least 65536.
    ///
    /// Uses the exact binary value of the number and rounds once. (Disfavoured, so that `2` is an integer.)
    @_disfavoredOverload
    public func multiplied(by factor: Double) -> Time {
        guard isNumeric, factor.isFinite else {
            if factor.isNaN || !isValid { return .invalid }
            if isNumeric, value == 0 { return .invalid }
            let own = isNumeric ? Int(value.signum()) : 1
            let sign = factor == 0 ? 0 : factor < 0 ? -1 : 1
            let special: Time = isNumeric ? .positiveInfinity : self
            return special.scaledSpecial(sign: own * sign)
        }
        var scale = timescale
        while scale < 65536 { scale *= 2 }
        let (time, exact) = scaled(by: factor, startingAt: scale)
        return time.flagged(rounded: hasBeenRounded || !exact)
    }

    /// A numeric time multiplied by a number that is not NaN, at a timescale that is halved until the value fits.
    func scaled(by factor: Double, startingAt preferred: Int32) -> (time: Time, exact: Bool) {
        let negative = (value < 0) != (factor < 0)
        let infinity: Time = negative ? .negativeInfinity : .positiveInfinity
        guard factor.isFinite else { return (infinity, true) }
        let stored = UInt128(factor.significandBitPattern)
        let significand = factor.isNormal ? stored | 1 << 52 : stored
        let exponent = max(Int(factor.exponentBitPattern), 1) - 1075
        let magnitude = UInt128(value.magnitude) * significand
        var scale = preferred
        while true {
            if let (quotient, exact) = MediaTime.scale(
                magnitude, by: UInt32(scale), exponent: exponent, over: UInt32(timescale)),
                quotient <= UInt128(Int64.min.magnitude),
                let value = Int64(exactly: negative ? -Int128(quotient) : Int128(quotient))
            {
                return (Time(value: value, timescale: scale, epoch: epoch), exact)
            }
            if scale == 1 { return (infinity, true) }
            scale /= 2
        }
    }

    /// The product of a non-numeric time and a number with this sign.
    private func scaledSpecial(sign: Int) -> Time {
        guard isPositiveInfinity || isNegativeInfinity else { return self }
        if sign == 0 { return .invalid }
        return isPositiveInfinity == (sign > 0) ? .positiveInfinity : .negativeInfinity
    }

    private static func sum(_ left: Time, _ right: Time, sign: Int128) -> Time {
        guard left.isNumeric, right.isNumeric else {
            return specialSum(left, right.isNumeric ? right : right.scaledSpecial(sign: Int(sign)))
        }
        let epoch: Int64
        if left.epoch == right.epoch {
            epoch = sign > 0 ? left.epoch : 0
        } else {
            guard left.epoch == 0 || right.epoch == 0 else { return .invalid }
            epoch = left.epoch == 0 ? right.epoch : left.epoch
        }
        let (leftScale, rightScale) = (Int128(left.timescale), Int128(right.timescale))
        let common = Int128(greatestCommonDivisor(leftScale.magnitude, rightScale.magnitude))
        let multiple = leftScale / common * rightScale
        let total =
            Int128(left.value) * (rightScale / common) + sign * Int128(right.value) * (leftScale / common)
        return .fitting(
            total, over: multiple, timescale: Int32(clamping: multiple), epoch: epoch,
            rounded: left.hasBeenRounded || right.hasBeenRounded)
    }

    private static func specialSum(_ left: Time, _ right: Time) -> Time {
        if !left.isValid || !right.isValid { return .invalid }
        let infinities = [left, right].filter { $0.isPositiveInfinity || $0.isNegativeInfinity }
        guard let first = infinities.first, let last = infinities.last else { return .indefinite }
        return first == last ? first : .invalid
    }
}

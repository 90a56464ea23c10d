// Finds one piece of audio in another: the lag with the smallest difference, by fast correlation. Pure.
internal import Glibc

/// The position of one piece of audio in another.
struct Correlation: Hashable {
    /// The sample of the longer piece at which the shorter one begins.
    let offset: Int
    /// Correlation there, from -1 to 1.
    let likeness: Double
    /// Correlation at the expected position.
    let likenessExpected: Double

    /// Positions whose error exceeds the best one's by less than this fraction of the power count as equal: codec artefacts vary
    /// from period to period.
    private static let tie = 0.02

    /// Searches for `part` in `whole`, at each position from 0 to `whole.count - part.count`. Periodic audio fits at many
    /// positions, each a local optimum: of those about as good as the best, the one nearest to `expected` is used. Nil if
    /// either is silent or too short.
    init?(of part: [Float], in whole: [Float], expected: Int) {
        let count = whole.count - part.count + 1
        guard count > 0, part.count > 0 else { return nil }
        let own = part.reduce(0.0) { $0 + Double($1) * Double($1) }
        guard !Correlation.isSilent(own, part.count) else { return nil }
        let dots = Correlation.products(of: part, with: whole, count: count)
        // The power of the window at each position.
        var power = whole.prefix(part.count).reduce(0.0) { $0 + Double($1) * Double($1) }
        var errors: [Double] = []
        var powers: [Double] = []
        errors.reserveCapacity(count)
        powers.reserveCapacity(count)
        for offset in 0..<count {
            powers.append(max(power, 0))
            errors.append(max(0, power + own - 2 * dots[offset]))
            if offset + 1 < count {
                let (old, new) = (Double(whole[offset]), Double(whole[offset + part.count]))
                power += new * new - old * old
            }
        }
        guard let least = errors.min() else { return nil }
        let near = 1.2 * least + 1e-9 * own, far = least + Correlation.tie * own
        // Smooth audio also correlates with itself a few samples away: of the weaker matches, only local optima count as
        // positions.
        let fits = errors.indices.filter { at in
            errors[at] <= near
                || errors[at] <= far && (at == 0 || errors[at] <= errors[at - 1])
                    && (at + 1 == count || errors[at] <= errors[at + 1])
        }
        guard let best = fits.min(by: { abs($0 - expected) < abs($1 - expected) }) else { return nil }
        func alike(_ offset: Int) -> Double {
            let scale = (powers[offset] * own).squareRoot()
            let likeness = dots[offset] / scale
            return scale > 0 && likeness.isFinite ? likeness : 0
        }
        offset = best
        likeness = alike(best)
        likenessExpected = powers.indices.contains(expected) ? alike(expected) : 0
    }

    /// The effective level of audio, as a part of full scale.
    static func level(of samples: ArraySlice<Float>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
    }

    /// The correlation of `part` with the beginning of `whole`, from -1 to 1, without a search; 1 if `part` is silent, which matches
    /// anywhere.
    static func likeness(of part: ArraySlice<Float>, in whole: ArraySlice<Float>) -> Double {
        var (dot, own, power) = (0.0, 0.0, 0.0)
        for (a, b) in zip(part, whole) {
            let (a, b) = (Double(a), Double(b))
            dot += a * b
            own += a * a
            power += b * b
        }
        guard !isSilent(own, part.count) else { return 1 }
        let scale = (power * own).squareRoot()
        return scale > 0 && scale.isFinite && dot.isFinite ? dot / scale : 0
    }

    /// Whether samples of this power in all are silence.
    private static func isSilent(_ power: Double, _ count: Int) -> Bool { power <= 1e-8 * Double(count) }

    /// The sums of products of the part with the whole at the first positions.
    private static func products(of part: [Float], with whole: [Float], count: Int) -> [Double] {
        var size = 1
        while size < whole.count + part.count { size *= 2 }
        // Both are real: one is the real part, the other the imaginary part, and one transform serves both.
        var real = [Double](repeating: 0, count: size)
        var imaginary = real
        for (index, sample) in whole.enumerated() { real[index] = Double(sample) }
        for (index, sample) in part.enumerated() { imaginary[index] = Double(sample) }
        // The angles of the transform.
        let turns = (0..<max(1, size / 2)).map { -2 * Double.pi * Double($0) / Double(size) }
        let (cosines, sines) = (turns.map { cos($0) }, turns.map { sin($0) })
        transform(&real, &imaginary, cosines, sines)
        var (a, b) = (real, imaginary)
        for index in 0..<size {
            let other = (size - index) % size
            let w = ((real[index] + real[other]) / 2, (imaginary[index] - imaginary[other]) / 2)
            let p = ((imaginary[index] + imaginary[other]) / 2, (real[other] - real[index]) / 2)
            // The whole's spectrum times the conjugate of the part's.
            a[index] = w.0 * p.0 + w.1 * p.1
            b[index] = w.1 * p.0 - w.0 * p.1
        }
        // The inverse is the transform of the conjugate.
        for index in 0..<size { b[index] = -b[index] }
        transform(&a, &b, cosines, sines)
        return (0..<count).map { a[$0] / Double(size) }
    }

    /// The discrete Fourier transform, in place; the size is a power of 2. `cosines` and `sines` are those of its angles.
    private static func transform(
        _ real: inout [Double], _ imaginary: inout [Double], _ cosines: [Double], _ sines: [Double]
    ) {
        let size = real.count
        var reversed = 0
        for index in 1..<max(1, size) {
            var bit = size >> 1
            while reversed & bit != 0 {
                reversed ^= bit
                bit >>= 1
            }
            reversed |= bit
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
        }
        var length = 2
        while length <= size {
            let (half, step) = (length / 2, size / length)
            var start = 0
            while start < size {
                defer { start += length }
                var offset = 0
                while offset < half {
                    defer { offset += 1 }
                    let (upper, lower) = (start + offset, start + offset + half)
                    let (c, s) = (cosines[offset * step], sines[offset * step])
                    let r = real[lower] * c - imaginary[lower] * s
                    let i = real[lower] * s + imaginary[lower] * c
                    real[lower] = real[upper] - r
                    imaginary[lower] = imaginary[upper] - i
                    real[upper] += r
                    imaginary[upper] += i
                }
            }
            length *= 2
        }
    }
}

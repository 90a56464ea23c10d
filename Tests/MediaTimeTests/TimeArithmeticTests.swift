// Sums and products: the rules of CMTime one by one, and laws over many times against exact 128-bit
// fractions.
import MediaTime
import Testing

@Suite struct TimeArithmeticTests {
    /// Whether `sum` is left ± right: exactly where it is not flagged, else to half a unit of its own
    /// timescale.
    private func agrees(_ sum: Time, _ left: Time, _ right: Time, sign: Int128) -> Bool {
        let below = Int128(left.timescale) * Int128(right.timescale)
        let above =
            Int128(left.value) * Int128(right.timescale) + sign * Int128(right.value) * Int128(left.timescale)
        guard sum.isNumeric else {
            let limit = Int128(Int64.max) * below
            return sum.isPositiveInfinity ? above >= limit : sum.isNegativeInfinity && above <= -limit
        }
        let error = (Int128(sum.value) * below - above * Int128(sum.timescale)).magnitude
        return sum.hasBeenRounded ? error != 0 && 2 * error <= below.magnitude : error == 0
    }

    @Test func sumsAgreeWithExactFractions() {
        let pairs =
            Samples.pairs(Samples.wild(6000, seed: 11)) + Samples.pairs(Samples.ordinary(3000, seed: 12))
        let edges = Samples.edges.flatMap { first in
            Samples.edges.enumerated().filter { $0.offset % 7 == 0 }.map { (first, $0.element) }
        }
        var wrong: [String] = []
        var rounded = 0
        for (a, b) in pairs + edges {
            let (sum, difference) = (a + b, a - b)
            if !sum.isWellFormed || !difference.isWellFormed { wrong.append("form \(a) \(b)") }
            if !sum.isIdentical(to: b + a) { wrong.append("commutes \(a) \(b)") }
            guard a.isNumeric, b.isNumeric, a.epoch == 0, b.epoch == 0 else { continue }
            if sum.hasBeenRounded { rounded += 1 }
            if !agrees(sum, a, b, sign: 1) { wrong.append("\(a) + \(b) = \(sum)") }
            if !agrees(difference, a, b, sign: -1) { wrong.append("\(a) - \(b) = \(difference)") }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        #expect(rounded > 1000)
    }

    @Test func lawsOfExactSums() {
        let times = Samples.ordinary(3000, seed: 13)
        var exact = 0
        for ((a, b), c) in zip(Samples.pairs(times), times.dropFirst(2)) {
            let (left, right) = ((a + b) + c, a + (b + c))
            if !left.hasBeenRounded, !right.hasBeenRounded { exact += 1 }
            #expect(left.hasBeenRounded || right.hasBeenRounded || left == right, "\(a) \(b) \(c)")
            let back = a + b - b
            #expect(back.hasBeenRounded || back == a)
            #expect(a - b == -(b - a))
            #expect(a + .zero == a && (a - a) == .zero)
            #expect((a + b < a + c) == (b < c))
        }
        #expect(exact > 2900)
    }

    @Test func timescaleOfASum() {
        #expect((Time(1, 600) + Time(2, 600)).isIdentical(to: Time(3, 600)))
        #expect((Time(1, 4) + Time(1, 6)).isIdentical(to: Time(5, 12)))
        #expect((Time(1, 4) - Time(1, 6)).isIdentical(to: Time(1, 12)))
        // No common multiple in 31 bits: the maximum, and flagged.
        let capped = Time(1, .max) + Time(1, .max - 1)
        #expect(capped.timescale == .max && capped.value == 2 && capped.hasBeenRounded)
        // Past the cap, yet exact in the largest timescale: nothing was rounded.
        let whole = Time(Int64(Int32.max), .max) + Time(Int64(Int32.max) - 1, .max - 1)
        #expect(whole.isIdentical(to: Time(2 * Int64(Int32.max), .max)))
    }

    @Test func overflowHalvesTheTimescale() {
        let halved = Time(.max, 600) + Time(2, 600)
        #expect(halved.timescale == 300 && halved.value == (1 << 62) + 1 && halved.hasBeenRounded)
        #expect((Time(.max, 2) + Time(1, 2)).isIdentical(to: Time(1 << 62, 1)))
        #expect((Time(.max, 1) + Time(1, 1)).isPositiveInfinity)
        #expect((Time(.min, 1) - Time(1, 1)).isNegativeInfinity)
        #expect((Time(.min, 1) + Time(1, 1)).isIdentical(to: Time(.min + 1, 1)))
    }

    @Test func specialSums() {
        let (plus, minus) = (Time.positiveInfinity, Time.negativeInfinity)
        for time in Samples.edges {
            #expect(
                (time + .invalid).isIdentical(to: .invalid) && (Time.invalid - time).isIdentical(to: .invalid)
            )
            guard time.isNumeric || time.isIndefinite else { continue }
            #expect((time + plus).isPositiveInfinity && (time - plus).isNegativeInfinity)
            #expect((minus + time).isNegativeInfinity && (time - minus).isPositiveInfinity)
            #expect((time + .indefinite).isIndefinite && (Time.indefinite - time).isIndefinite)
        }
        #expect((plus + plus).isPositiveInfinity && (minus + minus).isNegativeInfinity)
        #expect(!(plus + minus).isValid && !(plus - plus).isValid && !(minus - minus).isValid)
        #expect((plus - minus).isPositiveInfinity && (minus - plus).isNegativeInfinity)
    }

    @Test func epochs() {
        func time(_ value: Int64, _ epoch: Int64) -> Time { Time(value: value, timescale: 1, epoch: epoch) }
        #expect(!(time(1, 1) + time(1, 2)).isValid && !(time(1, 1) - time(1, 2)).isValid)
        #expect((time(3, 2) - time(1, 2)).isIdentical(to: time(2, 0)))
        #expect((time(3, 2) + time(1, 2)).isIdentical(to: time(4, 2)))
        #expect((time(3, 2) + time(1, 0)).isIdentical(to: time(4, 2)))
        #expect((time(3, 2) - time(1, 0)).isIdentical(to: time(2, 2)))
        #expect(time(3, 2).multiplied(by: 2).isIdentical(to: time(6, 2)))
        #expect((-time(3, .min)).isIdentical(to: time(-3, .min)))
    }

    @Test func roundingIsRemembered() {
        let rough = Time(1, 3).converted(to: 10)
        #expect(rough.hasBeenRounded)
        #expect(
            (rough + .zero).hasBeenRounded && (Time.zero - rough).hasBeenRounded && (-rough).hasBeenRounded)
        #expect(rough.multiplied(by: 2).hasBeenRounded && rough.multiplied(by: 1, over: 3).hasBeenRounded)
        #expect(rough.multiplied(by: 0.5).hasBeenRounded && rough.reduced.hasBeenRounded)
        #expect(rough.converted(to: 100).hasBeenRounded)
        #expect(!(rough + .positiveInfinity).hasBeenRounded)
        #expect(rough == Time(3, 10))
    }

    @Test func negationAndSize() {
        #expect((-Time(3, 4)).isIdentical(to: Time(-3, 4)))
        #expect(Time(-3, 4).absoluteValue.isIdentical(to: Time(3, 4)))
        #expect((-Time(.min, 2)).isIdentical(to: Time(1 << 62, 1)))
        #expect((-Time(.min, 1)).isPositiveInfinity)
        #expect(Time(.min, 1).absoluteValue.isPositiveInfinity)
        #expect(
            (-Time.positiveInfinity).isNegativeInfinity
                && Time.negativeInfinity.absoluteValue.isPositiveInfinity)
        #expect((-Time.indefinite).isIndefinite && !(-Time.invalid).isValid)
    }

    @Test func timesAWholeNumber() {
        #expect(Time(3, 4).multiplied(by: 2).isIdentical(to: Time(6, 4)))
        #expect(Time(.max, 600).multiplied(by: 4).timescale == 150)
        #expect(Time(.max, 1).multiplied(by: 2).isPositiveInfinity)
        #expect(Time(.min, 1).multiplied(by: .min).isPositiveInfinity)
        #expect(Time.negativeInfinity.multiplied(by: -3).isPositiveInfinity)
        #expect(!Time.positiveInfinity.multiplied(by: 0).isValid)
        #expect(Time.indefinite.multiplied(by: 0).isIndefinite && !Time.invalid.multiplied(by: 2).isValid)
        for time in Samples.ordinary(500, seed: 14) {
            #expect(time.multiplied(by: 3) == time + time + time)
            #expect(time.multiplied(by: -1) == -time)
        }
    }

    @Test func timesAFraction() {
        #expect(Time(10, 600).multiplied(by: 1, over: 2).isIdentical(to: Time(5, 600)))
        #expect(Time(1, 600).multiplied(by: 1, over: 7).isIdentical(to: Time(1, 4200)))
        #expect(Time(1, 600).multiplied(by: -1, over: -7).isIdentical(to: Time(1, 4200)))
        #expect(Time(1, 2).multiplied(by: 1, over: 0).isPositiveInfinity)
        #expect(Time(1, 2).multiplied(by: -1, over: 0).isNegativeInfinity)
        #expect(Time(-1, 2).multiplied(by: -1, over: 0).isPositiveInfinity)
        for invalid in [
            Time(1, 2).multiplied(by: 0, over: 0), Time.zero.multiplied(by: 1, over: 0),
            Time.positiveInfinity.multiplied(by: 0, over: 1), Time.indefinite.multiplied(by: 0, over: 0),
            Time.invalid.multiplied(by: 1, over: 1),
        ] {
            #expect(!invalid.isValid)
        }
        #expect(Time.positiveInfinity.multiplied(by: 1, over: -2).isNegativeInfinity)
        #expect(Time.negativeInfinity.multiplied(by: 1, over: 0).isNegativeInfinity)
        // No 31-bit timescale holds 1/(3·Int32.max): the nearest of all is 0.
        let small = Time(1, .max).multiplied(by: 1, over: 3)
        #expect(small == .zero && small.hasBeenRounded)
        // …and of Int32.max/3 seconds in parts of Int32.max−1 the nearest is better than one part of either.
        let fine = Time(Int64(Int32.max), .max - 1).multiplied(by: 1, over: 1_000_003)
        #expect(
            fine.hasBeenRounded
                && abs(fine.seconds * 1_000_003 - Time(Int64(Int32.max), .max - 1).seconds) < 1e-9)
    }

    @Test func fractionsCancel() {
        var random = Seeded(15)
        for time in Samples.ordinary(2000, seed: 16) {
            let (m, d) = (
                Int64.random(in: 1...5000, using: &random), Int64.random(in: 1...5000, using: &random)
            )
            let there = time.multiplied(by: m, over: d)
            #expect(there.hasBeenRounded || there.multiplied(by: d, over: m) == time, "\(time) \(m) \(d)")
        }
    }

    @Test func timesAFloatingPointNumber() {
        // Doubled until it is at least 65536, by the rule of CMTimeMultiplyByFloat64.
        #expect(Time(10, 600).multiplied(by: 0.5).isIdentical(to: Time(640, 76800)))
        #expect(Time(10, 90000).multiplied(by: 0.5).isIdentical(to: Time(5, 90000)))
        #expect(Time(1, 1).multiplied(by: 0.1).hasBeenRounded)
        #expect(Time(1, 1).multiplied(by: 0.1).value == 6554)
        #expect(Time(1, .max).multiplied(by: -2.0).isIdentical(to: Time(-2, .max)))
        // 100 → 102400 on the way up; then halved as far as 2^62 needs.
        #expect(Time(1 << 60, 100).multiplied(by: 4.0).isIdentical(to: Time(1 << 62, 100)))
        #expect(Time(.max, 1).multiplied(by: 2.0).isPositiveInfinity)
        #expect(Time(.max, 1).multiplied(by: -1e300).isNegativeInfinity)
        #expect(Time(.max, .max).multiplied(by: .leastNonzeroMagnitude) == .zero)
        #expect(!Time(1, 1).multiplied(by: .nan).isValid && !Time.zero.multiplied(by: .infinity).isValid)
        #expect(Time(-1, 1).multiplied(by: .infinity).isNegativeInfinity)
        #expect(Time.negativeInfinity.multiplied(by: -.infinity).isPositiveInfinity)
        #expect(!Time.positiveInfinity.multiplied(by: 0.0).isValid)
        #expect(Time.positiveInfinity.multiplied(by: -0.5).isNegativeInfinity)
        #expect(Time.indefinite.multiplied(by: 0.5).isIndefinite && !Time.invalid.multiplied(by: 0.5).isValid)
        for time in Samples.edges {
            for factor in [
                0.0, -0.0, .leastNonzeroMagnitude, 1e-30, 0.3, 1, 1e15, 1e40, .greatestFiniteMagnitude,
                .infinity, .nan,
            ] {
                #expect(time.multiplied(by: factor).isWellFormed && time.multiplied(by: -factor).isWellFormed)
            }
        }
    }

    @Test func binaryFactorsAreExact() {
        var random = Seeded(17)
        for time in Samples.ordinary(2000, seed: 18) {
            let (factor, shift) = (
                Int64.random(in: -4000...4000, using: &random), Int.random(in: 0...30, using: &random)
            )
            let divisor: Int64 = 1 << shift
            let product = time.multiplied(by: Double(factor) / Double(divisor))
            // |value · timescale' · factor / (timescale · divisor) − product| ≤ ½, in integers.
            let above = Int128(time.value) * Int128(factor) * Int128(product.timescale)
            let below = Int128(time.timescale) * Int128(divisor)
            let error = (above - Int128(product.value) * below).magnitude
            #expect(
                2 * error <= below.magnitude && (error == 0) == !product.hasBeenRounded,
                "\(time) \(factor)/\(divisor)")
        }
    }
}

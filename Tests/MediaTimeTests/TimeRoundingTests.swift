// Rounding: the six rules against a rule spelled out anew here, conversion there and back, and the proof that
// the times named in a refusal really are the nearest ones.
import Testing

@testable import MediaTime

@Suite struct TimeRoundingTests {
    /// The rule in other words: among the integers below and above, choose.
    private func expected(_ above: Int, _ below: Int, _ rule: RoundingMethod, finer: Bool) -> Int {
        var low = above / below
        while low * below > above { low -= 1 }
        if low * below == above { return low }
        let (inner, outer) = above < 0 ? (low + 1, low) : (low, low + 1)
        switch rule {
        case .towardNegativeInfinity: return low
        case .towardPositiveInfinity: return low + 1
        case .towardZero: return inner
        case .awayFromZero: return outer
        case .halfAwayFromZero:
            return abs(outer * below - above) <= abs(inner * below - above) ? outer : inner
        case .quickTime: return finer || (above < 0 && inner == 0) ? outer : inner
        }
    }

    @Test(arguments: RoundingMethod.allCases) func sixRules(rule: RoundingMethod) {
        for value in -40...40 {
            for from in [1, 2, 3, 4, 7, 10] {
                for to in [1, 2, 3, 4, 5, 7, 10, 30] {
                    let time = Time(Int64(value), Int32(from))
                    let converted = time.converted(to: Int32(to), rounding: rule)
                    let wanted = expected(value * to, from, rule, finer: to > from)
                    #expect(converted.value == Int64(wanted) && converted.timescale == Int32(to))
                    #expect(converted.hasBeenRounded == (value * to % from != 0), "\(time) to \(to)")
                    #expect((converted == time) == !converted.hasBeenRounded)
                }
            }
        }
    }

    @Test func theRulesAtAHalf() {
        let wanted: [(RoundingMethod, Int64, Int64)] = [
            (.halfAwayFromZero, 3, -3), (.towardZero, 2, -2), (.awayFromZero, 3, -3), (.quickTime, 2, -2),
            (.towardPositiveInfinity, 3, -2), (.towardNegativeInfinity, 2, -3),
        ]
        #expect(wanted.count == RoundingMethod.allCases.count)
        for (rule, up, down) in wanted {
            #expect(Time(5, 2).converted(to: 1, rounding: rule).value == up, "\(rule)")
            #expect(Time(-5, 2).converted(to: 1, rounding: rule).value == down, "\(rule)")
        }
        #expect(Time(1, 3).converted(to: 10, rounding: .quickTime).value == 4)
        #expect(Time(-1, 1000).converted(to: 10, rounding: .quickTime).value == -1)
        #expect(Time(1, 1000).converted(to: 10, rounding: .quickTime).value == 0)
        #expect(Time(5, 2).converted(to: 1) == Time(3, 1))
    }

    @Test func conversionAtTheEdges() {
        #expect(Time(.max, 1).converted(to: 2).isPositiveInfinity)
        #expect(Time(.min, 1).converted(to: 2).isNegativeInfinity)
        #expect(Time(.min, 2).converted(to: 1).isIdentical(to: Time(-1 << 62, 1)))
        for time in Samples.special { #expect(time.converted(to: 600).isIdentical(to: time)) }
        #expect(Time(value: 1, timescale: 2, epoch: 7).converted(to: 4).epoch == 7)
        for time in Samples.edges {
            for scale in Samples.timescales {
                for rule in RoundingMethod.allCases {
                    let there = time.converted(to: scale, rounding: rule)
                    guard there.isWellFormed else {
                        Issue.record("\(time) to \(scale) by \(rule)")
                        return
                    }
                }
            }
        }
    }

    @Test func thereAndBack() {
        for time in Samples.ordinary(2000, seed: 21) {
            let finer = time.converted(to: time.timescale * 7)
            #expect(!finer.hasBeenRounded && finer == time)
            #expect(finer.converted(to: time.timescale).isIdentical(to: time))
            let down = time.converted(to: 1000, rounding: .towardNegativeInfinity)
            let up = time.converted(to: 1000, rounding: .towardPositiveInfinity)
            #expect(down <= time && time <= up && up - down <= Time(1, 1000))
            #expect((up == down) == !up.hasBeenRounded)
        }
    }

    @Test func nearestFractionsAreNeighbours() throws {
        var random = Seeded(22)
        for round in 0..<3000 {
            let divisor = Int128(Int64.random(in: 1 << 32 ... .max, using: &random)) << Int128(round % 2 * 30)
            let dividend = Int128(Int64.random(in: .min ... .max, using: &random)) >> Int128(round % 61)
            let (above, below) = lowestTerms(dividend, divisor)
            guard below > Int128(Int32.max) else { continue }
            let (lower, upper, lowerIsNearer) = try #require(timesAround(above, over: below))
            #expect(Int128(lower.value) * below < above * Int128(lower.timescale))
            #expect(Int128(upper.value) * below > above * Int128(upper.timescale))
            // Two fractions with this determinant have none between them but with the sum of their
            // denominators.
            let determinant =
                Int128(upper.value) * Int128(lower.timescale) - Int128(lower.value) * Int128(upper.timescale)
            #expect(determinant == 1)
            let largest = max(lower.absoluteValue, upper.absoluteValue)
            #expect(
                Int64(lower.timescale) + Int64(upper.timescale) > Int64(Int32.max)
                    || largest.seconds * Double(Int32.max) > 0x1p62)
            // The distances, over the same denominator: floating point could not tell them apart.
            let toLower =
                (above * Int128(lower.timescale) - Int128(lower.value) * below) * Int128(upper.timescale)
            let toUpper =
                (Int128(upper.value) * below - above * Int128(upper.timescale)) * Int128(lower.timescale)
            #expect(lowerIsNearer == (toLower <= toUpper))
        }
    }

    @Test func nearestFractionsWithinReachAreExact() throws {
        for time in Samples.ordinary(500, seed: 23) {
            let lowest = time.reduced
            let around = try #require(timesAround(Int128(lowest.value), over: Int128(lowest.timescale)))
            #expect(around.lower.isIdentical(to: lowest) && around.upper.isIdentical(to: lowest))
        }
        #expect(timesAround(Int128(Int64.max) + 1, over: 1) == nil)
        #expect(timesAround(Int128(Int64.max), over: 1)?.lower.value == .max)
        #expect(timesAround(1 << 100, over: 3) == nil)
    }
}

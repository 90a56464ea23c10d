// The basics of a time: its constants, its order, its hash, and its way from and to floating point.
import MediaTime
import Testing

@Suite struct TimeTests {
    @Test func constantsAreWhatTheySay() {
        #expect(Time.zero.isNumeric && Time.zero.isValid && Time.zero.seconds == 0)
        #expect(!Time.invalid.isValid && !Time.invalid.isNumeric && Time.invalid.seconds.isNaN)
        #expect(Time.indefinite.isValid && Time.indefinite.isIndefinite && !Time.indefinite.isNumeric)
        #expect(Time.indefinite.seconds.isNaN)
        #expect(Time.positiveInfinity.isPositiveInfinity && Time.positiveInfinity.seconds == .infinity)
        #expect(Time.negativeInfinity.isNegativeInfinity && Time.negativeInfinity.seconds == -.infinity)
        #expect(Samples.special.allSatisfy { $0.isWellFormed })
        #expect(Samples.special.allSatisfy { !$0.isNumeric })
    }

    @Test(arguments: [0, -1, Int32.min]) func noTimescaleNoTime(timescale: Int32) {
        #expect(!Time(1, timescale).isValid)
        #expect(!Time(value: 1, timescale: timescale, epoch: 3).isValid)
        #expect(!Time(seconds: 1.5, preferredTimescale: timescale).isValid)
        #expect(!Time(1, 1).converted(to: timescale).isValid)
    }

    @Test func equalityIsByMoment() {
        #expect(Time(1, 2) == Time(2, 4))
        #expect(Time(1, 2) != Time(2, 3))
        #expect(Time(value: 1, timescale: 2, epoch: 1) != Time(1, 2))
        #expect(Time(seconds: 3) == Time(3000, 1000))
        #expect(Time(Int64.max, Int32.max) != Time(Int64.max - 1, Int32.max))
    }

    @Test func orderOfTheKinds() {
        let rising: [Time] = [
            .negativeInfinity, Time(value: 9, timescale: 1, epoch: -1), Time(.min, 1), Time(-1, 2), .zero,
            Time(1, .max), Time(1, 3), Time(1, 2), Time(.max, 1), Time(value: -9, timescale: 1, epoch: 1),
            .indefinite, .positiveInfinity, .invalid,
        ]
        for (i, first) in rising.enumerated() {
            for (j, second) in rising.enumerated() {
                #expect((first < second) == (i < j), "\(first) \(second)")
                #expect((first == second) == (i == j), "\(first) \(second)")
            }
        }
        #expect(rising.shuffled().sorted().elementsEqual(rising, by: { $0.isIdentical(to: $1) }))
    }

    @Test func orderIsTotal() {
        var random = Seeded(1)
        let times = Samples.edges + Samples.wild(2000, seed: 2)
        var wrong: [String] = []
        for _ in 0..<20000 {
            let picked = (0..<3).map { _ in times.randomElement(using: &random) ?? .zero }
            let (a, b, c) = (picked[0], picked[1], picked[2])
            if [a < b, a == b, b < a].count(where: { $0 }) != 1 { wrong.append("one of three: \(a) \(b)") }
            if a < b, b < c, !(a < c) { wrong.append("transitive: \(a) \(b) \(c)") }
            if a == b, (a < c) != (b < c) { wrong.append("equal in order: \(a) \(b) \(c)") }
            if min(a, b) > max(a, b) { wrong.append("min max: \(a) \(b)") }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
    }

    @Test func equalTimesHashAlike() {
        for time in Samples.edges where time.isNumeric {
            #expect(time.hashValue == time.reduced.hashValue)
            let (doubled, overflow) = time.value.multipliedReportingOverflow(by: 2)
            guard !overflow, time.timescale <= Int32.max / 2 else { continue }
            #expect(Time(doubled, time.timescale * 2).hashValue == time.hashValue)
        }
        #expect(Set([Time(1, 2), Time(2, 4), Time(500, 1000), .invalid, .invalid]).count == 2)
        #expect(Set(Samples.special).count == 4)
    }

    @Test func reducedIsTheSameInLowestTerms() {
        #expect(Time(441000, 44100).reduced.isIdentical(to: Time(10, 1)))
        #expect(Time(0, 90000).reduced.isIdentical(to: Time(0, 1)))
        #expect(Time(Int64.min, 1 << 30).reduced.isIdentical(to: Time(-1 << 33, 1)))
        for time in Samples.edges { #expect(time.reduced == time && time.reduced.isWellFormed) }
    }

    @Test func fromFloatingPoint() {
        let half = Time(seconds: 0.5, preferredTimescale: 600)
        #expect(half.isIdentical(to: Time(300, 600)))
        #expect(Time(seconds: -1.25, preferredTimescale: 4).isIdentical(to: Time(-5, 4)))
        // 0.1 is not binary, but back in floating point it is the number that was given: not rounded.
        #expect(Time(seconds: 0.1, preferredTimescale: 600).isIdentical(to: Time(60, 600)))
        let third = Time(seconds: 1.0 / 3, preferredTimescale: 600)
        #expect(third.isIdentical(to: Time(200, 600)))
        let rough = Time(seconds: 0.3339, preferredTimescale: 600)
        #expect(rough == Time(200, 600) && rough.hasBeenRounded)
        #expect(Time(seconds: 2.5, preferredTimescale: 1) == Time(3, 1))
        #expect(Time(seconds: -2.5, preferredTimescale: 1) == Time(-3, 1))
    }

    @Test func fromFloatingPointAtTheEdges() {
        #expect(!Time(seconds: .nan, preferredTimescale: 600).isValid)
        #expect(Time(seconds: .infinity, preferredTimescale: 600).isPositiveInfinity)
        #expect(Time(seconds: -.infinity, preferredTimescale: 600).isNegativeInfinity)
        #expect(Time(seconds: .greatestFiniteMagnitude, preferredTimescale: .max).isPositiveInfinity)
        #expect(Time(seconds: -.greatestFiniteMagnitude, preferredTimescale: 1).isNegativeInfinity)
        let tiny = Time(seconds: .leastNonzeroMagnitude, preferredTimescale: .max)
        #expect(tiny == .zero && tiny.hasBeenRounded)
        // 2^60 needs a timescale below 8: 600, 300, 150, 75, 37, 18, 9, 4.
        #expect(Time(seconds: 0x1p60, preferredTimescale: 600).isIdentical(to: Time(1 << 62, 4)))
        #expect(Time(seconds: -0x1p63, preferredTimescale: 600).isIdentical(to: Time(.min, 1)))
        #expect(Time(seconds: 0x1p63, preferredTimescale: 600).isPositiveInfinity)
    }

    @Test func floatingPointRoundTrip() {
        for time in Samples.ordinary(3000, seed: 3) {
            let back = Time(seconds: time.seconds, preferredTimescale: time.timescale)
            #expect(back.isIdentical(to: time), "\(time)")
        }
    }
}

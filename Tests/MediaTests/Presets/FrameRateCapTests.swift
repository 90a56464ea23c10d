// Which frames of a constant rate a cap keeps, and the rate that results: by a table, then as laws over many rates.
import Media
import MediaTime
import Testing

@Suite struct FrameRateCapTests {
    /// A rate and a cap, and the rate that is left.
    private static let table: [(rate: String, cap: String, left: String)] = [
        // Single frames are left out up to a tenth above the cap.
        ("753/25", "30", "30"), ("303/10", "30", "30"), ("31", "30", "30"), ("33", "30", "30"),
        ("30", "30000/1001", "30000/1001"), ("55", "50", "50"), ("66", "60", "60"),
        ("6051/100", "60", "60"), ("16", "15", "15"),
        // Above that one frame in n is kept, by the smallest n.
        ("331/10", "30", "331/20"), ("60000/1001", "30", "30000/1001"), ("50", "30", "25"),
        ("60", "30", "30"), ("48", "30", "24"), ("100", "30", "25"), ("120", "30", "30"), ("240", "60", "60"),
        // A rate within the rounding of a measurement is the cap itself.
        ("30", "30", "30"), ("30000/1001", "30", "30000/1001"), ("3001/100", "30", "3001/100"),
        ("25", "30", "25"), ("1", "30", "1"), ("810000/13487", "30", "405000/13487"),
        ("3002/100", "30", "3002/100"),
    ]

    @Test(arguments: table) func theRateThatIsLeft(_ rate: String, _ cap: String, _ left: String) throws {
        let (rate, cap) = (try #require(Ratio(rate)), try #require(Ratio(cap)))
        #expect(FrameRateCap(cap, on: rate).rate(from: rate) == Ratio(left))
        #expect(FrameRateCap(nil, on: rate) == .all)
    }

    /// Rates from a hundredth above the cap to a tenth.
    private static let little = (1...100).map { Int64(1000 + $0) }

    @Test(arguments: [15, 24, 25, 30, 50, 60] as [Int64], [1, 1001] as [Int64])
    func aLittleAboveTheCapEachIntervalKeepsItsFirstFrame(_ cap: Int64, _ divisor: Int64) throws {
        let cap = try #require(divisor == 1 ? Ratio(cap) : Ratio(cap * 1000, divisor))
        for thousandths in Self.little {
            let above = try #require(Ratio(thousandths, 1000))
            let rate = try #require(cap.multiplied(by: above))
            let effect = FrameRateCap(cap, on: rate)
            guard case .intervals = effect else {
                Issue.record("\(rate) under \(cap): \(effect)")
                continue
            }
            // The interval of each frame's time, by the definition: whole 1/cap since the first frame.
            let intervals = (0..<400).map { frame in
                Time(Int64(frame), 1).multiplied(by: rate.denominator, over: rate.numerator)
                    .multiplied(by: cap.numerator, over: cap.denominator)
                    .converted(to: 1, rounding: .towardNegativeInfinity).value
            }
            let kept = intervals.indices.filter { effect.keeps($0) }
            #expect(kept.first == 0)
            #expect(kept.map { intervals[$0] } == Array(0...(intervals.last ?? -1)), "one in each interval")
            #expect(kept.allSatisfy { $0 == 0 || intervals[$0 - 1] != intervals[$0] }, "its first")
            #expect(effect.rate(from: rate) == cap)
        }
    }

    @Test func everyNthFrameAtTheSmallestN() throws {
        for cap in [15, 24, 30, 60] as [Int64] {
            for tenths in (cap * 11 + 1)..<(cap * 90) {
                let rate = try #require(Ratio(tenths, 10))
                guard case .every(let n) = FrameRateCap(Ratio(cap), on: rate) else {
                    Issue.record("\(rate) under \(cap)")
                    continue
                }
                let left = { (n: Int) in rate.value / Double(n) }
                #expect(left(n) <= Double(cap) * 1.000_99 && left(n - 1) > Double(cap))
                let effect = FrameRateCap.every(n)
                #expect((0..<40).filter { effect.keeps($0) } == Array(stride(from: 0, to: 40, by: n)))
            }
        }
    }

    @Test func ratesForPeople() {
        let texts = [(30_000, 1001), (24_000, 1001), (25, 1), (753, 25), (1, 3), (100, 1)].map {
            Ratio($0.0, $0.1)?.rounded
        }
        #expect(texts == ["29.97", "23.976", "25", "30.12", "0.333", "100"])
    }
}

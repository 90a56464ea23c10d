// Ticks and ratios: exact where they can be, saturating or absent where they cannot.
import MediaTime
import Testing

@Suite struct TimebaseTests {
    @Test func onlyPositiveNumbers() {
        #expect(
            Timebase(numerator: 0, denominator: 1) == nil && Timebase(numerator: 1, denominator: 0) == nil)
        #expect(
            Timebase(numerator: -1, denominator: -90000) == nil
                && Timebase(numerator: .min, denominator: 1) == nil)
        #expect(Timebase(numerator: 2, denominator: 180000) == .mpeg)
        #expect(Timebase(perSecond: 1000) == .milliseconds && Timebase(perSecond: 1_000_000) == .microseconds)
        #expect(Timebase(perSecond: 1) == .seconds)
        #expect(
            Timebase(perSecond: 0) == nil && Timebase(perSecond: .max) == nil
                && Timebase(perSecond: -1) == nil)
    }

    @Test func ticksToTimeAndBack() throws {
        let film = try #require(Timebase(numerator: 1001, denominator: 30000))
        #expect(film.time(ofTicks: 3).isIdentical(to: Time(3003, 30000)))
        let bases = [
            film, .mpeg, .milliseconds, .seconds,
            try #require(Timebase(numerator: .max, denominator: .max - 1)),
        ]
        var random = Seeded(41)
        for base in bases {
            for _ in 0..<400 {
                let ticks = Int64.random(in: -1 << 31...1 << 31, using: &random)
                let back = base.ticks(of: base.time(ofTicks: ticks))
                #expect(back.ticks == ticks && back.exact)
                #expect(base.rescale(ticks, to: base) == ticks)
            }
        }
    }

    @Test func roundedTicksSaySo() throws {
        #expect(Timebase.milliseconds.ticks(of: Time(1, 3)) == (333, false))
        #expect(
            Timebase.milliseconds.ticks(of: Time(1, 3), rounding: .towardPositiveInfinity) == (334, false))
        #expect(Timebase.milliseconds.ticks(of: Time(-1, 2000), rounding: .halfAwayFromZero) == (-1, false))
        // By the rule of QuickTime a coarser tick goes toward zero and a finer one away from it.
        #expect(Timebase.milliseconds.ticks(of: Time(5, 3000), rounding: .quickTime) == (1, false))
        #expect(Timebase.milliseconds.ticks(of: Time(1, 3), rounding: .quickTime) == (334, false))
        let long = try #require(Timebase(numerator: .max, denominator: 3))
        let time = long.time(ofTicks: 1 << 33)
        // 2³³ · (2³¹ − 1) leaves 2 over 3: rounded up.
        let third = Int64((Int128(1) << 33) * Int128(Int32.max) / 3)
        #expect(time.timescale == 1 && time.hasBeenRounded && time.value == third + 1)
        #expect(long.time(ofTicks: .max).isPositiveInfinity && long.time(ofTicks: .min).isNegativeInfinity)
    }

    @Test func beyondTheLastTick() throws {
        let tiny = try #require(Timebase(numerator: 1, denominator: .max))
        let huge = try #require(Timebase(numerator: .max, denominator: 1))
        #expect(
            tiny.ticks(of: Time(.max, 1)) == (.max, false) && tiny.ticks(of: Time(.min, 1)) == (.min, false))
        #expect(
            tiny.ticks(of: .positiveInfinity) == (.max, false)
                && tiny.ticks(of: .negativeInfinity) == (.min, false))
        #expect(tiny.ticks(of: .invalid) == (0, false) && tiny.ticks(of: .indefinite) == (0, false))
        #expect(huge.rescale(.max, to: tiny) == .max && huge.rescale(.min, to: tiny) == .min)
        #expect(tiny.rescale(.max, to: huge) == 2 && tiny.rescale(.min, to: huge) == -2)
    }

    @Test func rescaleRounds() {
        #expect(Timebase.mpeg.rescale(90, to: .milliseconds) == 1)
        #expect(
            Timebase.mpeg.rescale(45, to: .milliseconds) == 1
                && Timebase.mpeg.rescale(44, to: .milliseconds) == 0)
        #expect(Timebase.mpeg.rescale(-45, to: .milliseconds, rounding: .towardPositiveInfinity) == 0)
        #expect(Timebase.milliseconds.rescale(7, to: .mpeg) == 630)
        #expect(Timebase.mpeg.rescale(89, to: .milliseconds, rounding: .quickTime) == 0)
        let thirds = Timebase(perSecond: 3) ?? .seconds
        #expect(thirds.rescale(1, to: .milliseconds, rounding: .quickTime) == 334)
    }

    @Test func json() throws {
        #expect(try encoded([Timebase.mpeg]) == #"["1/90000"]"#)
        #expect(try parsed([Timebase].self, #"["1/90000","1001/30000"]"#).last?.numerator == 1001)
        for wrong in ["0/1", "1/0", "-1/5", "1/2147483648", "x", "", "1/2/3", "1/"] {
            let error = try #require(throws: DecodingError.self) {
                try parsed([Timebase].self, "[\"\(wrong)\"]")
            }
            #expect("\(error)".contains("1/90000"))
        }
    }
}

@Suite struct RatioTests {
    @Test func lowestTermsAndSign() {
        #expect(Ratio(60000, 2002)?.description == "30000/1001")
        #expect(Ratio(50, 2)?.description == "25" && Ratio(1, -2)?.description == "-1/2")
        #expect(Ratio(0, -7)?.denominator == 1)
        #expect(Ratio(1, 0) == nil && Ratio(.min, -1) == nil && Ratio(1, .min) == nil)
        #expect(Ratio(.min, .min) == Ratio(1) && Ratio(.min, 1)?.numerator == .min && Ratio(2, .min) != nil)
    }

    @Test func orderIsExact() throws {
        let (first, second) = (try #require(Ratio(.max - 1, .max)), try #require(Ratio(.max - 2, .max - 1)))
        #expect(first.value == second.value)
        #expect(second < first && !(first < second))
        #expect(
            [Ratio(1), Ratio(-3), try #require(Ratio(1, 2))].sorted().map(\.description) == [
                "-3", "1/2", "1",
            ])
    }

    @Test func productsAndQuotients() throws {
        let ntsc = try #require(Ratio(30000, 1001))
        #expect(ntsc.multiplied(by: Ratio(2))?.description == "60000/1001")
        #expect(ntsc.divided(by: ntsc) == Ratio(1))
        #expect(ntsc.reciprocal?.description == "1001/30000" && Ratio(0).reciprocal == nil)
        #expect(ntsc.divided(by: Ratio(0)) == nil)
        #expect(Ratio(.max).multiplied(by: Ratio(2)) == nil && Ratio(.min).divided(by: Ratio(-1)) == nil)
        #expect(Ratio(.min).multiplied(by: Ratio(.min)) == nil)
        #expect(Ratio(.max).divided(by: Ratio(.max)) == Ratio(1))
    }

    @Test func textAndJSON() throws {
        #expect(
            Ratio("30000/1001") == Ratio(30000, 1001) && Ratio("25") == Ratio(25)
                && Ratio("-1/2") == Ratio(-1, 2))
        for wrong in ["", "/", "1/", "/1", "1/0", "1/2/3", "1.5", "a", "1 / 2"] {
            #expect(Ratio(wrong) == nil, "\(wrong)")
            #expect(throws: DecodingError.self) { try parsed([Ratio].self, "[\"\(wrong)\"]") }
        }
        #expect(try encoded([try #require(Ratio(30000, 1001)), Ratio(25)]) == #"["30000/1001","25"]"#)
        #expect(try parsed([Ratio].self, #"["60000/2002"]"#) == [try #require(Ratio(30000, 1001))])
    }
}

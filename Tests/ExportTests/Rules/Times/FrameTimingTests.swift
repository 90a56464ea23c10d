// Constant or variable, and at which rate: what rounded timestamps of ordinary films say.
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

struct FrameTimingTests {
    static let rates: [(Int64, Int64)] = [
        (24_000, 1001), (24, 1), (25, 1), (30_000, 1001), (30, 1), (50, 1), (60_000, 1001), (60, 1), (120, 1),
    ]
    static let scales = [1000, 90_000, 600, 15_360, 30_000]

    /// Presentation times of a constant rate, rounded to ticks as muxers do.
    private func times(_ rate: Ratio, _ timebase: Timebase, frames: Int, from first: Int64 = 0) -> [Int64] {
        (0..<frames).map { frame in
            let exact = Time(Int64(frame) * rate.denominator, Int32(clamping: rate.numerator))
            return first + timebase.ticks(of: exact, rounding: .halfAwayFromZero).ticks
        }
    }

    @Test(arguments: rates, scales) func aConstantRateIsSeenThroughRounding(
        _ rate: (Int64, Int64), _ scale: Int
    ) throws {
        let rate = try #require(Ratio(rate.0, rate.1))
        let timebase = try #require(Timebase(perSecond: scale))
        for frames in [30, 250] {
            let times = times(rate, timebase, frames: frames, from: 126_000)
            let withRate = FrameTiming(times: times.shuffled(), timebase: timebase, nominal: [rate])
            #expect(withRate.rate == rate)
            #expect(!withRate.isVariable)
            let withoutRate = FrameTiming(times: times, timebase: timebase, nominal: [])
            #expect(!withoutRate.isVariable)
            let measured = try #require(withoutRate.rate).value
            #expect(abs(measured / rate.value - 1) < 0.003)
        }
    }

    @Test func aNominalRateThatFitsIsBelievedAndOneThatDoesNotIsNot() throws {
        let timebase = Timebase.milliseconds
        let ntsc = try #require(Ratio(30_000, 1001))
        // Over ten seconds 29.97 and 30 are 10 ms apart: the times decide.
        let long = times(ntsc, timebase, frames: 300)
        #expect(FrameTiming(times: long, timebase: timebase, nominal: [Ratio(30), ntsc]).rate == ntsc)
        // Over a third of a second they are not: the container's word counts.
        let short = times(ntsc, timebase, frames: 10)
        #expect(FrameTiming(times: short, timebase: timebase, nominal: [Ratio(30), ntsc]).rate == Ratio(30))
        #expect(FrameTiming(times: short, timebase: timebase, nominal: [ntsc, Ratio(30)]).rate == ntsc)
        let wrong = FrameTiming(times: long, timebase: timebase, nominal: [Ratio(25)])
        #expect(!wrong.isVariable)
        #expect(abs(try #require(wrong.rate).value - ntsc.value) < 0.01)
    }

    @Test(arguments: scales) func aVariableRateIsSeen(_ scale: Int) throws {
        let timebase = try #require(Timebase(perSecond: scale))
        var random = Seeded(3)
        var time: Int64 = 0
        let times = (0..<200).map { _ in
            time += Int64(scale) * Int64.random(in: 10...80, using: &random) / 1000
            return time
        }
        let timing = FrameTiming(times: times, timebase: timebase, nominal: [Ratio(25), Ratio(30)])
        #expect(timing.isVariable)
        guard case .apart = timing.cadence(cap: Ratio(30)) else {
            Issue.record("a variable rate is capped by time, not by count: \(timing.cadence(cap: Ratio(30)))")
            return
        }
    }

    @Test func oneMissingFrameMakesARateVariable() throws {
        let timebase = try #require(Timebase(perSecond: 12_800))
        var times = times(Ratio(25), timebase, frames: 100)
        times.remove(at: 50)
        #expect(FrameTiming(times: times, timebase: timebase, nominal: [Ratio(25)]).isVariable)
    }

    @Test func fewTimesSayNothing() {
        for times in [[], [7], [7, 7, 7], [0, 40]] as [[Int64]] {
            let timing = FrameTiming(times: times, timebase: .milliseconds, nominal: [Ratio(25)])
            #expect(timing.rate == Ratio(25))
            #expect(!timing.isVariable)
        }
    }

    // MARK: The cap

    /// A rate, the ticks its times are rounded to, and what of it a cap of 30 leaves.
    static let capped: [(rate: (Int64, Int64), scale: Int, cadence: FrameCadence)] = [
        ((60_000, 1001), 90_000, .every(2)), ((60_000, 1001), 1000, .every(2)), ((50, 1), 1000, .every(2)),
        ((50, 1), 12_800, .every(2)), ((60, 1), 1000, .every(2)), ((60, 1), 600, .every(2)),
        ((30_000, 1001), 1000, .all), ((30_000, 1001), 30_000, .all), ((30, 1), 1000, .all),
        ((25, 1), 1000, .all),
        ((24_000, 1001), 1000, .all), ((120, 1), 1000, .every(4)), ((120, 1), 90_000, .every(4)),
        ((100, 1), 1000, .every(4)), ((48, 1), 90_000, .every(2)), ((240, 1), 600, .every(8)),
        ((303, 10), 90_000, .steady(.intervals(share(300, 303)))),
        ((753, 25), 1000, .steady(.intervals(share(750, 753)))),
        ((33, 1), 1000, .steady(.intervals(share(10, 11)))),
    ]

    private static func share(_ above: Int64, _ below: Int64) -> Ratio { Ratio(above, below) ?? Ratio(1) }

    @Test(arguments: capped) func theSmallestNumberOfFramesIsLeftOut(
        _ rate: (Int64, Int64), _ scale: Int, _ cadence: FrameCadence
    ) throws {
        let rate = try #require(Ratio(rate.0, rate.1))
        let timebase = try #require(Timebase(perSecond: scale))
        for nominal in [[rate], []] {
            for frames in [60, 250] {
                let timing = FrameTiming(
                    times: times(rate, timebase, frames: frames), timebase: timebase, nominal: nominal)
                // Without the nominal rate the share is measured.
                if case .steady(.intervals) = cadence, nominal.isEmpty {
                    guard case .steady(.intervals) = timing.cadence(cap: Ratio(30)) else {
                        Issue.record("\(timing)")
                        continue
                    }
                    continue
                }
                #expect(timing.cadence(cap: Ratio(30)) == cadence, "\(frames) frames, nominal \(nominal)")
            }
        }
    }

    @Test func withoutACapAllFramesStay() throws {
        let timing = FrameTiming(times: [0, 1, 2, 5, 9, 10], timebase: .milliseconds, nominal: [])
        #expect(timing.cadence(cap: nil) == .all)
    }

    @Test func aFrameOfAVariableRateMayBeALittleEarly() throws {
        // 30 frames a second in milliseconds, with a pause: the steps are 33 and 34, and 33 is less than a thirtieth.
        var times = times(Ratio(30), .milliseconds, frames: 60)
        times += times.map { $0 + 7013 }
        let timing = FrameTiming(times: times, timebase: .milliseconds, nominal: [])
        #expect(timing.isVariable && !timing.isSteady)
        #expect(timing.cadence(cap: Ratio(30)) == .apart(Time(94, 3000)))
        // No more than an eighth of a short period.
        #expect(timing.cadence(cap: Ratio(120)) == .apart(Time(7, 960)))
    }

    /// Cameras that aim at a rate, their clocks' error, and what a cap of 30 leaves.
    static let cameras: [(rate: Int64, clock: Double, cadence: FrameCadence)] = [
        (30, 1, .all), (30, 1.0004, .all), (30, 0.9991, .all), (60, 1, .every(2)), (60, 1.0004, .every(2)),
        (24, 1.0009, .all), (120, 0.9991, .every(4)), (50, 1.0009, .every(2)),
    ]

    @Test(arguments: cameras) func aCameraThatTimesEachFrameByItsClockHasOneRate(
        _ rate: Int64, _ clock: Double, _ cadence: FrameCadence
    ) throws {
        var wandering = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = Seeded(seed)
            var time = 0.0
            let times = (0..<2400).map { _ in
                // The clock wanders, and each frame is read a little late.
                time += 90_000 / (Double(rate) * clock) + Double.random(in: -10...10, using: &random)
                return Int64(time + Double.random(in: 0...60, using: &random))
            }
            let timing = FrameTiming(times: times, timebase: .mpeg, nominal: [])
            #expect(timing.isSteady)
            wandering += timing.isVariable ? 1 : 0
            #expect(timing.cadence(cap: Ratio(30)) == cadence, "seed \(seed): \(timing)")
        }
        #expect(wandering > 10, "the times leave an even grid")
    }

    @Test func aPauseOfACameraCostsNoOtherFrame() throws {
        // 30.03 frames a second, as 33.3 ms are in ticks of 90 kHz, and a pause of two frames.
        let times = (0..<90).map { Int64($0 < 40 ? $0 : $0 + 2) * 2997 }
        let timing = FrameTiming(times: times, timebase: .mpeg, nominal: [])
        let cadence = timing.cadence(cap: Ratio(30))
        var last: Time?
        let kept = times.enumerated().filter { number, ticks in
            let time = Timebase.mpeg.time(ofTicks: ticks)
            guard cadence.keeps(number, at: time, after: last) else { return false }
            last = time
            return true
        }
        #expect(kept.count == times.count)
    }
}

// Constant or variable, and at which rate: what rounded timestamps of ordinary films say.
import Media
import MediaTime
import Testing

@testable import Export

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

    @Test func roundedTimesAreForgivenTheirRounding() throws {
        // 30 frames a second in milliseconds, with a pause: the steps are 33 and 34, and 33 is less than a thirtieth.
        var times = times(Ratio(30), .milliseconds, frames: 60)
        times += times.map { $0 + 7013 }
        let timing = FrameTiming(times: times, timebase: .milliseconds, nominal: [])
        #expect(timing.isVariable)
        guard case .apart(let gap) = timing.cadence(cap: Ratio(30)) else {
            Issue.record("not a gap")
            return
        }
        #expect(gap <= Time(33, 1000))
        #expect(gap >= Time(32, 1000))
        // Ticks that hold a thirtieth exactly need no forgiveness.
        let exact = FrameTiming(
            times: times.indices.map { Int64($0) * 20 + ($0 > 60 ? 7 : 0) },
            timebase: try #require(Timebase(perSecond: 600)),
            nominal: [])
        #expect(exact.cadence(cap: Ratio(30)) == .apart(Time(1, 30)))
    }
}

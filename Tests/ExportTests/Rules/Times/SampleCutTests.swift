// Audio to the sample: the positions of runs of samples whose timestamps are rounded, stray or interrupted, and how they are cut to
// a range.
import MediaTime
import Testing

@testable import Export
@testable import Source

struct SampleCutTests {
    /// A run of samples as a decoder gives it; `truth` is where its first sample really lies.
    private struct Run {
        var truth: Int64
        var count: Int
        var time: Time?
    }
    /// A piece of the result: silence (nil) or samples of the source from `truth` on.
    private struct Piece {
        var truth: Int64?
        var count: Int
    }

    /// Audio without gaps whose timestamps are rounded to a timebase.
    private func timedRuns(
        _ rate: Int, _ timebase: Timebase, runs: Range<Int>, size: Int = 1024, offset: Int64 = 0,
        rounding: RoundingMethod = .halfAwayFromZero
    ) -> [Run] {
        runs.map { index in
            let first = Int64(index * size) + offset
            let ticks = timebase.ticks(of: Time(first, Int32(rate)), rounding: rounding).ticks
            return Run(truth: first, count: size, time: timebase.time(ofTicks: ticks))
        }
    }

    /// Positions and cuts runs as the lane does: it knows the next run's time, and positions that were returned stay.
    private func cut(
        _ runs: [Run], rate: Int, timebase: Timebase, _ range: (Int64, Int64?), fromBeginning: Bool = true
    ) -> [Piece] {
        var clock = SampleClock(rate: rate, timebase: timebase)
        var cut = SampleCut(start: range.0, end: range.1)
        var pieces: [Piece] = []
        for (index, run) in runs.enumerated() where !cut.isDone {
            let position = clock.position(
                time: run.time, count: run.count,
                following: index + 1 < runs.count ? runs[index + 1].time : nil)
            if fromBeginning { clock.settle() }
            let step = cut.offer(position: position, count: run.count)
            #expect(step.silence >= 0)
            #expect(step.keep.lowerBound >= 0 && step.keep.upperBound <= run.count)
            if step.silence > 0 { pieces.append(Piece(truth: nil, count: step.silence)) }
            if !step.keep.isEmpty {
                pieces.append(Piece(truth: run.truth + Int64(step.keep.lowerBound), count: step.keep.count))
            }
            if !pieces.isEmpty { clock.settle() }
        }
        return pieces
    }

    private func length(_ pieces: [Piece]) -> Int { pieces.map(\.count).reduce(0, +) }

    /// The largest distance of a kept sample from where it should be.
    private func error(_ pieces: [Piece], start: Int64) -> Int64 {
        var at = start
        var worst: Int64 = 0
        for piece in pieces {
            if let truth = piece.truth { worst = max(worst, abs(truth - at)) }
            at += Int64(piece.count)
        }
        return worst
    }

    // MARK: Cutting

    @Test func placedRunsAreCutToTheSample() {
        var cut = SampleCut(start: 100, end: 250)
        #expect(cut.offer(position: 0, count: 100) == .init(silence: 0, keep: 0..<0))
        #expect(cut.offer(position: 90, count: 60) == .init(silence: 0, keep: 10..<60))
        #expect(!cut.isDone)
        #expect(cut.offer(position: 160, count: 40) == .init(silence: 10, keep: 0..<40))
        #expect(cut.offer(position: 150, count: 30) == .init(silence: 0, keep: 0..<0), "all of it has been")
        #expect(cut.offer(position: 190, count: 100) == .init(silence: 0, keep: 10..<60))
        #expect(cut.isDone)
    }

    @Test func lateAudioBeginsWithSilence() {
        var cut = SampleCut(start: 100, end: 250)
        #expect(cut.offer(position: 130, count: 50) == .init(silence: 30, keep: 0..<50))
        #expect(cut.offer(position: 300, count: 50) == .init(silence: 70, keep: 0..<0))
        #expect(cut.isDone)
    }

    @Test func audioAfterTheEndGivesNothing() {
        var cut = SampleCut(start: 100, end: 250)
        #expect(cut.offer(position: 300, count: 50) == .init(silence: 0, keep: 0..<0))
        #expect(cut.next == 100)
    }

    @Test func withoutAnEndAllIsKept() {
        var cut = SampleCut(start: 100, end: nil)
        #expect(cut.offer(position: 0, count: 1000) == .init(silence: 0, keep: 100..<1000))
        #expect(!cut.isDone)
    }

    // MARK: Laws

    @Test func keptSamplesAndSilenceTileTheRange() throws {
        var random = Seeded(5)
        for _ in 0..<500 {
            let rate = [44_100, 48_000, 8000, 96_000].randomElement(using: &random) ?? 48_000
            let timebase = try #require(
                [Timebase(perSecond: rate), .milliseconds, .mpeg].randomElement(using: &random) ?? nil)
            // Gaps and overlaps of up to half a second, missing timestamps, runs of any size.
            var truth = Int64.random(in: 0...5000, using: &random)
            let runs = (0..<60).map { _ in
                let count = Int.random(in: 1...2000, using: &random)
                defer {
                    truth += Int64(count)
                    if Int.random(in: 0..<8, using: &random) == 0 {
                        truth += Int64.random(in: -4000...20_000, using: &random)
                    }
                }
                let ticks = timebase.ticks(of: Time(truth, Int32(rate)), rounding: .towardZero).ticks
                let isStamped = Int.random(in: 0..<10, using: &random) > 0
                return Run(truth: truth, count: count, time: isStamped ? timebase.time(ofTicks: ticks) : nil)
            }
            let start = Int64.random(in: 0...40_000, using: &random)
            let end = start + Int64.random(in: 1...60_000, using: &random)
            let pieces = cut(
                runs, rate: rate, timebase: timebase, (start, end), fromBeginning: Bool.random(using: &random)
            )
            #expect(Int64(length(pieces)) <= end - start)
            // Where audio continues beyond the end (with a good margin), nothing is missing.
            if runs.map({ $0.truth + Int64($0.count) }).max() ?? 0 > end + 30_000, !pieces.isEmpty {
                #expect(Int64(length(pieces)) == end - start)
            }
            #expect(pieces.allSatisfy { $0.count > 0 })
        }
    }

    @Test(arguments: [44_100, 48_000, 32_000, 96_000]) func exactTimestampsGiveExactSamples(_ rate: Int)
        throws
    {
        let timebase = try #require(Timebase(perSecond: rate))
        for (start, end) in [(0, 1), (1, 5000), (1023, 1025), (20_000, 30_000), (44_100, 88_200)]
            as [(Int64, Int64)]
        {
            for first in [0, max(0, Int(start) / 1024 - 3)] {
                let runs = timedRuns(rate, timebase, runs: first..<100)
                let pieces = cut(
                    runs, rate: rate, timebase: timebase, (start, end), fromBeginning: first == 0)
                #expect(length(pieces) == Int(end - start))
                #expect(error(pieces, start: start) == 0)
                #expect(pieces.allSatisfy { $0.truth != nil })
            }
        }
    }

    /// The run-up a lane asks for first, and twice that, with which the clock sees through the rounding to the sample.
    @Test(arguments: [44_100, 48_000, 22_050], [Time(1, 2), Time(1, 1)])
    func millisecondsSettleAfterASeek(_ rate: Int, _ runUp: Time) {
        var worst: Int64 = 0
        for first in stride(from: 3, to: 200, by: 7) {
            let runs = timedRuns(rate, .milliseconds, runs: first..<first + 100)
            let run = runUp.multiplied(by: Int64(rate), over: 1).converted(to: 1).value
            let start = Int64(first * 1024) + run + 17
            let pieces = cut(
                runs, rate: rate, timebase: .milliseconds, (start, start + 30_000), fromBeginning: false)
            #expect(length(pieces) == 30_000)
            #expect(pieces.allSatisfy { $0.truth != nil }, "rounding is no gap")
            worst = max(worst, error(pieces, start: start))
        }
        #expect(worst <= (runUp == Time(1, 2) ? 2 : 1))
    }

    @Test func audioFromTheBeginningIsAtItsFirstTimestamp() {
        for rate in [44_100, 48_000] {
            let runs = timedRuns(rate, .milliseconds, runs: 0..<80, offset: 10)
            let pieces = cut(runs, rate: rate, timebase: .milliseconds, (1000, 50_000))
            #expect(length(pieces) == 49_000)
            #expect(pieces.allSatisfy { $0.truth != nil })
            #expect(error(pieces, start: 1000) <= Int64(rate) / 2000 + 1)
        }
    }

    @Test func jitterOfAMillisecondAndAHalfIsNoGap() throws {
        let rate = 48_000
        let timebase = try #require(Timebase(perSecond: rate))
        var random = Seeded(11)
        var runs = timedRuns(rate, timebase, runs: 0..<100)
        for index in runs.indices.dropFirst() {
            runs[index].time = runs[index].time.map {
                $0 + Time(Int64.random(in: -72...72, using: &random), Int32(rate))
            }
        }
        let pieces = cut(runs, rate: rate, timebase: timebase, (0, 100 * 1024))
        #expect(length(pieces) == 100 * 1024)
        #expect(error(pieces, start: 0) == 0)
    }

    // MARK: Damage

    @Test func oneStrayTimestampIsNoGap() throws {
        for off in [-9000, -480, 480, 9000] as [Int64] {
            let timebase = try #require(Timebase(perSecond: 48_000))
            var runs = timedRuns(48_000, timebase, runs: 0..<50)
            runs[20].time = runs[20].time.map { $0 + Time(off, 48_000) }
            let pieces = cut(runs, rate: 48_000, timebase: timebase, (0, 50 * 1024))
            #expect(length(pieces) == 50 * 1024)
            #expect(pieces.allSatisfy { $0.truth != nil })
            #expect(error(pieces, start: 0) == 0)
        }
    }

    /// Wherever reading begins, also at the timestamp that is off: those of fragments are rounded, and the last of each makes up for it.
    @Test(arguments: [-70, -16, -3, 3, 16, 70] as [Int64]) func readingMayBeginWithAStrayTimestamp(
        _ off: Int64
    ) throws {
        let timebase = try #require(Timebase(perSecond: 48_000))
        var runs = timedRuns(48_000, timebase, runs: 0..<100)
        for index in stride(from: 5, to: 100, by: 11) {
            runs[index].time = runs[index].time.map { $0 + Time(off, 48_000) }
        }
        for first in 0..<40 {
            let start = Int64(first * 1024) + 24_017
            let pieces = cut(
                Array(runs[first...]), rate: 48_000, timebase: timebase, (start, start + 9000),
                fromBeginning: false)
            #expect(length(pieces) == 9000)
            #expect(error(pieces, start: start) == 0, "from run \(first)")
        }
    }

    /// Timestamps that change by less than a gap, and stay: wherever reading begins before, the first ones count.
    @Test(arguments: [-40, -10, 10, 40] as [Int64]) func aSmallStepIsNoStrayTimestamp(_ step: Int64) throws {
        let timebase = try #require(Timebase(perSecond: 48_000))
        var runs = timedRuns(48_000, timebase, runs: 0..<100)
        for index in 50..<100 { runs[index].time = runs[index].time.map { $0 + Time(step, 48_000) } }
        for first in 30..<49 {
            let start = Int64(first * 1024) + 24_017
            let pieces = cut(
                Array(runs[first...]), rate: 48_000, timebase: timebase, (start, start + 9000),
                fromBeginning: false)
            #expect(length(pieces) == 9000)
            #expect(error(pieces, start: start) == 0, "from run \(first)")
        }
    }

    @Test func aRealGapIsSilence() throws {
        let timebase = try #require(Timebase(perSecond: 48_000))
        let runs =
            timedRuns(48_000, timebase, runs: 0..<10) + timedRuns(48_000, timebase, runs: 20..<40, offset: 7)
        let pieces = cut(runs, rate: 48_000, timebase: timebase, (512, 30 * 1024))
        #expect(length(pieces) == 30 * 1024 - 512)
        #expect(pieces.filter { $0.truth == nil }.map(\.count) == [10 * 1024 + 7])
        #expect(error(pieces, start: 512) == 0)
    }

    @Test func overlappingAudioIsKeptOnce() throws {
        let timebase = try #require(Timebase(perSecond: 48_000))
        let runs = timedRuns(48_000, timebase, runs: 0..<10) + timedRuns(48_000, timebase, runs: 8..<20)
        let pieces = cut(runs, rate: 48_000, timebase: timebase, (0, 20 * 1024))
        #expect(length(pieces) == 20 * 1024)
        #expect(error(pieces, start: 0) == 0)
        #expect(pieces.allSatisfy { $0.truth != nil })
    }

    @Test func runsWithoutTimestampsFollowTheOnesBefore() throws {
        let timebase = try #require(Timebase(perSecond: 48_000))
        var runs = timedRuns(48_000, timebase, runs: 5..<50)
        for index in runs.indices.dropFirst() { runs[index].time = nil }
        let pieces = cut(runs, rate: 48_000, timebase: timebase, (7000, 40_000))
        #expect(length(pieces) == 33_000)
        #expect(error(pieces, start: 7000) == 0)
    }
}

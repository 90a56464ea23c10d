// Progress never falls, and is never 1 before the end.
import Dispatch
import Media
import MediaTime
import Synchronization
import Testing

@testable import Render
@testable import Source

struct ProgressMeterTests {
    private final class ProgressLog: Sendable {
        private let list = Mutex<[Progress]>([])
        func add(_ progress: Progress) { list.withLock { $0.append(progress) } }
        var all: [Progress] { list.withLock { $0 } }
    }

    private func meter(_ length: Time?) -> (ProgressMeter, ProgressLog) {
        let reported = ProgressLog()
        return (
            ProgressMeter(
                Segments(start: Time(10, 1), end: nil), length: length, report: { reported.add($0) }),
            reported
        )
    }

    /// A little more than the shortest time between two reports.
    private func wait() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(110)) }

    @Test(arguments: [Time(60, 1), nil, .zero]) func itNeverFallsAndStaysBelowOne(_ length: Time?) throws {
        let (meter, reported) = meter(length)
        var random = Seeded(41)
        meter.enter(.exporting)
        for step in 0..<4 {
            // Tracks come unevenly, and what one reports may even go back.
            for track in 0..<3 {
                meter.reached(
                    Time(Int64(step * 20) + Int64.random(in: -15...15, using: &random), 1), of: track)
            }
            wait()
        }
        meter.enter(.finishing)
        let all = reported.all
        try #require(all.count >= 4)
        for (one, next) in zip(all, all.dropFirst()) { #expect(one.fraction <= next.fraction) }
        #expect(all.allSatisfy { 0...1 ~= $0.fraction && $0.fraction < 1 })
        #expect(all.allSatisfy { $0.remaining.map { $0 >= 0 } ?? true })
        #expect(all.first?.phase == .exporting)
        #expect(all.last?.phase == .finishing)
    }

    /// A chunk counts from its own beginning, and lies somewhere in the output.
    @Test func timesOfAChunkAreTheSources() throws {
        let reported = ProgressLog()
        let whole = Segments([(Time(10, 1), Time(30, 1)), (Time(100, 1), Time(200, 1))])
        let chunk = try #require(whole.interval(from: Time(50, 1), to: Time(60, 1)))
        let meter = ProgressMeter(chunk, from: Time(50, 1), length: Time(10, 1)) { reported.add($0) }
        meter.enter(.exporting)
        wait()
        meter.reached(Time(6, 1), of: 0)
        #expect(try #require(reported.all.last).time == Time(136, 1))
    }

    @Test func theSlowestTrackCounts() throws {
        let (meter, reported) = meter(Time(60, 1))
        meter.enter(.exporting)
        wait()
        meter.reached(Time(30, 1), of: 0)
        let half = try #require(reported.all.last)
        #expect(abs(half.fraction - 0.495) < 0.01)
        #expect(half.time == Time(40, 1), "times are the source's")
        wait()
        meter.reached(Time(6, 1), of: 1)
        #expect(try #require(reported.all.last).time == Time(16, 1))
        #expect(try #require(reported.all.last).fraction == half.fraction)
    }

    @Test func itReportsAtMostTenTimesASecond() {
        let (meter, reported) = meter(Time(60, 1))
        let began = ContinuousClock.now
        meter.enter(.exporting)
        for step in 0..<50_000 { meter.reached(Time(Int64(step), 1000), of: 0) }
        let tenths = Int((ContinuousClock.now - began) / .milliseconds(100))
        #expect(reported.all.count <= tenths + 2)
    }
}

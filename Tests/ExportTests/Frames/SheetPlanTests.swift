// Which moments a contact sheet shows.
import Media
import MediaTime
import Testing

@testable import Pictures

@Suite struct SheetPlanTests {
    private func span(_ start: Int64, _ end: Int64) -> TimeSpan {
        TimeSpan(start: Time(start, 1), end: Time(end, 1))
    }

    private func plan(
        _ parts: [TimeSpan], columns: Int? = nil, rows: Int? = nil, rate: Ratio? = Ratio(25),
        every: Time? = nil
    ) throws -> SheetPlan {
        var options = SheetOptions()
        (options.columns, options.rows, options.every) = (columns, rows, every)
        return try SheetPlan(parts, options, rate: rate)
    }

    @Test func oneRange() throws {
        let plan = try plan([span(10, 70)], columns: 4, rows: 2, rate: Ratio(25))
        #expect(plan.moments.count == 8 && plan.columns == 4)
        #expect(plan.moments.first?.time == Time(10, 1) && plan.moments.first?.mark == .start)
        #expect(plan.moments.last?.time == Time(70, 1) && plan.moments.last?.mark == .end)
        #expect(plan.moments.dropFirst().dropLast().allSatisfy { $0.mark == nil })
        for (one, next) in zip(plan.moments, plan.moments.dropFirst()) { #expect(one.time < next.time) }
    }

    @Test func eachRangeHasItsEnds() throws {
        let parts = [span(100, 110), span(0, 60), span(20, 21)]
        let plan = try plan(parts, columns: nil, rows: nil, rate: Ratio(25))
        #expect(plan.moments.count == 20)
        for (index, part) in parts.enumerated() {
            let own = plan.moments.filter { $0.part == index }
            #expect(own.first?.time == part.start && own.first?.mark == .start)
            #expect(own.last?.time == part.end && own.last?.mark == .end)
        }
        #expect(plan.moments.map(\.part) == plan.moments.map(\.part).sorted())
        // The longest has the most.
        #expect(plan.moments.filter { $0.part == 1 }.count > plan.moments.filter { $0.part == 0 }.count)
    }

    @Test func anIntervalCountsFromEachStart() throws {
        let parts = [span(100, 110), span(3, 4), span(20, 26)]
        let made = try plan(parts, rate: Ratio(25), every: Time(3, 1))
        #expect(made.moments.map(\.time.seconds) == [100, 103, 106, 109, 110, 3, 4, 20, 23, 26])
        #expect(made.moments.map(\.part) == [0, 0, 0, 0, 0, 1, 1, 2, 2, 2])
        #expect(made.moments.allSatisfy { $0.tolerance == .zero })
        // The last frame is shown once.
        let frames = try plan([span(0, 1)], rate: Ratio(10), every: Time(1, 10))
        #expect(frames.moments.count == 10 && frames.moments.last?.mark == .end)
        #expect(throws: MediaError.self) { try plan([span(0, 100_000)], every: Time(1, 1)) }
    }

    @Test func noMoreThanThereAreFrames() throws {
        let short = TimeSpan(start: .zero, end: Time(3, 25))
        #expect(try plan([short], columns: nil, rows: nil, rate: Ratio(25)).moments.count == 3)
        let still = TimeSpan(start: .zero, end: Time(1, 25))
        let plan = try plan([still], columns: 5, rows: 5, rate: Ratio(25))
        #expect(plan.moments.map(\.mark) == [.start] && plan.columns == 1)
    }

    @Test func rowsGrowWithRangesUnlessTheyAreSaid() throws {
        let parts = (0..<15).map { span($0 * 10, $0 * 10 + 5) }
        #expect(try plan(parts, columns: 5, rows: nil, rate: nil).moments.count == 30)
        let error = #expect(throws: MediaError.self) {
            try plan(parts, columns: 5, rows: 5, rate: nil)
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("30 thumbnails") == true)
    }
}

// Boundary times: each once, when it is passed, and nothing that is not passed.
import Media
import MediaTime
import Testing

@testable import trimd

@Suite struct BoundaryTests {
    private func boundaries(_ seconds: Int64...) -> Boundaries {
        var boundaries = Boundaries()
        boundaries.add(seconds.map { Time($0, 1) })
        return boundaries
    }

    private func span(_ start: Int64, _ end: Int64) -> TimeSpan {
        TimeSpan(start: Time(start, 1), end: Time(end, 1))
    }

    @Test func eachIsReportedOnceWhenPassed() {
        var some = boundaries(30, 10, 20, 20)
        #expect(some.pass(1, from: .zero, to: Time(9, 1)) == [])
        #expect(some.pass(1, from: .zero, to: Time(20, 1)) == [Time(10, 1), Time(20, 1)])
        #expect(some.pass(1, from: .zero, to: Time(20, 1)) == [])
        // Another job passes them too; and one that is tried again does not pass them again.
        #expect(some.pass(2, from: .zero, to: Time(11, 1)) == [Time(10, 1)])
        #expect(some.pass(1, from: .zero, to: Time(1, 1)) == [])
        #expect(some.pass(1, from: .zero, to: Time(25, 1)) == [])
        #expect(some.end(1, span(0, 30)) == [Time(30, 1)])
    }

    @Test func whatLiesOutsideIsNotPassed() {
        var some = boundaries(5, 10, 20, 31)
        #expect(some.pass(1, from: Time(10, 1), to: Time(15, 1)) == [Time(10, 1)])
        #expect(some.end(1, span(10, 30)) == [Time(20, 1)])
    }

    @Test func anUnknownBeginningWaitsForTheEnd() {
        var some = boundaries(5, 12)
        #expect(some.pass(1, from: nil, to: Time(11, 1)) == [])
        #expect(some.pass(1, from: nil, to: Time(13, 1)) == [Time(12, 1)])
        #expect(some.end(1, span(4, 20)) == [Time(5, 1)])
    }

    @Test func nothingIsMadeByAFailure() {
        var some = boundaries(5)
        #expect(some.end(1, nil) == [])
    }
}

// The parts of an output, and intervals of them.
import MediaTime
import Testing

@testable import Export
@testable import Source

struct SegmentsTests {
    /// Intervals of an output keep their positions, whichever parts they cut.
    @Test func intervalsKeepTheirPositions() {
        let all = Segments([(Time(10, 1), Time(12, 1)), (Time(5, 1), nil)])
        let first = all.interval(from: .zero, to: Time(1, 1))
        #expect(first?.all == [Segment(start: Time(10, 1), end: Time(11, 1), at: .zero)])
        let across = all.interval(from: Time(1, 1), to: Time(3, 1))
        #expect(
            across?.all == [
                Segment(start: Time(11, 1), end: Time(12, 1), at: Time(1, 1)),
                Segment(start: Time(5, 1), end: Time(6, 1), at: Time(2, 1)),
            ])
        let last = all.interval(from: Time(4, 1), to: nil)
        #expect(last?.all == [Segment(start: Time(7, 1), end: nil, at: Time(4, 1))])
        #expect(all.interval(from: .zero, to: nil) == all)
        #expect(all.interval(from: Time(1, 1), to: Time(1, 1)) == nil)
    }
}

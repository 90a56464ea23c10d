// The grid of a constant frame rate: each point shows what is on screen there.
import Testing

@testable import Export
@testable import Source

struct FrameGridTests {
    private func slots(_ period: Int64, _ end: Int64?, _ frames: [(Int64, Int64)]) -> [[Int64]] {
        var grid = FrameGrid(period: period, end: end)
        return frames.map { frame in grid.slots(pts: frame.0, duration: frame.1).map(\.pts) }
    }

    @Test func aSlowerSourceIsShownAgain() {
        #expect(slots(10, 60, [(0, 30), (30, 30)]) == [[0, 10, 20], [30, 40, 50]])
    }

    @Test func aFasterSourceIsThinned() {
        #expect(
            slots(20, 50, [(0, 10), (10, 10), (20, 10), (30, 10), (40, 10)]) == [[0], [], [20], [], [40]])
    }

    @Test func frameEndsAreNotTheirs() {
        #expect(slots(10, 40, [(0, 15), (15, 5), (20, 20)]) == [[0, 10], [], [20, 30]])
    }

    @Test func aLateFirstFrameLeavesPointsEmptyAndTheLastIsCut() {
        #expect(slots(10, 35, [(12, 100)]) == [[20, 30]])
        var grid = FrameGrid(period: 10, end: 35)
        #expect(grid.slots(pts: 0, duration: 100).map(\.duration) == [10, 10, 10, 5])
    }
}

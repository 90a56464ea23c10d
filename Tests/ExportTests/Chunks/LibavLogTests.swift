// FFmpeg's log: a line costs the same however many came before it.
import Testing

@testable import Libav

struct LibavLogTests {
    private func time(_ count: Int) -> Double {
        let taken = ContinuousClock().measure { for _ in 0..<count { LibavLog.send("a line") } }
        return Double(taken.components.seconds) + Double(taken.components.attoseconds) / 1e18
    }

    @Test func aLineCostsTheSameAfterManyOthers() {
        LibavLog.redirect { _ in }
        _ = time(1000)
        // The fastest of some, since other tests run meanwhile.
        let first = (0..<5).map { _ in time(1000) }.min() ?? 0
        _ = time(50_000)
        let last = (0..<5).map { _ in time(1000) }.min() ?? 0
        #expect(last < 10 * first + 0.01, "\(first) s, later \(last) s for a thousand lines")
    }
}

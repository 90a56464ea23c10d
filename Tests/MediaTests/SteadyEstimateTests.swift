// The time left is shown once it is steady.
import Media
import Testing

@Suite struct SteadyEstimateTests {
    /// The times that are shown of the estimates that come every half second.
    private func shown(_ estimates: [Double?]) -> [Double?] {
        var steady = SteadyEstimate()
        return estimates.enumerated().map { steady.take($1, at: Double($0) / 2) }
    }

    @Test func anEstimateThatHoldsIsShownAfterThreeSeconds() {
        let found = shown((0..<20).map { 100 - Double($0) / 2 })
        #expect(found.prefix(6).allSatisfy { $0 == nil } && found.dropFirst(6).allSatisfy { $0 != nil })
    }

    /// An encoder that begins slowly, and chunks that begin one after the other.
    @Test func oneThatJumpsIsNotShown() {
        let falling = (0..<12).map { 4000 / pow2($0) }
        #expect(shown(falling).allSatisfy { $0 == nil })
        let apart = (0..<20).map { $0.isMultiple(of: 2) ? 60.0 : 600 }
        #expect(shown(apart).allSatisfy { $0 == nil })
        let then = shown(falling + Array(repeating: 50, count: 8))
        #expect(then.last == 50 && then.firstIndex { $0 != nil } ?? 0 >= falling.count + 5)
    }

    private func pow2(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { number, _ in number * 2 } }

    @Test func noneIsNone() {
        #expect(shown([nil, .nan, .infinity, -1]).allSatisfy { $0 == nil })
        var steady = SteadyEstimate()
        for second in 0..<10 { _ = steady.take(9, at: Double(second)) }
        #expect(steady.take(nil, at: 10) == nil && steady.take(7, at: 11) == 7)
    }
}

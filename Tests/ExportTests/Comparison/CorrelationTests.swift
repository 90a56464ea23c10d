// The position of one piece of audio in another.
import Foundation
import Testing

@testable import Check

@Suite struct CorrelationTests {
    private func noise(_ count: Int, seed: UInt64 = 5) -> [Float] {
        var generator = Seeded(seed)
        return (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
    }

    @Test(arguments: [0, 1, 37, 199, 200]) func noiseIsFoundWhereItLies(offset: Int) throws {
        let whole = noise(1200)
        let part = Array(whole[offset..<(offset + 1000)])
        let found = try #require(Correlation(of: part, in: whole, expected: 100))
        #expect(found.offset == offset)
        #expect(found.likeness > 0.999)
    }

    @Test func lossyAudioIsFoundToo() throws {
        let whole = noise(5000)
        let disturbance = noise(4000, seed: 9)
        let part = zip(whole[321...], disturbance).map { $0 * 0.8 + $1 * 0.3 }
        let found = try #require(Correlation(of: part, in: whole, expected: 0))
        #expect(found.offset == 321)
        #expect(0.8..<0.99 ~= found.likeness)
    }

    @Test func amongEqualPositionsTheExpectedOneCounts() throws {
        let cycle = noise(50)
        let whole = (0..<1000).map { cycle[$0 % 50] }
        let part = Array(whole[0..<500])
        #expect(Correlation(of: part, in: whole, expected: 260)?.offset == 250)
        #expect(Correlation(of: part, in: whole, expected: 290)?.offset == 300)
    }

    /// A tone after a codec with loss matches a little better elsewhere by chance.
    @Test(arguments: [0, 1, 5]) func inPeriodicLossyAudioTheExpectedPositionCounts(late: Int) throws {
        let rate = 44_100.0
        let disturbance = noise(12_000, seed: 3)
        let whole = (0..<12_000).map { Float(sin(2 * Double.pi * 1000 * Double($0) / rate)) }
        let part = (0..<4000).map { at in
            whole[4000 + late + at] + 0.03 * disturbance[at] + (at < 400 ? 0.05 * disturbance[at + 5000] : 0)
        }
        let found = try #require(Correlation(of: Array(part), in: whole, expected: 4000))
        #expect(found.offset == 4000 + late)
        #expect(found.likenessExpected > 0.7)
    }

    /// A hum is nearly the same some samples on: that it lies elsewhere is seen all the same, and what is right is not doubted.
    @Test(arguments: [0, 12]) func smoothAudioIsFoundNearItsPosition(late: Int) throws {
        let disturbance = noise(12_000, seed: 3)
        let whole = (0..<12_000).map { at in
            Float(sin(2 * Double.pi * 50 * Double(at) / 44_100)) + 0.002 * disturbance[at]
        }
        let part = Array(whole[(4000 + late)..<(8000 + late)])
        #expect(Correlation(of: part, in: whole, expected: 4000)?.offset == 4000 + late)
    }

    @Test func silenceIsNowhere() {
        #expect(Correlation(of: [Float](repeating: 0, count: 10), in: noise(100), expected: 0) == nil)
        #expect(Correlation(of: noise(100), in: noise(10), expected: 0) == nil)
        #expect(Correlation(of: [], in: noise(10), expected: 0) == nil)
    }

    /// The correlation at one position is the one that the search reports there.
    @Test(arguments: [0, 1, 100, 321, 400]) func onePositionIsMeasuredAsInTheSearch(expected: Int) throws {
        let whole = noise(5000)
        let part = zip(whole[321...], noise(4000, seed: 9)).map { $0 * 0.8 + $1 * 0.3 }
        let found = try #require(Correlation(of: part, in: whole, expected: expected))
        let likeness = Correlation.likeness(of: part[...], in: whole[expected...])
        #expect(abs(likeness - found.likenessExpected) < 1e-6)
        #expect((likeness > 0.8) == (expected == 321))
    }

    @Test func silenceMatchesAnywhereAndNothingMatchesSilence() {
        let silence = [Float](repeating: 0, count: 100)
        #expect(Correlation.likeness(of: silence[...], in: noise(100)[...]) == 1)
        #expect(Correlation.likeness(of: noise(100)[...], in: silence[...]) == 0)
    }
}

// Where one piece of sound lies in another.
import Testing

@testable import Export

@Suite struct CorrelationTests {
    private func noise(_ count: Int, seed: UInt64 = 5) -> [Float] {
        var generator = Seeded(seed)
        return (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
    }

    @Test(arguments: [0, 1, 37, 199, 200]) func noiseIsFoundWhereItLies(place: Int) throws {
        let whole = noise(1200)
        let part = Array(whole[place..<(place + 1000)])
        let found = try #require(Correlation(of: part, in: whole, expected: 100))
        #expect(found.place == place)
        #expect(found.likeness > 0.999)
    }

    @Test func soundWithLossIsFoundToo() throws {
        let whole = noise(5000)
        let disturbance = noise(4000, seed: 9)
        let part = zip(whole[321...], disturbance).map { $0 * 0.8 + $1 * 0.3 }
        let found = try #require(Correlation(of: part, in: whole, expected: 0))
        #expect(found.place == 321)
        #expect(0.8..<0.99 ~= found.likeness)
    }

    @Test func ofPlacesThatAreAlikeTheExpectedOneCounts() throws {
        let cycle = noise(50)
        let whole = (0..<1000).map { cycle[$0 % 50] }
        let part = Array(whole[0..<500])
        #expect(Correlation(of: part, in: whole, expected: 260)?.place == 250)
        #expect(Correlation(of: part, in: whole, expected: 290)?.place == 300)
    }

    @Test func silenceIsNowhere() {
        #expect(Correlation(of: [Float](repeating: 0, count: 10), in: noise(100), expected: 0) == nil)
        #expect(Correlation(of: noise(100), in: noise(10), expected: 0) == nil)
        #expect(Correlation(of: [], in: noise(10), expected: 0) == nil)
    }
}

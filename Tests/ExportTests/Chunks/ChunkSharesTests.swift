// The bits of an output over its chunks: a table of plain cases, and what holds for any.
import Testing

@testable import Render

struct ChunkSharesTests {
    private func chunk(_ texture: Double, _ seconds: Double = 10, motion: Double = 0, constant: Double = 0)
        -> SharingChunk
    {
        SharingChunk(
            statistics: ChunkStatistics(texture: texture, motion: motion, constant: constant),
            seconds: seconds)
    }

    private func rounded(_ bits: [Double]) -> [Int] { bits.map { Int(($0 / 1000).rounded()) } }

    @Test func chunksOfOneKindShareByTheirTexture() {
        let shares = ChunkShares.bits(of: [chunk(1e6), chunk(3e6), chunk(4e6, 20)], budget: 16e6)
        #expect(rounded(shares) == [2000, 6000, 8000])
    }

    @Test func noChunkFallsBelowItsFloor() {
        // A still needs next to nothing, and a chunk of constant bits cannot have less.
        let chunks = [chunk(0), chunk(8e6), chunk(1e6, constant: 2e6)]
        let shares = ChunkShares.bits(of: chunks, budget: 4e6)
        #expect(rounded(shares)[0] == 10)
        #expect(shares[2] >= 2.1e6)
        #expect(rounded([shares.reduce(0, +)]) == [4000])
    }

    @Test func noChunkExceedsTheHighestRate() {
        let shares = ChunkShares.bits(of: [chunk(1e6), chunk(9e6)], budget: 5e6, highest: 300_000)
        // The other gets the bits that one may not have.
        #expect(rounded(shares) == [2000, 3000])
        #expect(
            rounded(ChunkShares.bits(of: [chunk(1e6), chunk(9e6)], budget: 50e6, highest: 300_000)) == [
                3000, 3000,
            ])
    }

    @Test func anImpossibleBudgetGivesTheFloors() {
        let chunks = [chunk(1e6, constant: 5e6), chunk(1e6)]
        #expect(ChunkShares.bits(of: chunks, budget: 1000) == chunks.map(ChunkShares.floor))
    }

    @Test(arguments: 0..<200) func whatHoldsForAny(_ seed: Int) {
        var random = Seeded(UInt64(seed))
        let isCounted = Bool.random(using: &random)
        let chunks = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            chunk(
                pow10(.random(in: 2...8, using: &random)), .random(in: 0.5...20, using: &random),
                motion: isCounted ? pow10(.random(in: 1...6, using: &random)) : 0,
                constant: isCounted ? pow10(.random(in: 1...5, using: &random)) : 0)
        }
        let floors = chunks.map(ChunkShares.floor)
        let highest = Bool.random(using: &random) ? pow10(.random(in: 4...7, using: &random)) : nil
        let budget = pow10(.random(in: 4...9, using: &random))
        let shares = ChunkShares.bits(of: chunks, budget: budget, highest: highest)
        // The sum fits, and is used unless all have the most they may.
        let sum = shares.reduce(0, +), floor = floors.reduce(0, +)
        #expect(sum <= max(budget, floor) * (1 + 1e-9))
        let mosts = zip(chunks, floors).map { chunk, floor in
            highest.map { max(floor, $0 * chunk.seconds) } ?? .infinity
        }
        #expect(sum >= min(budget, mosts.reduce(0, +)) * (1 - 1e-6) || sum == floor)
        for (share, (floor, most)) in zip(shares, zip(floors, mosts)) {
            #expect(share >= floor && share <= most)
        }
        // More bits for all are fewer for none.
        let more = ChunkShares.bits(of: chunks, budget: budget * 1.3, highest: highest)
        #expect(zip(shares, more).allSatisfy { $0 <= $1 * (1 + 1e-9) })
        // The order of the chunks does not matter.
        let order = chunks.indices.shuffled(using: &random)
        let shuffled = ChunkShares.bits(of: order.map { chunks[$0] }, budget: budget, highest: highest)
        #expect(shuffled == order.map { shares[$0] })
    }

    private func pow10(_ power: Double) -> Double {
        (0..<Int(power)).reduce(1.0) { all, _ in all * 10 } * (1 + power - power.rounded(.down))
    }

    // MARK: The statistics

    @Test func linesOfX264AndX265AreAdded() throws {
        let text = """
            #options: 320x240 fps=25/1 cabac=1
            in:0 out:0 type:I dur:2 cpbdur:2 q:20.05 aq:18.2 tex:4000 mv:100 misc:60 imb:20 pmb:0 smb:0 d:- ref:;
            in:1 out:1 type:P q:23.00 q-aq:21.1 tex:500 mv:25 misc:8 icu:1.00 pcu:2.00 scu:3.00 ;

            """
        let statistics = try #require(ChunkStatistics(lines: Array(text.utf8), frames: 2))
        #expect(statistics == ChunkStatistics(texture: 4500, motion: 125, constant: 68))
        #expect(ChunkStatistics(lines: Array(text.utf8), frames: 3) == nil)
        #expect(
            ChunkStatistics(lines: Array(text.replacing("tex:500", with: "tex:-1").utf8), frames: 2) == nil)
        #expect(ChunkStatistics(lines: Array(text.replacing(" mv:25", with: "").utf8), frames: 2) == nil)
    }

    @Test func recordsOfLibvpxAreAdded() throws {
        func record(_ numbers: [Double]) -> [UInt8] {
            numbers.flatMap { number in
                (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
            }
        }
        let frames = [[0, 1, 9, 16, 3], [1, 0.25, 9, 36, 3]]
        let bytes = (frames + [[2, 1, 1, 1, 1]]).flatMap(record)
        #expect(
            ChunkStatistics(records: bytes, frames: 2) == ChunkStatistics(texture: 7, motion: 0, constant: 0))
        #expect(ChunkStatistics(records: bytes, frames: 3) == nil)
        #expect(ChunkStatistics(records: Array(bytes.dropFirst(8)) + record([1]), frames: 2) == nil)
    }

    @Test func bitsFallAsTheQuantiserRises() {
        let statistics = ChunkStatistics(texture: 1000, motion: 100, constant: 10)
        #expect(statistics.bits(at: 1) == 1110)
        #expect(abs(statistics.bits(at: 4) - (1000 / 4.595 + 50 + 10)) < 0.1)
    }
}

// Shares the bits of an output over its chunks so that all have the same quality: the one quantiser at which they fit together,
// as rate control chooses it for an output that is encoded as one. Pure.
internal import Glibc

/// A chunk that gets a share of an output's bits.
struct SharingChunk: Hashable, Sendable {
    var statistics: ChunkStatistics
    /// Its duration, above 0.
    var seconds: Double
}

/// The shares of chunks.
enum ChunkShares {
    /// A chunk gets at least these bits per second, and its constant bits with some reserve: encoders refuse less.
    private static let least = 1000.0, reserve = 1.05
    /// The quantisers that are considered, as powers of two, and how often the interval is halved.
    private static let range = -40.0...40.0, halvings = 100

    /// The fewest bits of a chunk.
    static func floor(of chunk: SharingChunk) -> Double {
        max(least * chunk.seconds, chunk.statistics.constant * reserve)
    }

    /// The bits of each chunk: together no more than the budget, unless the floors of all are more.
    /// - Parameters:
    ///   - budget: the bits of all chunks.
    ///   - highest: the most bits per second of a chunk, where that is above its floor; nil: no limit.
    static func bits(of chunks: [SharingChunk], budget: Double, highest: Double? = nil) -> [Double] {
        // Statistics may have any unit: at power 0 all have about the budget.
        let whole = chunks.map(\.statistics.texture).sorted().reduce(0, +)
        let unit = whole > 0 ? max(budget, 1) / whole : 1
        func share(_ chunk: SharingChunk, _ power: Double) -> Double {
            var statistics = chunk.statistics
            let floor = floor(of: chunk)
            if statistics.motion == 0, statistics.constant == 0 { statistics.texture *= unit }
            let most = highest.map { max(floor, $0 * chunk.seconds) } ?? .infinity
            return min(max(statistics.bits(at: exp2(power)), floor), most)
        }
        // Sorted, so that the order of the chunks does not change the sum.
        func sum(_ power: Double) -> Double { chunks.map { share($0, power) }.sorted().reduce(0, +) }
        var (low, high) = (range.lowerBound, range.upperBound)
        for _ in 0..<halvings {
            let middle = (low + high) / 2
            if sum(middle) <= budget { high = middle } else { low = middle }
        }
        return chunks.map { share($0, high) }
    }
}

// A shard of a list as --shard spells it: `2/8`, or `auto`, where the engine that runs trimctl says it in the environment. Values
// only; ShardEnvironment reads the variables.
internal import Media

/// One of several parts of a list.
struct Shard: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Its number, counted from 1, and the number of shards.
    var index: Int, count: Int

    /// Maximum number of shards: a list has no more lines.
    static let most = 10_000

    /// `2/8`.
    var description: String { "\(index)/\(count)" }

    /// Creates a shard; nil if there is none of this number.
    init?(_ index: Int, of count: Int) {
        guard 1...Shard.most ~= count, 1...count ~= index else { return nil }
        (self.index, self.count) = (index, count)
    }
}

/// A value of --shard.
enum ShardSpelling: Hashable, Sendable {
    /// `2/8`.
    case shard(Shard)
    /// `auto` or `auto/8`: by the environment, where the number of shards may have to be given.
    case automatic(count: Int?)

    /// Parses a value of an option with this name.
    static func parse(_ text: String, for name: String) throws(MediaError) -> ShardSpelling {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.map { part in part.allSatisfy(\.isASCIIDigit) ? Int(part) : nil }
        switch (parts.count, parts[0] == "auto") {
        case (1, true): return .automatic(count: nil)
        case (2, true):
            guard let count = numbers[1], 1...Shard.most ~= count else { break }
            return .automatic(count: count)
        case (2, false):
            guard let index = numbers[0], let count = numbers[1] else { break }
            if let shard = Shard(index, of: count) { return .shard(shard) }
            guard 1...Shard.most ~= count else { break }
            throw UsageError.of(
                "\(name): there is no shard \(index) of \(count)",
                remedy: "the first is 1/\(count), the last \(count)/\(count)")
        default: break
        }
        throw UsageError.of(
            "\(name): '\(text)' is not a shard",
            remedy: "write 2/8 for the second of eight (at most \(Shard.most)), auto, or auto/8")
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}

// Samples: the times the laws are tried on. A seeded generator, so that a failure comes back; values near
// every edge, so that overflow is met as often as ordinary numbers.
import FoundationEssentials
import MediaTime

/// SplitMix64: the same numbers in every run.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

enum Samples {
    static let values: [Int64] = [
        .min, .min + 1, -1 << 62, -90001, -3, -2, -1, 0, 1, 2, 3, 599, 1 << 31, 1 << 62, .max - 1, .max,
    ]
    static let timescales: [Int32] = [1, 2, 3, 7, 600, 1001, 30000, 44100, 90000, 1 << 30, .max - 1, .max]
    static let special: [Time] = [.negativeInfinity, .indefinite, .positiveInfinity, .invalid]

    /// Every edge value in every edge timescale, and the times that are no numbers.
    static let edges: [Time] = values.flatMap { value in timescales.map { Time(value, $0) } } + special

    /// Ordinary times of media: a few hours in usual timescales.
    static func ordinary(_ count: Int, seed: UInt64) -> [Time] {
        var random = Seeded(seed)
        return (0..<count).map { _ in
            let scale =
                [1, 24, 25, 600, 1000, 15360, 30000, 44100, 48000, 90000].randomElement(using: &random) ?? 1
            return Time(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random), Int32(scale))
        }
    }

    /// Anything at all, edges and special times among it.
    static func wild(_ count: Int, seed: UInt64) -> [Time] {
        var random = Seeded(seed)
        return (0..<count).map { _ in
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return edges.randomElement(using: &random) ?? .zero
            case 1:
                return Time(Int64.random(in: -9...9, using: &random), Int32.random(in: 1...9, using: &random))
            case 2:
                return Time(
                    value: Int64.random(in: -9...9, using: &random),
                    timescale: Int32.random(in: 1...9, using: &random),
                    epoch: Int64.random(in: -2...2, using: &random))
            default:
                let shift = Int64.random(in: 0...63, using: &random)
                return Time(
                    Int64.random(in: .min ... .max, using: &random) >> shift,
                    max(1, Int32.random(in: 1 ... .max, using: &random) >> Int32(shift / 2)))
            }
        }
    }

    /// Neighbours in a list, as pairs.
    static func pairs(_ times: [Time]) -> [(Time, Time)] {
        Array(zip(times, times.dropFirst()))
    }
}

extension Time {
    /// The same number, the same way written, with the same flags; `==` asks less.
    func isIdentical(to other: Time) -> Bool {
        value == other.value && timescale == other.timescale && epoch == other.epoch && flags == other.flags
    }

    /// The rules for every time there is.
    var isWellFormed: Bool {
        isNumeric ? timescale > 0 : value == 0 && timescale == 0 && epoch == 0 && !hasBeenRounded
    }
}

func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

func parsed<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
}

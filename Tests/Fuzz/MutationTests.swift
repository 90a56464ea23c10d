// Every parser of ours, fed what is nearly right: a sample of what the fuzzer does, without it. The same seed gives the same
// texts. The rules for an answer stand where the target is; a text that breaks it ends the tests, and is the last
// line of their output.
import Testing

@Suite(.timeLimit(.minutes(10))) struct MutationTests {
    /// Numbers that come again with their seed (splitmix64).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    /// Pieces of text that parsers are apt to fail on.
    private static let morsels = [
        "", "0", "-", "9223372036854775807", "-9223372036854775808", "1e999", "1e-999", ".", ":", ";", "/",
        "f",
        "\"", "\\", "\\u0000", "\\ud800", "{", "}", "[", "]", ",", "null", "true", "end", "--", "=", "\u{0}",
        "\u{ff}",
        "\u{202e}", "e\u{301}", "\u{1f3ac}", " ", "\t", "\r", String(repeating: "[", count: 3000),
        String(repeating: "9", count: 400), "2147483648", "00:00:59;00", "é",
    ].map { Array($0.utf8) }

    /// A text with a few things wrong.
    private static func spoiled(_ seeds: [[UInt8]], _ dice: inout Dice) -> [UInt8] {
        var text = seeds.randomElement(using: &dice) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let offset = Int.random(in: 0...text.count, using: &dice)
            let length = min(Int.random(in: 0...8, using: &dice), text.count - offset)
            switch Int.random(in: 0..<6, using: &dice) {
            case 0: text.removeSubrange(offset..<offset + length)
            case 1: text.insert(contentsOf: morsels.randomElement(using: &dice) ?? [], at: offset)
            case 2: if offset < text.count { text[offset] ^= 1 << UInt8.random(in: 0..<8, using: &dice) }
            case 3: text.insert(contentsOf: text[offset..<offset + length], at: offset)
            case 4:
                let other = seeds.randomElement(using: &dice) ?? []
                let rest = other.suffix(Int.random(in: 0...other.count, using: &dice))
                text.replaceSubrange(offset..., with: rest)
            default:
                text.replaceSubrange(
                    offset..<offset + length, with: morsels.randomElement(using: &dice) ?? [])
            }
        }
        return text
    }

    @Test(arguments: FuzzTarget.all) func spoiledTexts(_ target: FuzzTarget) {
        let seeds = target.seeds.map { Array($0.utf8) }
        #expect(!seeds.isEmpty)
        // Unchanged they must be accepted, or the test proves nothing.
        for seed in seeds { #expect(target.feed(seed), "\(String(decoding: seed, as: UTF8.self))") }
        var dice = Dice(state: 1)
        var (taken, refused) = (0, 0)
        for _ in 0..<500 {
            if target.feed(Self.spoiled(seeds, &dice)) { taken += 1 } else { refused += 1 }
        }
        #expect(taken > 10)
        // How a stream is cut is all there is to get wrong of it: it has no wrong lines.
        #expect(refused > 10 || target.name == "frames")
    }
}

// Lossless audio that is copied: every sample is unchanged, and no decoder gives one beyond the out point.
import Foundation
import Media
import MediaTime
import Testing

@testable import Codecs
@testable import Export

struct LosslessTailTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Case: CustomTestStringConvertible, Sendable {
        var codec: String, type: String, words: [String]
        var testDescription: String { "\(codec) \(words.joined(separator: " "))" }
    }

    @Test(arguments: [
        Case(codec: "alac", type: "m4a", words: ["-sample_fmt", "s16p"]),
        Case(codec: "alac", type: "m4a", words: ["-sample_fmt", "s32p", "-ac", "2"]),
        Case(codec: "flac", type: "mp4", words: ["-sample_fmt", "s16", "-strict", "-2"]),
        Case(codec: "flac", type: "mp4", words: ["-sample_fmt", "s32", "-ac", "2", "-strict", "-2"]),
    ]) func theLastPacketHasNoSampleTooMany(_ test: Case) throws {
        let input = try Film(
            name: test.codec, type: test.type,
            words: Film.noise(44_100, seconds: "3") + ["-c:a", test.codec] + test.words
        ).make(in: scratch)
        let made = try export(
            input, "passthrough", start: Time(22_050, 44_100), end: Time(100_001, 44_100), in: scratch,
            type: test.type
        ) { $0.render = .auto }
        #expect(made.result.tracks.map(\.way) == [.copy])
        func samples(_ file: String) throws -> [UInt8] {
            try Tool.ffmpeg(["-i", file, "-f", "s32le", "-"])
        }
        let width = 4 * (test.words.contains("-ac") ? 2 : 1)
        let (before, after) = (try samples(input), try samples(made.file))
        #expect(after.count == (100_001 - 22_050) * width)
        #expect(after == Array(before[22_050 * width..<100_001 * width]))
        try verify(made, in: scratch)
    }

    @Test func sumsAreThoseOfTheFormat() {
        // CRC-8 and CRC-16 (UMTS) of the digits 1 to 9, as their catalogues give them.
        let digits = Array("123456789".utf8)
        #expect(Checksum.atm8.of(digits[...]) == 0xF4)
        #expect(Checksum.ansi16.of(digits[...]) == 0xFEE8)
        // CRC-32/MPEG-2, but from 0.
        #expect(Checksum.ieee32.of(digits[...]) == 0x89A1_897F)
        #expect(FLACFrame([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) == nil)
    }
}

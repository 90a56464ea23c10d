// Names that are not UTF-8: from bytes to text, to what is written, and back, nothing changes.
import FoundationEssentials
import Testing
import Text

@testable import Media

@Suite struct PathNameTests {
    static let names: [[UInt8]] = [
        Array("/films/film.mp4".utf8), Array("/films/é 漢字 😀.mp4".utf8),
        Array("/a".utf8) + [0xE9] + Array(".mp4".utf8),
        [0x2F, 0xFF, 0xFE, 0x80], [0x2F, 0xC3], [0x2F, 0xE2, 0x82], [0x2F, 0xE2, 0x82, 0x41],
        [0x2F, 0xF0, 0x9F, 0x98],
        [0x2F, 0xED, 0xA0, 0x80], [0x2F, 0xC0, 0xAF], [0x2F, 0xF5, 0x80, 0x80, 0x80],
        // A name that begins with an accent.
        Array("/a/\u{301}b".utf8), Array("/\u{5AC}".utf8) + [0x88],
        // The very characters that stand for bytes.
        Array("/\u{10FE80}\u{10FEFF}\u{10FEE9}x".utf8), Array("/\u{10FE7F}\u{10FF00}".utf8),
        Array("/50%.mp4".utf8), Array("/file:/x".utf8), [0x2F, 0x25, 0xE9, 0x0A, 0x1B, 0x7F],
    ]

    private func roundTrip(_ bytes: [UInt8]) throws {
        let text = PathBytes.text(bytes)
        #expect(PathBytes.bytes(text) == bytes)
        #expect(text.nameBytes.dropLast().map { UInt8(bitPattern: $0) } == bytes && text.nameBytes.last == 0)
        #expect(text.nameLength == bytes.count)
        let spelled = PathSpelling.spelled(text)
        #expect(PathBytes.isText(spelled))
        #expect(PathSpelling.path(spelled).map(PathBytes.bytes) == bytes)
        // Text is written as it is.
        #expect(
            (spelled == text) == (String(validating: bytes, as: UTF8.self) != nil && PathBytes.isText(text)))
        let value = try JSONDecoder().decode(
            SpelledPath.self, from: try JSONEncoder().encode(SpelledPath(wrappedValue: text)))
        #expect(PathBytes.bytes(value.wrappedValue) == bytes)
    }

    @Test(arguments: names) func aNameIsTheSameBytesAgain(_ bytes: [UInt8]) throws { try roundTrip(bytes) }

    @Test func anyBytesAreTheSameAgain() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var bytes: [UInt8] = [0x2F]
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                // Many that begin or go on with a character.
                let byte = UInt8.random(in: 1...255, using: &random)
                bytes.append(Bool.random(using: &random) ? byte | 0x80 : byte)
            }
            try roundTrip(bytes)
        }
    }

    @Test func whatStandsForBytesIsOneCharacterEach() {
        let text = PathBytes.text(Array("/caf".utf8) + [0xE9] + Array(".mp4".utf8))
        #expect(text.count == 9 && text.hasSuffix(".mp4"))
        #expect(PathBytes.readable(text) == "/caf%E9.mp4")
        #expect(PathSpelling.spelled(text) == "file:///caf%E9.mp4")
        #expect(MediaError(.fileNotFound, "opening \(text)").message == "opening /caf%E9.mp4")
    }

    @Test(arguments: [
        ("file:///films/a%20b.mp4", "/films/a b.mp4"), ("file://localhost/a", "/a"), ("/a%20b", "/a%20b"),
        ("file:///%c3%a9", "/é"), ("file:/a", "file:/a"), ("relative", "relative"),
    ])
    func urlsOfFilesArePaths(_ text: String, _ path: String) {
        #expect(PathSpelling.path(text) == path)
    }

    @Test(arguments: [
        "file://host/a", "file:///%", "file:///%2", "file:///%zz", "file:///a%00", "file://", "file://a",
    ])
    func otherUrlsAreNone(_ text: String) {
        #expect(PathSpelling.path(text) == nil)
        let json = Data("\"\(text)\"".utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SpelledPath.self, from: json) }
    }

    @Test func aPathThatIsMissingHasNoMember() throws {
        let request = MetadataRequest(items: ["title": "x"])
        let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        #expect(text == #"{"items":{"title":"x"}}"#)
        var other = request
        other.artwork = PathBytes.text([0x2F, 0xE9])
        let data = try JSONEncoder().encode(other)
        #expect(try JSONDecoder().decode(MetadataRequest.self, from: data) == other)
        #expect(String(decoding: data, as: UTF8.self).contains(#"file:\/\/\/%E9"#))
    }

    @Test(arguments: [
        ("film.mp4", "passthrough", "mp4"), ("film.mkv", "passthrough", "mkv"),
        ("film.flv", "passthrough", "flv"), ("film.wmv", "passthrough", "mov"),
        ("song.mp3", "passthrough", "mp3"), ("song.flac", "m4v720", "m4a"), ("film.mov", "m4v720", "m4v"),
        ("film", "m4v720", "m4v"), ("song.wav", "m4a", "m4a"),
    ])
    func theLikelyExtensionFollowsFromTheName(_ input: String, _ id: String, _ type: String) throws {
        let presets = URL(filePath: builtInFolder() + "/\(id).json")
        let preset = try PresetCatalogue.preset(json: Data(contentsOf: presets))
        #expect(preset.likelyFileType(of: "/films/\(input)") == type)
    }
}

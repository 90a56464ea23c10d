// What the queue writes it reads, whatever texts films and users bring.
import Media
import Testing

@testable import JobQueue

struct StoredTextTests {
    @Test func everyCharacterComesBack() throws {
        let odd =
            (0...0x9F).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{202E}", "\u{FEFF}", "\u{1F3AC}"]
        for scalar in odd {
            let error = MediaError(.unknown, "a\(scalar)b\"\\/")
            #expect(try JSON.read(MediaError.self, try JSON.text(error), "error") == error, "\(scalar.value)")
        }
    }
}

import FoundationEssentials
import Testing

@testable import Text

@Suite struct JSONTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), as: .message)
    }

    private static let documents: [(String, JSONValue)] = [
        ("null", JSONValue.null), (" true\r\n", true), ("-0", 0), ("9223372036854775807", .int(.max)),
        ("-9223372036854775808", .int(.min)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
        ("1.0", .double(1)), ("1e2", .double(100)), ("1E-2", .double(0.01)), ("\"\"", ""),
        ("\"a\\u00e9\\n\\/\\ud83d\\ude00\"", "aé\n/😀"), ("[]", []), ("[1,[2]]", [1, [2]]),
        ("{\"a\":{\"b\":[]},\"c\":1}", ["a": ["b": []], "c": 1]), ("{\"a\":1,\"a\":2}", ["a": 2]),
    ]

    @Test(arguments: documents)
    func valid(_ text: String, _ value: JSONValue) throws {
        #expect(try parse(text) == value)
        #expect(try JSONValue(parsing: value.encoded, as: .message) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "nullx", "tru", "+1", "01", "-", "1.", ".5", "1e", "1e400", "[1,]", "[1 2]", "[", "]",
        "{", "{]",
        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:2}", "\"", "\"\\", "\"\\x\"", "\"\\u12\"",
        "\"\\u00zz\"",
        "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\u0000\"", "\"\u{0}\"", "\"\n\"", "\u{0}",
        "1 2", "'a'",
        "NaN", "Infinity", "// c", "\u{FEFF}1", "\"a", "{\"a\":1", "[1", "{\"a\" 1}",
    ])
    func invalid(_ text: String) {
        #expect(throws: JSONFault.self) { try parse(text) }
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xE2, 0x82, 0x22],
    ])
    func invalidUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONFault.self) { try JSONValue(parsing: bytes, as: .message) }
        #expect(throws: JSONFault.self) {
            try JSONValue(parsing: [0x22, 0x5C, 0x6E] + bytes.dropFirst(), as: .message)
        }
    }

    @Test func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(64))
        #expect(throws: JSONFault.self) { try parse(nested(65)) }
        #expect(throws: JSONFault.self) { try parse(String(repeating: "[", count: 1 << 20)) }
        #expect(throws: JSONFault.self) { try parse(String(repeating: "{\"a\":", count: 200_000)) }
    }

    /// Mutated documents: what Foundation refuses is refused; what is taken is written and read back the same.
    @Test func mutationsNeverCrashAndRoundTrip() {
        let seed = Array(
            #"{"jsonrpc":"2.0","id":7,"method":"a.b","params":{"t":[1,-2.5e3,null,true,"é\n\u0041"]}}"#.utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: at)
                default: bytes.insert(seed[Int.random(in: 0..<seed.count, using: &random)], at: at)
                }
            }
            guard let value = try? JSONValue(parsing: bytes, as: .message) else { continue }
            #expect((try? JSONValue(parsing: value.encoded, as: .message)) == value)
            let theirs = (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))) != nil
            #expect(theirs, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    /// The reason for the hand-written parser: the worst line takes well under a second.
    @Test(.timeLimit(.minutes(10))) func hostileLineIsQuick() throws {
        let text = "[" + String(repeating: "{},", count: 300_000) + "1]"
        _ = try parse(text)
        _ = try parse("[" + String(repeating: "\"\\u0041\",", count: 110_000) + "1]")
    }

    /// All that steers a terminal or the direction of writing: the table, by its ranges.
    static let steering: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x2029, 0x202A...0x202E,
        0x2066...0x2069,
        0x206A...0x206F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
    ]

    @Test(arguments: steering) func whatSteersIsEscaped(_ range: ClosedRange<UInt32>) throws {
        for value in range where value != 0 {
            let scalar = try #require(Unicode.Scalar(value))
            #expect(scalar.isSteering)
            let json = JSONValue.object(["a\(scalar)é": .string("b\(scalar)😀")])
            let text = String(decoding: json.encoded, as: UTF8.self)
            #expect(!text.unicodeScalars.contains { $0.isSteering }, "U+\(String(value, radix: 16))")
            #expect(text.contains("é") && text.contains("😀"))
            #expect(try JSONValue(parsing: json.encoded, as: .message) == json)
        }
    }

    @Test func nothingElseIsEscaped() throws {
        // Every character there is, but those that JSON or the table escapes.
        var text = String.UnicodeScalarView()
        for value in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), !scalar.isSteering, scalar != "\"", scalar != "\\"
            else {
                #expect(
                    (0xD800...0xDFFF).contains(value) || value == 0x22 || value == 0x5C
                        || Self.steering.contains { $0.contains(value) }, "U+\(String(value, radix: 16))")
                continue
            }
            text.append(scalar)
        }
        let plain = String(text)
        #expect(JSONValue.string(plain).encoded == Array("\"\(plain)\"".utf8))
    }
}

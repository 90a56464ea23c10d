// Where a text stops being JSON.
import Testing

@testable import Text

struct JSONLineTests {
    /// The line of the first fault of a file that people write; nil where there is none.
    private func lineOfFault(_ text: [UInt8]) -> Int? {
        do throws(JSONFault) {
            _ = try JSONValue(parsing: text, as: .file)
            return nil
        } catch { return error.line }
    }

    @Test(arguments: [
        "{}", "[]", " [1, -2.5e+3, \"a\\\"b\", true, false, null] \n", "{\"a\": {\"b\": [[], {}]}}", "\"x\"",
        "0",
        "{\n\"a\"\n:\n1\n,\n\"b\":2}",
    ]) func whatIsJSONHasNoError(_ text: String) {
        #expect(lineOfFault(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("", 1), ("{", 1), ("{\n\n", 3), ("{\n\"a\": 1\n\"b\": 2}", 3), ("{\"a\"\n1}", 2),
        ("\n\nnul", 3), ("[1]\n2", 2), ("{\"a\": \"b\n\"}", 1), ("{\n'a': 1}", 2), ("[1,\n\n,2]", 3),
        ("{1: 2}", 1),
        ("\"\\", 1), ("// note\n{}", 1),
    ]) func theLineOfTheFirstErrorIsFound(_ text: String, _ line: Int) {
        #expect(lineOfFault(Array(text.utf8)) == line)
    }

    @Test func nestingWithoutEndIsAnErrorAndNoCrash() {
        #expect(lineOfFault([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == 1)
    }

    @Test func aFileMayHaveAByteOrderMarkAndACommaTooMany() throws {
        let value = try JSONValue(parsing: Array("\u{FEFF}{\"a\": [1, 2,],\n}".utf8), as: .file)
        #expect(value["a"]?.array?.count == 2)
        #expect(throws: JSONFault.self) { try JSONValue(parsing: Array("{,}".utf8), as: .file) }
        #expect(throws: JSONFault.self) { try JSONValue(parsing: Array("[1,,]".utf8), as: .file) }
    }

    @Test func everyValueKnowsItsLine() throws {
        let text = "\n{ // one\n a: [1,\n\n 'x'], /* \n */ b: {c: null}}"
        let value = try JSONValue(parsing: Array(text.utf8), as: .json5, line: 10)
        #expect(value.line == 11)
        #expect(value["a"]?.line == 12)
        #expect(value["a"]?.array?.map(\.line) == [12, 14])
        #expect(value["b"]?.line == 15 && value["b"]?["c"]?.line == 15)
    }

    /// Of two members with one name: who counts, and that none is forgotten.
    @Test(arguments: [(JSONDialect.message, "2"), (.json5, "2"), (.file, "1")])
    func duplicates(_ dialect: JSONDialect, _ counts: String) throws {
        let value = try JSONValue(parsing: Array(#"{"a":1,"b":0,"a":2}"#.utf8), as: dialect)
        #expect(String(decoding: value["a"]?.encoded ?? [], as: UTF8.self) == counts)
        #expect(String(decoding: value.encoded, as: UTF8.self) == "{\"a\":\(counts),\"b\":0}")
        #expect(value.object?.written.map(\.name) == ["a", "b", "a"])
        #expect(value.object?.members.count == 2)
    }

    /// How deep a text of each dialect may nest.
    @Test(arguments: [(JSONDialect.message, 64), (.file, 512), (.json5, 128)])
    func depth(_ dialect: JSONDialect, _ limit: Int) throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONValue(parsing: nested(limit), as: dialect)
        let fault = #expect(throws: JSONFault.self) { try JSONValue(parsing: nested(limit + 1), as: dialect) }
        #expect(fault?.reason == .tooDeep(limit: limit))
    }

    @Test func digitsAreKept() throws {
        let text = "[0.10000000000000000000001, +5, .5, 5., 0x1F, -1.50e3, 18446744073709551616]"
        let value = try JSONValue(parsing: Array(text.utf8), as: .json5)
        #expect(
            String(decoding: value.encoded, as: UTF8.self)
                == "[0.10000000000000000000001,5,0.5,5,31,-1.50e3,18446744073709551616]")
    }
}

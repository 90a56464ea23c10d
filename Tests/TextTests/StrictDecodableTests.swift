// Values that people write: each key and each value is known, or the error says what was meant.
import Testing

@testable import Text

struct StrictDecodableTests {
    private enum Color: String, Codable, CaseIterable { case red, green }

    private struct Span: FlatCodable, StrictDecodable, Equatable {
        var start: Int?
        var end: Int?

        func validate() throws(InvalidValue) {
            try InvalidValue.check(CodingKeys.end, end, in: 0...9)
        }
    }

    private struct Wish: Codable, StrictDecodable, Equatable {
        var input: String
        var span = Span()
        var color: Color?
        var more: [Wish]?
    }

    private func wish(_ text: String) throws -> Wish {
        try JSONValue(parsing: Array(text.utf8), as: .message).value(of: Wish.self)
    }

    @Test func keysOfAMemberAreAmongItsOwn() throws {
        let wish = try wish(##"{"input": "a", "start": 1, "end": 2, "color": "red", "$schema": "x"}"##)
        #expect(wish == Wish(input: "a", span: Span(start: 1, end: 2), color: .red))
        let tree = try JSONValue(coding: wish)
        #expect(tree == ["input": "a", "start": 1, "end": 2, "color": "red"])
        #expect(
            JSONValue.object(["input": "a"]).keys(knownTo: Wish.self) == [
                "input", "start", "end", "color", "more",
            ])
    }

    /// What is wrong, where, and what was meant.
    @Test(
        arguments: [
            (#"{"input": "a", "strat": 1}"#, ["strat"], "is not a known key; did you mean 'start'?"),
            (
                #"{"input": "a", "quux": 1}"#, ["quux"],
                "is not a known key; known are input, start, end, color, more"
            ),
            (#"{"inptu": "a"}"#, ["inptu"], "is not a known key; did you mean 'input'?"),
            (#"{"input": "a", "end": 10}"#, ["end"], "is 10, and must be 0 to 9"),
            // An unknown key may be why a value seems wrong.
            (
                #"{"input": "a", "strat": 1, "end": 10}"#, ["strat"],
                "is not a known key; did you mean 'start'?"
            ),
            (#"{"input": "a", "color": "rde"}"#, ["color"], "is 'rde'; it must be red or green"),
            (
                #"{"input": "a", "more": [{"input": "b"}, {"input": "c", "colour": "red"}]}"#,
                ["more", "Index 1", "colour"], "is not a known key; did you mean 'color'?"
            ),
        ] as [(String, [String], String)])
    func anErrorSaysWhatWasMeant(_ text: String, _ path: [String], _ words: String) throws {
        let error = #expect(throws: DecodingError.self) { try wish(text) }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == path)
        #expect(context.debugDescription == words)
    }

    @Test func whatIsMissingIsNamed() throws {
        let error = #expect(throws: DecodingError.self) { try wish(#"{"start": 1}"#) }
        guard case .keyNotFound(let key, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "input")
    }
}

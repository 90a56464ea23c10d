// JSON of messages: the errors that a peer gets for malformed text.
import Testing
import Text

@testable import Wire

@Suite struct JSONMessageTests {
    private struct Sample: Codable, Hashable {
        var name: String
        var count: Int?
        var nested: [String: JSONValue]
        var times: [Inner]

        struct Inner: Codable, Hashable {
            var value: Int64
            var timescale: Int32
        }
    }

    @Test func codableValuesComeBack() throws {
        let sample = Sample(
            name: "Übung \"1\"\n", count: nil, nested: ["a": [1, 2.5, nil, true, ["b": "c"]]],
            times: [.init(value: .max, timescale: 44100)])
        let value = try JSONValue(encoding: sample)
        #expect(value["times"]?.array?.first?["value"]?.int == .max)
        #expect(try value.decode(as: Sample.self) == sample)
        #expect(try JSONValue(encoding: value) == value)
        #expect(try value.decode(as: JSONValue.self) == value)
    }

    @Test func errorsNameTheMember() throws {
        let wrong: JSONValue = ["name": "a", "nested": [:], "times": [["value": 1, "timescale": "x"]]]
        let error = #expect(throws: WireError.self) { try wrong.decode(as: Sample.self) }
        #expect(error?.description.contains("times[0].timescale") == true, "\(String(describing: error))")
        let missing = #expect(throws: WireError.self) { try JSONValue.empty.decode(as: Sample.self) }
        #expect(missing?.description.contains("name is missing") == true, "\(String(describing: missing))")
    }

    @Test(arguments: [
        ("", "the end, where a value should be at byte 0"), ("1 2", "something after the value at byte 2"),
        ("nul", "an unknown word at byte 0"), ("{a:1}", "no name of a member at byte 1"),
        ("{\"a\" 1}", "no colon after a name at byte 5"),
        ("[1 2]", "no comma and no end of the array at byte 3"),
        ("{\"a\":1 2}", "no comma and no end of the object at byte 7"), ("01", "no value at byte 2"),
        ("1.", "no digit after the point at byte 2"), ("1e", "no digit in the exponent at byte 2"),
        ("1e400", "a number out of range at byte 5"), ("\"a", "a string without end at byte 2"),
        ("\"\n\"", "a control character in a string at byte 1"), ("\"\\x\"", "an unknown escape at byte 3"),
        ("\"\\u12", "a short escape at byte 3"), ("\"\\u00zz\"", "no hexadecimal digit at byte 3"),
        ("\"\\u0000\"", "a NUL in a string at byte 7"), ("\"\\ud800\"", "half a surrogate pair at byte 7"),
        (String(repeating: "[", count: 65), "nesting deeper than 64 at byte 64"),
        ("[1,]", "no value at byte 3"),
    ])
    func aFaultNamesItsByte(_ text: String, _ words: String) {
        let error = #expect(throws: WireError.self) { try JSONValue(parsing: Array(text.utf8)) }
        guard case .malformed(words)? = error else {
            Issue.record("\(text): \(String(describing: error))")
            return
        }
    }
}

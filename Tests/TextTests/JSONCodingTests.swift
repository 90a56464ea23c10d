// Coding of trees against Foundation's coders, whose words and values they take over.
import Foundation
import Testing

@testable import Text

@Suite struct JSONCodingTests {
    private struct Sample: Codable, Hashable {
        enum Word: String, Codable { case one }
        struct Inner: Codable, Hashable { var value: Int64 }
        var bool: Bool?
        var int: Int?, byte: UInt8?, small: Int8?, large: UInt64?
        var double: Double?, float: Float?
        var text: String?, word: Word?
        var list: [Int]?, words: [Word]?, inners: [Inner]?
        var map: [String: Double]?, inner: Inner?
        var tree: JSONValue?
    }

    private static let keys = [
        "bool", "int", "byte", "small", "large", "double", "float", "text", "word", "list", "words", "inners",
        "map",
        "inner",
    ]
    private static let values = [
        "null", "true", "0", "-0", "1", "-1", "1.0", "1e2", "1.5", "-1.50", "300", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "1e19", "1e20", "1e300", "0.1", "1e-7", #""""#,
        #""one""#,
        #""two""#, "[]", "[1]", "[1.5]", "[null]", #"["one"]"#, #"["x"]"#, "{}", #"{"value":7}"#,
        #"{"value":null}"#,
        #"{"a":0.5,"b":2}"#, #"[{"value":1},{"value":"x"}]"#, #"[{"value":1},{}]"#,
    ]

    /// The result of a decoder: the value again as JSON, or the error's type, key and words.
    private func outcome(_ decode: () throws -> Sample) -> String {
        do {
            let sample = try decode()
            return String(decoding: try JSONValue(coding: sample).encoded, as: UTF8.self)
        } catch {
            func words(_ kind: String, _ type: Any.Type?, _ context: DecodingError.Context) -> String {
                let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
                let what = type.map { "\($0)" } ?? ""
                // The one error of which it names neither key nor number.
                let isNumber =
                    context.underlyingError is JSONNumberFault
                    || context.debugDescription == "The given data was not valid JSON."
                return isNumber ? "number" : "\(kind) \(what) \(path) \(context.debugDescription)"
            }
            return switch error {
            case DecodingError.typeMismatch(let type, let context): words("mismatch", type, context)
            case DecodingError.valueNotFound(let type, let context): words("not found", type, context)
            case DecodingError.keyNotFound(let key, let context):
                words("no key \(key.stringValue)", nil, context)
            case DecodingError.dataCorrupted(let context): words("corrupted", nil, context)
            default: "\(error)"
            }
        }
    }

    @Test(arguments: keys) func treesAreDecodedAsFoundationDecodesTheirText(_ key: String) {
        for value in Self.values {
            let text = Array("{\"\(key)\":\(value)}".utf8)
            for dialect in [JSONDialect.message, .file] {
                guard let tree = try? JSONValue(parsing: text, as: dialect) else {
                    Issue.record("\(key): \(value)")
                    continue
                }
                let theirs = outcome { try JSONDecoder().decode(Sample.self, from: Data(tree.encoded)) }
                #expect(outcome { try tree.value(of: Sample.self) } == theirs, "\(key): \(value)")
            }
        }
    }

    @Test(arguments: [
        1.0, 0, -0.0, 1.5, 0.1, 1e15, 1e16, 1e-7, -123_456_789.25, 1.2345678901234568e17, 1e300,
    ])
    func treesAreEncodedAsTheTextThatFoundationWrites(_ number: Double) throws {
        let sample = Sample(
            bool: false, int: .min, byte: 255, small: -128, large: .max, double: number,
            float: Float(number / 1e270),
            text: "\u{202E}\u{9B}\n\"é", word: .one, list: [], words: [.one], inners: [.init(value: .max)],
            map: ["b": number, "a": 2], inner: .init(value: 0), tree: ["x": [nil, 1.5, true]])
        let theirs = try JSONValue(parsing: Array(try JSONEncoder().encode(sample)), as: .message)
        let ours = try JSONValue(coding: sample)
        #expect(ours == theirs)
        #expect(ours.encoded == theirs.encoded)
    }

    @Test func aNumberThatDoesNotFitNamesItsKey() throws {
        let tree: JSONValue = ["inner": ["value": 1.5]]
        let error = #expect(throws: DecodingError.self) { try tree.value(of: Sample.self) }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["inner", "value"])
        #expect(context.underlyingError as? JSONNumberFault == JSONNumberFault(number: "1.5", type: "Int64"))
    }

    @Test func notANumberIsRefused() {
        #expect(throws: EncodingError.self) { try JSONValue(coding: ["a": [Double.nan]]) }
        #expect(throws: EncodingError.self) { try JSONValue(coding: Sample(float: -.infinity)) }
    }
}

// The document that becomes trimd-preset(5) names every key of the preset's schema, and no other.
import FoundationEssentials
import Media
import Testing

@Suite struct PresetManualTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The part of the schema that this test reads.
    private struct Schema: Decodable {
        struct Part: Decodable { var properties: [String: Anything]? }
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        var properties: [String: Anything]
        var definitions: [String: Part]
        enum CodingKeys: String, CodingKey {
            case properties
            case definitions = "$defs"
        }
    }

    @Test func everyKeyIsThere() throws {
        let bytes = try Data(contentsOf: Self.root.appending(path: "Presets/schema/preset.schema.json"))
        let schema = try JSONDecoder().decode(Schema.self, from: bytes)
        var keys = Set(schema.properties.keys).subtracting(["$schema"])
        for part in schema.definitions.values { keys.formUnion(part.properties?.keys ?? [:].keys) }
        let page = String(
            decoding: try Data(contentsOf: Self.root.appending(path: "Sources/Media/Media.docc/Presets.md")),
            as: UTF8.self)
        let terms = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "|").dropFirst(0).first }
        let named = Set(
            terms.flatMap { $0.split(separator: "`").filter { $0.allSatisfy(\.isLetter) } }.map(String.init))
        #expect(named == keys)
    }
}

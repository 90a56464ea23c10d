// The document that becomes trimd-preset(5) names every key of the preset's schema, and no other.
import FoundationEssentials
import Testing

@testable import Media

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

    private func schema() throws -> Schema {
        let bytes = try Data(contentsOf: Self.root.appending(path: "Presets/schema/preset.schema.json"))
        return try JSONDecoder().decode(Schema.self, from: bytes)
    }

    /// The schema has the keys that the settings decode, and `extends`, which the catalogue resolves.
    @Test func theSchemaHasTheKeysOfTheTypes() throws {
        let schema = try schema()
        let own = Preset.CodingKeys.allCases.map(\.stringValue)
        #expect(Set(schema.properties.keys) == Set(own + ["$schema", "extends"]))
        let parts = [
            "VideoSettings": VideoSettings.CodingKeys.allCases.map(\.stringValue),
            "AudioSettings": AudioSettings.CodingKeys.allCases.map(\.stringValue),
            "PictureBox": PictureBox.CodingKeys.allCases.map(\.stringValue),
        ]
        for (name, keys) in parts {
            #expect(Set((schema.definitions[name]?.properties ?? [:]).keys) == Set(keys), "\(name)")
        }
    }

    @Test func everyKeyIsThere() throws {
        let schema = try schema()
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

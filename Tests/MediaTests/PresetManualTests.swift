// The document that becomes trimd-preset(5) names every key of the preset's schema, and no other.
import FoundationEssentials
import Testing
import Text

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
        let file = Self.root.appending(path: "Presets/m4v720.json")
        let preset = try PresetCatalogue.preset(json: try Data(contentsOf: file))
        let own = try JSONValue(coding: preset).keys(knownTo: Preset.self)
        #expect(Set(schema.properties.keys) == Set(own + ["$schema", "extends"]))
        let box: JSONValue = ["maxWidth": 16, "maxHeight": 16, "maxFrameRate": "1"]
        let parts = [
            "VideoSettings": try JSONValue(coding: preset.video).keys(knownTo: VideoSettings.self),
            "AudioSettings": try JSONValue(coding: preset.audio).keys(knownTo: AudioSettings.self),
            "PictureBox": box.keys(knownTo: PictureBox.self),
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

// The schema for preset files, which editors use: it takes what trimd takes, and refuses what trimd refuses.
import Foundation
import Media
import Testing
import Text

@testable import Wire

struct PresetSchemaTests {
    private let schema: SchemaValidator
    private let folder: URL

    init(_ here: String = #filePath) throws {
        var root = URL(filePath: here)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        folder = root.appending(path: "Presets")
        let bytes = try Data(contentsOf: folder.appending(path: "schema/preset.schema.json"))
        var schema = SchemaValidator(root: try JSONValue(parsing: Array(bytes)))
        // It says itself where no other key may be.
        schema.isClosed = false
        self.schema = schema
    }

    private func faults(_ text: String) throws -> [String] {
        schema.check(try JSONValue(parsing: Array(text.utf8))).faults
    }

    @Test func allBuiltInPresetsFit() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".json")
        }
        #expect(names.count > 25)
        for name in names {
            let bytes = try Data(contentsOf: folder.appending(path: name))
            let outcome = schema.check(try JSONValue(parsing: Array(bytes)))
            #expect(outcome.faults.isEmpty, "\(name)")
        }
    }

    @Test func whatExtendsMaySayLess() throws {
        #expect(try faults(#"{"extends": "m4v720"}"#).isEmpty)
        #expect(try faults(#"{"extends": "m4v720", "video": {"crf": 30, "maxFrameRate": null}}"#).isEmpty)
        #expect(try faults(#"{"$schema": "x", "extends": "m4v720", "audio": null}"#).isEmpty)
    }

    @Test(arguments: [
        #"{}"#, #"{"version": 1, "id": "a", "name": "A", "fileTypes": ["mp4"]}"#,
        #"{"extends": "m4v720", "vidoe": {}}"#, #"{"extends": "m4v720", "video": {"crff": 1}}"#,
        #"{"extends": "m4v720", "video": {"crf": 99}}"#, #"{"extends": 7}"#,
        #"{"extends": "m4v720", "fileTypes": ["wmv"]}"#, #"{"extends": "m4v720", "audio": {"maxBits": 20}}"#,
    ]) func whatTrimdRefusesDoesNotFit(_ text: String) throws { #expect(try !faults(text).isEmpty) }
}

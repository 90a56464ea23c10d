// The documents of the protocol, read from the folder of the sources.
import Foundation
import Text

@testable import Wire

/// The documents of the protocol.
enum SchemaDocuments {
    /// The schema, as strict as messages of this version are.
    static func schema() throws -> SchemaValidator {
        SchemaValidator(root: try JSONValue(parsing: read("Sources/Wire/Wire.docc/protocol.schema.json")))
    }

    /// The schema of preset files, to which the protocol's refers.
    static func presets() throws -> JSONValue {
        try JSONValue(parsing: read("Presets/schema/preset.schema.json"))
    }

    /// The page for people.
    static func page() throws -> String {
        String(decoding: try read("Sources/Wire/Wire.docc/Protocol.md"), as: UTF8.self)
    }

    private static func read(_ path: String, file: String = #filePath) throws -> [UInt8] {
        var root = URL(filePath: file)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return Array(try Data(contentsOf: root.appending(path: path)))
    }
}

extension SchemaValidator {
    /// The words of an enumeration.
    func words(_ definition: String) -> [String] {
        root["$defs"]?[definition]?["enum"]?.array?.compactMap(\.string) ?? []
    }
}

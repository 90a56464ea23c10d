// The options of an export in the protocol's schema are those that are declared. `UPDATE=1` writes them there.
import Foundation
import Media
import Testing
import Text

@testable import Wire

struct OptionSchemaTests {
    private static let path = "Sources/Wire/Wire.docc/protocol.schema.json"

    /// The schema of every option by its key, each with its description.
    private var declared: [(key: String, schema: JSONValue)] {
        var seen: Set<String> = []
        return ExportOption.all.filter { seen.insert($0.key).inserted }.map { option in
            var schema = option.schema
            let standard = option.standard.map { "; without: \($0)" } ?? ""
            schema["description"] = .string(option.help + standard + ".")
            return (option.key, .object(schema))
        }
    }

    @Test func theSchemaHasEveryOption() throws {
        var url = URL(filePath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        url.append(path: Self.path)
        let bytes = Array(try Data(contentsOf: url))
        let there = try JSONValue(parsing: bytes)["$defs"]?["ExportOptions"]?["properties"]?.object
        let declared = JSONObject(Dictionary(uniqueKeysWithValues: declared.map { ($0.key, $0.schema) }))
        if ProcessInfo.processInfo.environment["UPDATE"] != nil, there != declared {
            try Data(try updated(String(decoding: bytes, as: UTF8.self)).utf8).write(to: url)
        } else {
            #expect(there == declared, "`UPDATE=1 swift test --filter OptionSchemaTests` writes them there")
        }
    }

    /// The text with the declared options, a line each.
    private func updated(_ text: String) throws -> String {
        let start = try #require(text.range(of: "\"ExportOptions\": {"))
        let open = try #require(
            text.range(of: "\"properties\": {\n", range: start.upperBound..<text.endIndex))
        let close = try #require(text.range(of: "\n      }", range: open.upperBound..<text.endIndex))
        let lines = declared.map { key, schema in
            "        \"\(key)\": \(String(decoding: schema.encoded, as: UTF8.self))"
        }
        return text[..<open.upperBound] + lines.joined(separator: ",\n") + text[close.lowerBound...]
    }
}

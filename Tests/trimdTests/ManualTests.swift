// The documents that become trimd(8) and trimd.json(5) name every option, every setting and every range there is.
import FoundationEssentials
import Testing
import Text

@testable import trimd

@Suite struct ManualTests {
    private func document(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let bytes = try Data(contentsOf: root.appending(path: "Sources/trimd/trimd.docc/\(name).md"))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func everySettingIsThere() throws {
        let page = try document("Settings")
        for key in JSONValue.empty.keys(knownTo: Settings.self) {
            #expect(page.contains("| `\(key)` |"), "\(key)")
        }
        let limits = page.split(separator: "\n").filter { $0.hasPrefix("|") }
        for key in Limits.CodingKeys.allCases {
            let line = limits.first { $0.hasPrefix("| `\(key.rawValue)` |") } ?? ""
            #expect(line.contains("\(key.range.lowerBound) to \(key.range.upperBound)"), "\(key)")
        }
        let example = page.split(separator: "```\n").dropFirst().first ?? ""
        #expect(try Settings.parse(Array(example.utf8), "the example").workers == 4)
    }

    @Test func everyOptionIsThere() throws {
        let page = try document("trimd")
        let options = DaemonArguments.usage.split(separator: "\n").compactMap { line -> Substring? in
            let words = line.split(separator: " ")
            return words.first.flatMap { $0.hasPrefix("--") ? $0 : nil }
        }
        #expect(options.count > 8)
        for option in options { #expect(page.contains("| `\(option)`"), "\(option)") }
    }
}

import Foundation
// Lists that other programs made, and small words for tests of parsers.
import Media
import MediaTime
import Testing

@testable import Lists

enum Fixture {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Fixtures/lists")

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// The rows of `expected.tsv` about a file: what opentimelineio, pycmx and timecode read there.
    static func expected(_ name: String) throws -> [[String]] {
        String(decoding: try bytes("expected.tsv"), as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
            .filter { $0.first == name }.map { Array($0.dropFirst()) }
    }
}

/// Reads a list from text.
func read(_ text: String, _ format: ListFormat, rate: Ratio? = nil) -> ExportList {
    ExportList.read(Array(text.utf8), format, rate: rate)
}

extension ListedExport {
    /// The times, as they are written.
    var times: String { "\(start.map { "\($0)" } ?? "")..\(end.map { "\($0)" } ?? "")" }
}

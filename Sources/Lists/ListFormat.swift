// The list formats: detection, and the entry point to the parsers. Pure.
internal import Media
public import MediaTime

/// A list format.
public enum ListFormat: String, Hashable, Sendable, CaseIterable {
    /// Comma or semicolon separated, with a header, or start,end,label without one.
    case csv
    /// The same, separated by tabs.
    case tsv
    /// One JSON object per line, or an array of them.
    case jsonl
    /// CMX3600.
    case edl
    /// A LosslessCut project.
    case llc
    /// An OpenTimelineIO timeline.
    case otio
    /// Chapters as ffmpeg writes them.
    case ffmetadata
    /// Chapters as mkvextract writes them.
    case chapters

    /// The format of a file, by its extension, else by its first bytes; nil if neither matches.
    public init?(name: String, bytes: [UInt8]) {
        let end = name.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased()
        switch end {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "jsonl", "ndjson": self = .jsonl
        case "edl": self = .edl
        case "llc": self = .llc
        case "otio": self = .otio
        case "ffmetadata", "ffmeta": self = .ffmetadata
        case "xml": self = .chapters
        default:
            guard let text = try? ListText(bytes) else { return nil }
            let head = String(decoding: text.bytes.prefix(4096), as: UTF8.self)
            let first = head.drop { $0.isWhitespace }
            if first.hasPrefix(";FFMETADATA") {
                self = .ffmetadata
            } else if first.hasPrefix("<") {
                self = .chapters
            } else if first.hasPrefix("TITLE:") || first.hasPrefix("FCM:") {
                self = .edl
            } else if first.hasPrefix("{") {
                self =
                    head.contains("OTIO_SCHEMA") ? .otio : head.contains("cutSegments") ? .llc : .jsonl
            } else if first.hasPrefix("[") {
                self = .jsonl
            } else if first.prefix(while: { !$0.isNewline }).contains("\t") {
                self = .tsv
            } else if first.prefix(while: { !$0.isNewline }).contains(where: { $0 == "," || $0 == ";" }) {
                self = .csv
            } else {
                return nil
            }
        }
    }
}

extension ExportList {
    /// Parses a list.
    /// - Parameter rate: frames per second of an EDL's timecodes; nil: the asset's rate.
    public static func read(_ bytes: [UInt8], _ format: ListFormat, rate: Ratio? = nil) -> ExportList {
        var list = ExportList()
        do throws(ListFault) {
            let text = try ListText(bytes)
            switch format {
            case .csv: CutTable(isTabbed: false).read(text, into: &list)
            case .tsv: CutTable(isTabbed: true).read(text, into: &list)
            case .jsonl: try JSONLines.read(text, into: &list)
            case .edl: DecisionList(rate).read(text, into: &list)
            case .llc: try LosslessCutProject.read(text, into: &list)
            case .otio: try Timeline.read(text, into: &list)
            case .ffmetadata: MetadataChapters.read(text, into: &list)
            case .chapters: try MatroskaChapters.read(text, into: &list)
            }
            list.resolveURLs()
            if list.exports.isEmpty, list.faults.isEmpty { list.fault(1, "the list asks for no export") }
        } catch {
            list.faults.append(error)
        }
        return list
    }

    /// Resolves paths written as file URLs: a UTF-8 list can name a file whose name is not UTF-8.
    private mutating func resolveURLs() {
        for index in exports.indices {
            do throws(ListFault) {
                let line = exports[index].line
                exports[index].input = try exports[index].input.map { text throws(ListFault) in
                    try MediaURL.named(text, line: line)
                }
                exports[index].output = try exports[index].output.map { text throws(ListFault) in
                    try MediaURL.named(text, line: line)
                }
            } catch {
                faults.append(error)
            }
        }
    }
}

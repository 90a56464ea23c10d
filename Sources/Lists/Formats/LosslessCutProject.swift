// LosslessCut projects: JSON5 with the media file name and segments in seconds. Segments that are not selected are skipped, as
// in LosslessCut; from version 2 on a segment without an end is a marker.
internal import Media
internal import MediaTime
internal import Text

/// Parses projects.
enum LosslessCutProject {
    static func read(_ text: ListText, into list: inout ExportList) throws(ListFault) {
        let root = try JSONValue(list: text.bytes)
        guard let segments = root.given("cutSegments") else {
            throw ListFault(1, "there are no cutSegments: this is no project of LosslessCut")
        }
        let hasMarkers = (root.given("version")?.number.flatMap { Int($0) } ?? 1) >= 2
        let media = root.given("mediaFileName")?.string
        for segment in segments.array ?? [] {
            let name = segment.given("name")?.string ?? ""
            if segment.given("selected")?.content == .bool(false) {
                list.note(segment.line, "the segment \(name.shown) is not selected, and left out")
                continue
            }
            var export = ListedExport(line: segment.line)
            export.input = media
            export.label = name.isEmpty ? nil : name
            do throws(ListFault) {
                export.start = try time(segment.given("start"), "start")
                export.end = try time(segment.given("end"), "end")
            } catch {
                list.faults.append(error)
                continue
            }
            if export.end == nil, hasMarkers {
                list.note(segment.line, "the segment \(name.shown) has no end: it is a marker, and left out")
                continue
            }
            list.exports.append(export)
        }
    }

    /// Seconds. More than six decimals are a player's floating-point result: rounded to the microsecond, near enough to mean a frame.
    private static func time(_ value: JSONValue?, _ name: String) throws(ListFault) -> TimeSpelling? {
        guard let value else { return nil }
        guard let text = value.number ?? value.string else {
            throw ListFault(value.line, "\(name) is \(value.kind), and must be seconds")
        }
        if let time = try? TimeSpelling.parse(text), case .decimal = time { return time }
        guard let seconds = Double(text), seconds >= 0, seconds < 1e9 else {
            throw ListFault(value.line, "\(name): \(text.shown) is no time")
        }
        return .decimal(Time(Int64((seconds * 1e6).rounded()), 1_000_000))
    }
}

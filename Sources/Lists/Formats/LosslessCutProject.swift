// LosslessCut projects: JSON5 with the media file name and segments in seconds. Segments that are not selected are skipped, as
// in LosslessCut; from version 2 on a segment without an end is a marker.
internal import Media
internal import MediaTime
internal import Text

/// Parses and writes projects.
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
            export.tags = (segment.given("tags")?.object?.dictionary ?? [:]).compactMapValues(\.string)
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
        guard let seconds = Double(text), seconds >= 0, seconds < 1e9,
            let microseconds = Int64(exactly: (seconds * 1e6).rounded())
        else {
            throw ListFault(value.line, "\(name): \(text.shown) is no time")
        }
        return .decimal(Time(microseconds, 1_000_000))
    }
}

extension LosslessCutProject {
    /// Writes a project of version 1, which every LosslessCut reads, and in which a segment may lack an end.
    static func write(_ exports: [ListedExport], to written: inout WrittenList) throws(ListFault) {
        let inputs = Set(exports.compactMap(\.input))
        guard inputs.count < 2 else {
            throw ListFault(
                exports.first { $0.input != exports.first?.input }?.line ?? 1,
                "a project of LosslessCut is of one file, and the list names \(inputs.count)")
        }
        var segments: [JSONValue] = []
        for export in exports {
            export.noteUnsaid(.llc, in: &written)
            var segment = ["name": JSONValue.string(export.label ?? "")]
            segment["start"] = try number(export.start, "start", export)
            segment["end"] = try number(export.end == .end ? nil : export.end, "end", export)
            if !export.tags.isEmpty { segment["tags"] = .object(export.tags.mapValues { .string($0) }) }
            segments.append(.object(segment))
        }
        var project: [String: JSONValue] = ["version": 1, "cutSegments": .array(segments)]
        project["mediaFileName"] = inputs.first.map { .string($0) }
        written.text = JSONValue.object(project).indented
    }

    private static func number(
        _ time: TimeSpelling?, _ name: String, _ export: ListedExport
    ) throws(ListFault) -> JSONValue? {
        guard let time else { return nil }
        guard let exact = time.assetTime else {
            throw ListFault(
                export.line,
                "\(name): LosslessCut counts seconds from the start of the file, and \(time) does not; write the list with times in seconds"
            )
        }
        guard export.origin == .asset else {
            throw ListFault(
                export.line,
                "\(name): LosslessCut counts seconds from the start of the file, and \(time) is counted from 00:00:00:00 of a timecode; give the clip's media an available_range, or convert to csv"
            )
        }
        return JSONValue(.decimal(exact.inMicroseconds))
    }
}

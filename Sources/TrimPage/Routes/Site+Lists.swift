// Lists of ranges: read from and written as those of other programs, and saved beside the film.
internal import Lists
internal import Media
internal import MediaTime
internal import Platform
internal import Text
internal import TrimClient
internal import Wire

extension Site {
    /// The ranges of a list that the browser sends.
    func ranges(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        let body = try Site.object(request)
        let bytes = Array((body["text"]?.string ?? "").utf8)
        let name = body["name"]?.string ?? ""
        guard let format = ListFormat(name: name, bytes: bytes) else {
            throw MediaError(
                .invalidRequest, "'\(name.prefix(80))' is no list that can be read",
                remedy: "give a CSV, EDL, llc, OTIO, JSON lines or chapters")
        }
        return Site.json(200, .object(try read(bytes, format, item, request)))
    }

    /// The browser's ranges as a list.
    func list(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        let body = try Site.object(request)
        guard let format = body["format"]?.string.flatMap(ListFormat.init(rawValue:)) else {
            throw MediaError(.invalidRequest, "there is no format of a list")
        }
        let written = try write(body, format, item, request)
        return Site.json(
            200,
            [
                "name": .string(EditFile.name(of: item.name, format)), "text": .string(written.text),
                "notes": .array(written.notes.map { .string($0.message) }),
            ])
    }

    /// The ranges that are saved beside a file.
    func saved(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let saving else { return Site.json(200, ["format": nil]) }
        let file = EditFile(of: item.path, saving, in: folder)
        guard let (bytes, version) = try file.read() else {
            return Site.json(200, ["format": .string(saving.rawValue), "name": .string(file.name)])
        }
        var answer = try read(bytes, saving, item, request)
        answer["format"] = .string(saving.rawValue)
        answer["name"] = .string(file.name)
        answer["version"] = .string(version)
        return Site.json(200, .object(answer))
    }

    /// Saves the browser's ranges beside a file, unless another program changed them meanwhile.
    func save(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let saving else {
            throw MediaError(
                .invalidRequest, "ranges are not saved here", remedy: "start the page with --save llc")
        }
        let body = try Site.object(request)
        let written = try write(body, saving, item, request)
        let file = EditFile(of: item.path, saving, in: folder)
        let version = try file.write(written.text, replacing: body["version"]?.string)
        return Site.json(200, ["name": .string(file.name), "version": .string(version)])
    }

    // MARK: Ranges

    /// A range of the browser's.
    private struct PageRange: Codable {
        var start: TimeSpelling?
        var end: TimeSpelling?
        var label: String?
        var tags: [String: String]?
    }

    private func asset(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> Media.Asset {
        try Site.decoded(try ask(.assetProbe, ProbeParams(path: item.path), item, request))
    }

    private func write(
        _ body: [String: JSONValue], _ format: ListFormat, _ item: Library.Item, _ request: HTTPRequest
    ) throws(MediaError) -> WrittenList {
        let ranges: [PageRange] = try Site.decodedRanges(body["ranges"])
        let asset = try asset(item, request)
        var list = ExportList()
        for (index, range) in ranges.enumerated() {
            var export = ListedExport(line: index + 1)
            (export.start, export.label) = (range.start, range.label.flatMap { $0.isEmpty ? nil : $0 })
            export.tags = range.tags ?? [:]
            // LosslessCut's table has no file; it lies beside the film.
            if format == .llc { export.input = item.name }
            if format == .edl || format == .otio { export.input = item.path }
            let isEndNeeded = format == .edl || format == .otio
            export.end = range.end ?? (isEndNeeded ? asset.duration.map { .time($0) } : nil)
            if format == .csv || format == .tsv, export.start == nil, export.end == nil {
                export.start = .time(.zero)
            }
            list.exports.append(export)
        }
        do throws(ListFault) {
            return try list.written(
                as: format, rate: asset.mainVideo?.video?.frameRate,
                timecode: asset.timecode.flatMap { try? TimeSpelling.parse($0) })
        } catch { throw MediaError(.invalidRequest, "range \(error.line): \(error.message)") }
    }

    private static func decodedRanges(_ value: JSONValue?) throws(MediaError) -> [PageRange] {
        do { return try (value ?? []).decode(as: [PageRange].self) } catch {
            throw MediaError(.invalidRequest, "the ranges are not understood: \(error)")
        }
    }

    private func read(
        _ bytes: [UInt8], _ format: ListFormat, _ item: Library.Item, _ request: HTTPRequest
    ) throws(MediaError) -> [String: JSONValue] {
        let list = ExportList.read(bytes, format)
        if let fault = list.faults.first {
            throw MediaError(.invalidRequest, "line \(fault.line) of the list: \(fault.message)")
        }
        let times = ListedTimes(try asset(item, request))
        var notes = list.notes.map { "line \($0.line): \($0.message)" }
        var ranges: [JSONValue] = []
        let own = list.exports.filter { Site.isOf($0, item) }
        // A list of one other name is taken: films are renamed.
        let taken = own.isEmpty && Set(list.exports.map(\.input)).count == 1 ? list.exports : own
        if taken.count < list.exports.count {
            notes.append("\(list.exports.count - taken.count) lines are of other files, and left out")
        }
        for export in taken {
            let parts = export.keep ?? [RangeSpelling(start: export.start, end: export.end)]
            for part in parts {
                var range = ["label": JSONValue.string(export.label ?? "")]
                let start = try times.time(part.start, of: export)
                range["start"] = Site.value(of: start, isDecimal: part.start?.isDecimal == true)
                var end = try times.time(part.end, of: export)
                if let length = export.duration?.assetTime { end = (start ?? .zero) + length }
                range["end"] = Site.value(of: end, isDecimal: part.end?.isDecimal == true)
                if !export.tags.isEmpty { range["tags"] = .object(export.tags.mapValues { .string($0) }) }
                ranges.append(.object(range))
            }
        }
        return ["ranges": .array(ranges), "notes": .array(notes.map { .string($0) })]
    }

    /// Whether an export names a file, or none.
    private static func isOf(_ export: ListedExport, _ item: Library.Item) -> Bool {
        guard let input = export.input, let name = input.pathNames.last else { return true }
        return name == item.name || item.name.hasPrefix(name + ".")
    }

    /// A time for the browser; a decimal counts microseconds, so that it still means a frame nearby when it comes back.
    private static func value(of time: Time?, isDecimal: Bool) -> JSONValue? {
        guard let time, time.isNumeric else { return nil }
        guard isDecimal, 1_000_000 % time.timescale == 0 else {
            return ["value": .int(time.value), "timescale": .int(Int64(time.timescale))]
        }
        return ["value": .int(time.value * Int64(1_000_000 / time.timescale)), "timescale": 1_000_000]
    }
}

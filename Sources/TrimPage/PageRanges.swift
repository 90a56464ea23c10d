// The page's ranges as lists of other programs, and theirs as the page's. Pure: whatever numbers a list or a browser names, the answer is
// ranges or an error.
internal import Lists
internal import Media
internal import MediaTime
internal import Text
internal import Wire

/// Ranges of the page, read from a list and written as one.
enum PageRanges {
    /// A range of the browser's.
    private struct Range: Codable {
        var start: TimeSpelling?
        var end: TimeSpelling?
        var label: String?
        var tags: [String: String]?
    }

    /// The ranges of a list that are of a file, as the browser takes them, with notes.
    static func read(
        _ bytes: [UInt8], _ format: ListFormat, name: String, of asset: Media.Asset
    ) throws(MediaError) -> [String: JSONValue] {
        let list = ExportList.read(bytes, format)
        if let fault = list.faults.first {
            throw MediaError(.invalidRequest, "line \(fault.line) of the list: \(fault.message)")
        }
        let times = ListedTimes(asset)
        var notes = list.notes.map { "line \($0.line): \($0.message)" }
        var ranges: [JSONValue] = []
        let own = list.exports.filter { isOf($0, name) }
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
                var end = try times.time(part.end, of: export)
                if let length = export.duration?.assetTime { end = (start ?? .zero) + length }
                for (key, time, isDecimal) in [
                    ("start", start, part.start?.isDecimal == true),
                    ("end", end, part.end?.isDecimal == true),
                ] {
                    guard let time else { continue }
                    guard let value = value(of: time, isDecimal: isDecimal) else {
                        throw MediaError(
                            .invalidTime, "line \(export.line) of the list: its \(key) is no time of a film",
                            remedy: "see to the number")
                    }
                    range[key] = value
                }
                if !export.tags.isEmpty { range["tags"] = .object(export.tags.mapValues { .string($0) }) }
                ranges.append(.object(range))
            }
        }
        return ["ranges": .array(ranges), "notes": .array(notes.map { .string($0) })]
    }

    /// The browser's ranges as a list about a file.
    static func written(
        _ value: JSONValue?, _ format: ListFormat, name: String, path: String, of asset: Media.Asset
    ) throws(MediaError) -> WrittenList {
        let ranges: [Range]
        do { ranges = try (value ?? []).decode(as: [Range].self) } catch {
            throw MediaError(.invalidRequest, "the ranges are not understood: \(error)")
        }
        var list = ExportList()
        for (index, range) in ranges.enumerated() {
            var export = ListedExport(line: index + 1)
            (export.start, export.label) = (range.start, range.label.flatMap { $0.isEmpty ? nil : $0 })
            export.tags = range.tags ?? [:]
            // LosslessCut's table has no file; it lies beside the film.
            if format == .llc { export.input = name }
            if format == .edl || format == .otio { export.input = path }
            let isEndNeeded = format == .edl || format == .otio
            export.end = range.end ?? (isEndNeeded ? asset.duration.map { .time($0) } : nil)
            if format == .csv || format == .tsv, export.start == nil, export.end == nil {
                export.start = .time(.zero)
            }
            for time in [export.start?.assetTime, export.end?.assetTime].compactMap(\.self)
            where !isOfAFilm(time) {
                throw MediaError(
                    .invalidTime, "range \(index + 1): \(time) is no time of a film", remedy: "set it anew")
            }
            list.exports.append(export)
        }
        do throws(ListFault) {
            return try list.written(
                as: format, rate: asset.mainVideo?.video?.frameRate,
                timecode: asset.timecode.flatMap { try? TimeSpelling.parse($0) })
        } catch { throw MediaError(.invalidRequest, "range \(error.line): \(error.message)") }
    }

    /// Whether an export names a file, or none.
    private static func isOf(_ export: ListedExport, _ name: String) -> Bool {
        guard let input = export.input, let listed = input.pathNames.last else { return true }
        return listed == name || name.hasPrefix(listed + ".")
    }

    /// Whether a time lies within a hundred years: what is shown, counted in frames and written is far from the ends of 64 bits.
    private static func isOfAFilm(_ time: Time) -> Bool {
        time.isNumeric && time.absoluteValue <= Time(seconds: 100 * 366 * 86_400)
    }

    /// A time for the browser; a decimal counts microseconds, so that it still means a frame nearby when it comes back. Nil: it is no
    /// time of a film.
    private static func value(of time: Time, isDecimal: Bool) -> JSONValue? {
        guard isOfAFilm(time) else { return nil }
        let exact: JSONValue = ["value": .int(time.value), "timescale": .int(Int64(time.timescale))]
        guard isDecimal, 1_000_000 % time.timescale == 0 else { return exact }
        let (value, isTooLarge) = time.value.multipliedReportingOverflow(
            by: Int64(1_000_000 / time.timescale))
        return isTooLarge ? exact : ["value": .int(value), "timescale": 1_000_000]
    }
}

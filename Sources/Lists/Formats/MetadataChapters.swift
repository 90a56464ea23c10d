// Chapters of an ffmetadata file, as ffmpeg writes and reads it: one export per chapter. A chapter without an end lasts until
// the next one.
internal import Media
internal import MediaTime

/// Parses ffmetadata.
enum MetadataChapters {
    /// A chapter being parsed.
    struct Chapter {
        var line: Int
        var base: (above: Int64, below: Int64) = (1, 1_000_000_000)
        var start: Int64?, end: Int64?
        var title: String?
    }

    static func read(_ text: ListText, into list: inout ExportList) {
        var chapters: [Chapter] = []
        var isChapter = false
        var pending = ""
        for line in text.lines {
            // A backslash before a line end makes the line end part of the value.
            pending += line.text
            if endsEscaped(line.text) {
                pending.removeLast()
                pending += " "
                continue
            }
            let whole = pending
            pending = ""
            if whole.isEmpty || whole.hasPrefix(";") || whole.hasPrefix("#") { continue }
            if whole.hasPrefix("[") {
                isChapter = whole.trimmed == "[CHAPTER]"
                if isChapter { chapters.append(Chapter(line: line.number)) }
                continue
            }
            guard isChapter, let last = chapters.indices.last, let (key, value) = pair(whole) else {
                continue
            }
            switch key.uppercased() {
            case "TIMEBASE":
                let sides = value.split(separator: "/").compactMap { Int64($0) }
                guard sides.count == 2, sides.allSatisfy({ 1...0x7FFF_FFFF ~= $0 }) else {
                    list.fault(line.number, "TIMEBASE: \(value.shown) is no time base, such as 1/1000")
                    continue
                }
                chapters[last].base = (sides[0], sides[1])
            case "START", "END":
                guard let number = Int64(value), number >= 0 else {
                    list.fault(line.number, "\(key): \(value.shown) is no whole number from 0")
                    continue
                }
                if key.uppercased() == "START" {
                    chapters[last].start = number
                } else {
                    chapters[last].end = number
                }
            case "TITLE": chapters[last].title = value
            default: break
            }
        }
        append(chapters, into: &list)
    }

    private static func append(_ chapters: [Chapter], into list: inout ExportList) {
        for (index, chapter) in chapters.enumerated() {
            guard let start = chapter.start else {
                list.fault(chapter.line, "the chapter has no START")
                continue
            }
            var export = ListedExport(line: chapter.line)
            export.start = time(start, chapter)
            export.end = chapter.end.map { time($0, chapter) }
            if export.end == nil, index + 1 < chapters.count, let next = chapters[index + 1].start {
                export.end = time(next, chapters[index + 1])
            }
            export.label = chapter.title
            list.exports.append(export)
        }
    }

    private static func time(_ ticks: Int64, _ chapter: Chapter) -> TimeSpelling {
        .time(
            Time(1, 1).multiplied(by: ticks, over: 1).multiplied(
                by: chapter.base.above, over: chapter.base.below))
    }

    private static func endsEscaped(_ text: String) -> Bool {
        var count = 0
        for character in text.reversed() {
            guard character == "\\" else { break }
            count += 1
        }
        return count % 2 == 1
    }

    /// Key and value, unescaped.
    private static func pair(_ text: String) -> (key: String, value: String)? {
        var parts = ["", ""]
        var part = 0
        var isEscaped = false
        for character in text {
            if isEscaped {
                parts[part].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "=", part == 0 {
                part = 1
            } else {
                parts[part].append(character)
            }
        }
        return part == 1 ? (parts[0].trimmed, parts[1]) : nil
    }
}

// Checks one value of a command line, as far as possible without a file or the daemon.
internal import Media
internal import MediaTime
internal import Text

extension ValueKind {
    /// The checked value, or an error that names the option and the correct form.
    /// - Parameter title: the command, if the value is one of its arguments.
    func read(_ text: String, for name: String, in title: String? = nil) throws(MediaError) -> ArgumentValue {
        // Only file names may contain bytes that are not UTF-8.
        guard self == .inputFile || self == .outputFile || PathBytes.isText(text) else {
            throw UsageError.of("\(name): '\(text)' is not UTF-8")
        }
        switch self {
        case .text:
            return .text(text)
        case .inputFile, .outputFile, .preset:
            guard !text.isEmpty else { throw UsageError.of("\(name) is empty") }
            guard !text.utf8.contains(0) else { throw UsageError.of("\(name) holds a NUL byte") }
            guard self != .preset else { return .text(text) }
            if let remote = RemoteFile(text) {
                throw self == .inputFile
                    ? remote.refusal(of: name, in: title) : remote.outputRefusal(of: name)
            }
            // Results spell a file name that is not UTF-8 this way.
            guard let path = PathSpelling.path(text) else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a URL of a local file",
                    remedy: "write file:///folder/name, or a path")
            }
            return .text(path)
        case .fileType:
            // People write ".mp4" and "MP4".
            let type = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
            guard !type.isEmpty else {
                throw UsageError.of("\(name) is empty", remedy: "write an extension, such as mp4")
            }
            return .text(type)
        case .time:
            do throws(TimeError) {
                return .time(try TimeSpelling.parse(text))
            } catch {
                throw MediaError(.invalidTime, "\(name): \(error.message)")
            }
        case .range:
            do throws(TimeError) {
                return .range(try RangeSpelling.parse(text))
            } catch {
                throw MediaError(.invalidTime, "\(name): \(error.message)")
            }
        case .tolerance:
            do throws(TimeError) {
                return .tolerance(try ToleranceSpelling.parse(text))
            } catch {
                throw MediaError(.invalidTime, "\(name): \(error.message)")
            }
        case .chapter:
            let mark: ChapterMark?
            do throws(TimeError) { mark = try ChapterMark.parse(text) } catch {
                throw MediaError(.invalidTime, "\(name): \(error.message)")
            }
            guard let mark, !mark.title.isEmpty else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a chapter", remedy: "write TIME=NAME, such as 1:10=Opening")
            }
            return .text(text)
        case .chapterRange:
            guard ChapterRequest.parse(range: text) != nil else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a range of chapters",
                    remedy: "write 2..4, 2.. (to the last) or 2; they are counted from 1")
            }
            return .text(text)
        case .job:
            guard let number = Int64(text), number > 0 else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a job ID", remedy: "`trimctl list` shows them")
            }
            return .number(number)
        case .jobs:
            if let number = Int64(text), number > 0 { return .number(number) }
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
            guard ends.count == 2, let first = ends[0], let last = ends[1], 0 < first, first <= last,
                last < .max
            else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a job ID",
                    remedy: "write 5, or 3-7 for a range; `trimctl list` shows them")
            }
            return .jobs(first...last)
        case .tags:
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if let word = words.first(where: { !NodeTag.isValid($0) }) {
                throw UsageError.of("\(name): '\(word)' is not a tag: \(NodeTag.rule)")
            }
            return .text(text)
        case .shard: return .shard(try ShardSpelling.parse(text, for: name))
        case .moment:
            if let moment = Moment(text) { return .moment(moment) }
            let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
                0...1_000_000 ~= number
            else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a date or an age",
                    remedy: "write 2026-01-02T03:04:05Z, or how long ago: 90s, 10m, 2h, 1d")
            }
            return .moment(Moment(milliseconds: Moment.now.milliseconds - number * unit * 1000))
        case .future:
            guard let moment = FutureMoment.parse(text, now: .now) else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a date, a time of day or a delay",
                    remedy: "write 2026-01-02T18:30, 18:30 or +2h")
            }
            return .moment(moment)
        case .count(let range):
            guard let number = Int64(text), range.contains(number) else {
                throw UsageError.of(
                    "\(name): '\(text)' is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return .number(number)
        case .choice(let words):
            if words.contains(text) { return .text(text) }
            let near = nearestNames(to: text, in: words).first
            let remedy = near.map { "did you mean \($0)?" } ?? "it is \(words.spoken)"
            throw UsageError.of(
                "\(name): '\(text)' is not one of its values",
                remedy: near == nil ? remedy : "\(remedy) (it is \(words.spoken))")
        }
    }
}

extension [String] {
    /// `a`, `a or b`, `a, b or c`.
    var spoken: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}

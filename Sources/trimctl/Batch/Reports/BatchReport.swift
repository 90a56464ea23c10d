// The result of a batch as a value: the JSON for scripts, and the source of the other reports.
internal import Media
internal import MediaTime
internal import Text
internal import Wire

/// The result of a batch.
struct BatchReport: Codable, Hashable, Sendable {
    /// One of its exports.
    struct Export: Codable, Hashable, Sendable {
        /// Its position in the list, from 1, and the line it begins on.
        var index: Int, line: Int
        var label: String?
        @SpelledPath var input: String
        @SpelledPath var output: String
        var preset: String
        var outcome: BatchOutcome
        /// Completed by an earlier run.
        var reused: Bool?
        /// The actual or planned render mode.
        var render: RenderMode?
        /// The output's size.
        var bytes: Int64?
        /// The duration of the output and the time to export it, in seconds.
        var length: Double?, taken: Double?
        /// The estimated size.
        var estimatedBytes: SizeBand?
        var warnings: [String]
        var error: MediaError?
        /// The complete job.
        var job: JobReport?
    }

    /// A shard of a list.
    struct Part: Codable, Hashable, Sendable {
        /// Its number, from 1, and the number of shards.
        var index: Int, count: Int
        /// The identity of the list with its options: the same in the reports of all its shards.
        var list: String
        /// The number of exports of the whole list.
        var total: Int
    }

    /// A fault of a line that contains no valid export.
    struct Fault: Codable, Hashable, Sendable {
        var line: Int
        var message: String
    }

    /// The list's path.
    @SpelledPath var list: String
    var started: Moment
    var ended: Moment
    /// trimctl's exit code.
    var exitCode: Int32
    /// Number of exports by outcome; `total` counts all.
    var counts: [String: Int]
    var exports: [Export]
    /// Faults of the list besides those of its exports.
    var faults: [Fault]
    /// The part of the list that it reports, if not the whole.
    var shard: Part?

    /// Creates a report from exports and faults.
    init(
        list: String, started: Moment, ended: Moment, items: [BatchItem], faults: [BatchFault],
        interrupted: Bool
    ) {
        self.list = list
        self.started = started
        self.ended = ended
        let refused = Set(items.filter { $0.outcome == .refused }.map(\.line))
        self.faults = faults.filter { !refused.contains($0.line) }
            .map { Fault(line: $0.line, message: ErrorText.line($0.error)) }
        exports = items.map(BatchReport.export)
        counts = ["total": items.count]
        for item in items { counts[item.outcome.rawValue, default: 0] += 1 }
        // Where lines are invalid, that is why the others were not started.
        let codes =
            faults.isEmpty
            ? items.map(\.exitCode) + (interrupted ? [4] : []) : faults.map { max($0.error.code.exitCode, 1) }
        exitCode = codes.max() ?? 0
    }

    /// An item as the report has it.
    static func export(_ item: BatchItem) -> Export {
        if item.job == nil, var export = item.recorded {
            (export.index, export.line, export.label) = (item.index, item.line, item.label)
            (export.outcome, export.reused) = (item.outcome, item.isReused ? true : nil)
            return export
        }
        let job = item.job
        var taken: Double?
        if let started = job?.started, let ended = job?.ended {
            taken = Double(ended.milliseconds - started.milliseconds) / 1000
        }
        let made = job.flatMap { $0.status == .completed ? $0.tracks.map(\.length).max()?.seconds : nil }
        return Export(
            index: item.index, line: item.line, label: item.label, input: item.request.input,
            output: item.output,
            preset: job?.preset ?? item.preset, outcome: item.outcome, reused: item.isReused ? true : nil,
            render: job.map(\.render) ?? item.way, bytes: job?.bytes, length: made ?? item.length,
            taken: taken,
            estimatedBytes: item.outcome == .waiting ? item.estimatedBytes : nil,
            warnings: job.map { $0.warnings.map(\.message) } ?? item.warnings, error: item.failure, job: job)
    }

    /// One sentence for people.
    var summary: String {
        let all = counts["total"] ?? 0
        var parts: [String] = []
        for outcome in [BatchOutcome.completed, .failed, .refused, .cancelled, .skipped, .notStarted] {
            guard let count = counts[outcome.rawValue], count > 0 else { continue }
            parts.append("\(count) \(outcome == .notStarted ? "not started" : outcome.rawValue)")
        }
        let reused = exports.count { $0.reused == true }
        if reused > 0 { parts[0] += " (\(reused) of them before)" }
        let bytes = exports.filter { $0.outcome == .completed }.reduce(0) { $0 + ($1.bytes ?? 0) }
        let seconds = Double(ended.milliseconds - started.milliseconds) / 1000
        let made = bytes > 0 ? "; \(Units.size(bytes))" : ""
        return
            "\(all) export\(all == 1 ? "" : "s"): \(parts.joined(separator: ", "))\(made) in \(Units.duration(seconds))"
    }
}

// Formats a batch as JUnit XML for CI systems: one test case per export. An invalid line is an error, a failed export a failure;
// exports not done are skipped. Follows the schema of Jenkins' xunit plugin (junit-10.xsd).
extension BatchReport {
    /// The report as XML.
    var junit: String {
        let cases = exports.map(testcase) + faults.map(testcase)
        let errors = exports.count { $0.outcome == .refused } + faults.count
        let failures = exports.count { $0.outcome == .failed }
        let skipped = exports.count { [.skipped, .notStarted, .cancelled, .waiting].contains($0.outcome) }
        let seconds = Double(max(ended.milliseconds - started.milliseconds, 0)) / 1000
        let numbers = """
            tests="\(cases.count)" failures="\(failures)" errors="\(errors)"
            """
        let name = XML.attribute(PathBytes.readable(BatchNames.last(list)))
        let time = Units.fixed(seconds, 3)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="trimctl batch" \(numbers) time="\(time)">
            <testsuite name="\(name)" \(numbers) skipped="\(skipped)" time="\(time)" timestamp="\(started)">
            \(cases.joined(separator: "\n"))
            </testsuite>
            </testsuites>

            """
    }

    private func testcase(_ export: Export) -> String {
        let title = export.label.map { " \($0)" } ?? ""
        var lines = [
            "<testcase classname=\"\(XML.attribute(PathBytes.readable(BatchNames.last(export.input))))\" "
                + "name=\"\(XML.attribute("line \(export.line)\(title) (\(export.preset))"))\" "
                + "time=\"\(Units.fixed(export.taken ?? 0, 3))\">"
        ]
        let error = export.error
        let message = error.map(ErrorText.line) ?? ""
        let type = error?.code.rawValue ?? "unknown"
        switch export.outcome {
        case .failed, .refused:
            let name = export.outcome == .failed ? "failure" : "error"
            lines.append(
                "<\(name) type=\"\(type)\" message=\"\(XML.attribute(message))\">\(XML.text(message))</\(name)>"
            )
        case .skipped: lines.append("<skipped message=\"the output exists\"/>")
        case .cancelled: lines.append("<skipped message=\"cancelled\"/>")
        case .notStarted, .waiting: lines.append("<skipped message=\"not started\"/>")
        case .completed: break
        }
        var words = [
            export.output.isEmpty ? nil : "output: \(PathSpelling.spelled(export.output))",
            export.bytes.map { "bytes: \($0)" },
        ]
        .compactMap(\.self)
        if let render = export.render { words.append("render: \(render.rawValue)") }
        words += export.warnings.map { "warning: \($0)" }
        if !words.isEmpty {
            lines.append("<system-out>\(XML.text(words.joined(separator: "\n")))</system-out>")
        }
        return lines.joined(separator: "\n") + "\n</testcase>"
    }

    private func testcase(_ fault: Fault) -> String {
        """
        <testcase classname="\(XML.attribute(PathBytes.readable(BatchNames.last(list))))" name="\(fault.line == 0 ? "the list" : "line \(fault.line)")" time="0.000">
        <error type="invalidRequest" message="\(XML.attribute(fault.message))">\(XML.text(fault.message))</error>
        </testcase>
        """
    }
}

/// Text for XML 1.0.
enum XML {
    /// Escapes text between tags; characters invalid in XML become U+FFFD.
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                result.unicodeScalars.append("\u{FFFD}")
            case _ where scalar.isSteering:
                result += "&#x\(String(scalar.value, radix: 16, uppercase: true));"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Escapes an attribute value in double quotes.
    static func attribute(_ value: String) -> String {
        text(value).map {
            switch $0 {
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            default: String($0)
            }
        }.joined()
    }
}

// Formats a batch as a Markdown table, for a page, a merge request or an email.
extension BatchReport {
    /// The report as Markdown.
    var markdown: String {
        var text = "# \(cell(BatchNames.last(list)))\n\n\(summary)\n\n"
        text += "| line | source | output | status | render | length | size | taken | notes |\n"
        text += "|---:|---|---|---|---|---:|---:|---:|---|\n"
        for export in exports {
            let notes = [export.error.map(ErrorText.line)].compactMap(\.self) + export.warnings
            let cells = [
                "\(export.line)", cell(BatchNames.last(export.input)), cell(BatchNames.last(export.output)),
                export.reused == true ? "completed before" : export.outcome.rawValue,
                export.render?.rawValue ?? "", export.length.map(Units.duration) ?? "",
                export.bytes.map(Units.size) ?? "", export.taken.map(Units.duration) ?? "",
                cell(notes.joined(separator: "; ")),
            ]
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        for fault in faults { text += "| \(fault.line) | | | wrong | | | | | \(cell(fault.message)) |\n" }
        return text
    }

    /// Escapes text for a cell.
    private func cell(_ text: String) -> String {
        PathBytes.readable(text).printable.oneLine.map { "|\\`*_<>[]".contains($0) ? "\\\($0)" : String($0) }
            .joined()
    }
}

// The reports of the shards of one list, merged into that of the whole list. Shards that are missing, and exports that are in two
// reports, become faults. Pure.
extension BatchReport {
    /// A shard's report, and the file that it is from.
    typealias Named = (file: String, report: BatchReport)

    /// Merges reports of shards.
    ///
    /// Of two reports of one shard the one that ended later counts: a run with `--resume` reports what the earlier ones completed
    /// too. Throws if they are not of one list, divided into one number of shards.
    /// - Returns: the report of the list, and notes for people.
    static func merged(_ reports: [Named]) throws(MediaError) -> (report: BatchReport, notes: [String]) {
        var latest: [Int: Named] = [:]
        var notes: [String] = []
        var first: (file: String, part: Part)?
        for named in reports {
            guard let part = named.report.shard, Shard(part.index, of: part.count) != nil else {
                throw UsageError.of(
                    "\(named.file) is not the report of a shard",
                    remedy: "give the files that `trimctl batch LIST --shard I/N --report FILE.json` wrote")
            }
            let other = first ?? (named.file, part)
            first = other
            guard part.list == other.part.list, part.count == other.part.count, part.total == other.part.total
            else {
                let reason =
                    part.list == other.part.list && part.total == other.part.total
                    ? "divided into \(Units.count(part.count, "shard")), \(other.file) into \(other.part.count)"
                    : "of another list or with other options than \(other.file)"
                throw UsageError.of(
                    "\(named.file) is \(reason)", remedy: "merge reports of one run of all shards")
            }
            guard let twice = latest[part.index] else {
                latest[part.index] = named
                continue
            }
            let isLater = named.report.ended > twice.report.ended
            let (counts, other2) = isLater ? (named, twice) : (twice, named)
            latest[part.index] = counts
            notes.append(
                "shard \(part.index)/\(part.count) is reported twice, in \(other2.file) and \(counts.file): the later, "
                    + "\(counts.file), counts")
        }
        guard let part = first?.part, let any = latest.values.first?.report else {
            throw UsageError.of("there is no report to merge", remedy: "trimctl batch report a.json b.json")
        }
        let all = latest.sorted { $0.key < $1.key }.map(\.value)
        var merged = any
        merged.shard = nil
        merged.started = all.map(\.report.started).min() ?? any.started
        merged.ended = all.map(\.report.ended).max() ?? any.ended
        merged.exports = all.flatMap(\.report.exports).sorted { $0.index < $1.index }
        merged.faults = faults(of: all, part)
        merged.counts = ["total": merged.exports.count]
        for export in merged.exports { merged.counts[export.outcome.rawValue, default: 0] += 1 }
        merged.exitCode = all.map(\.report.exitCode).max() ?? 0
        if merged.faults.contains(where: { $0.line == 0 }) { merged.exitCode = max(merged.exitCode, 1) }
        return (merged, notes)
    }

    /// The faults of the list, each once, and those of the merge, whose line is 0.
    private static func faults(of reports: [Named], _ part: Part) -> [Fault] {
        let exports = reports.flatMap(\.report.exports)
        let refused = Set(exports.filter { $0.outcome == .refused }.map(\.line))
        var seen: Set<Fault> = []
        var faults = reports.flatMap(\.report.faults)
            .filter { !refused.contains($0.line) && seen.insert($0).inserted }
            .sorted { $0.line < $1.line }
        var files: [Int: String] = [:]
        for named in reports {
            for export in named.report.exports {
                if let other = files.updateValue(named.file, forKey: export.index) {
                    faults.append(
                        Fault(
                            line: 0,
                            message: "line \(export.line) is in two reports: \(other) and \(named.file)"))
                }
            }
        }
        let known = Set(reports.compactMap { $0.report.shard?.index })
        let missing = (1...part.count).filter { !known.contains($0) }
        // A shard may have no lines.
        let left = part.total - files.count
        if !missing.isEmpty, left > 0 {
            let names = missing.prefix(20).map { "\($0)/\(part.count)" }.joined(separator: ", ")
            let more = missing.count > 20 ? " and \(missing.count - 20) more" : ""
            faults.append(
                Fault(
                    line: 0,
                    message:
                        "no report of shard \(names)\(more): \(left) of \(Units.count(part.total, "export")) \(left == 1 ? "is" : "are") not in this report"
                ))
        }
        return faults
    }
}

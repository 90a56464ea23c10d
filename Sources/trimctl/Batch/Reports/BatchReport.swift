// The result of a batch as a value: the JSON for scripts, and the source of the other reports.
internal import Media
internal import MediaTime
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

// The reports of the shards of one list, merged into that of the whole list. Shards that are missing, and exports that are in two
// reports, become faults. Pure.
internal import Media

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

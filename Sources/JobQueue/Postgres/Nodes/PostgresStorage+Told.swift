// Nodes tell each other of the jobs that they run: the lines of their logs, and how far they are. Both are lost with the last
// moments before a crash of the server, and wait for no disk.
internal import Media

extension PostgresStorage {
    func add(_ lines: LogBatch, _ owner: String) throws(MediaError) {
        try changeUnsynced { database, _ -> Void in
            let last = try database.rows("SELECT log FROM nodes WHERE owner = ? FOR UPDATE", [.text(owner)])
            if let last = last.first?.integer(0), last >= lines.number { return }
            for (id, text) in lines.texts.sorted(by: { $0.key < $1.key }) {
                let count = Int64(text.utf8.count)
                let end = try database.integer(
                    """
                    INSERT INTO logs SELECT id, ? FROM jobs WHERE id = ?
                        ON CONFLICT (job) DO UPDATE SET bytes = logs.bytes + excluded.bytes RETURNING bytes
                    """, [.integer(count), .integer(id)])
                // The job is removed.
                guard let end else { continue }
                try database.run(
                    "INSERT INTO log_parts VALUES (?, ?, ?)",
                    [.integer(id), .integer(end - count), .text(text)])
                guard end > LogBatch.mostKept else { continue }
                try database.run(
                    "DELETE FROM log_parts WHERE job = ? AND start < ?",
                    [.integer(id), .integer(end - LogBatch.mostKept)])
            }
            try database.run(
                "UPDATE nodes SET log = ? WHERE owner = ?", [.integer(lines.number), .text(owner)])
        }
    }

    func log(of id: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogPart {
        try read { database, _ in
            let job = Value.integer(id)
            let end = try database.integer("SELECT bytes FROM logs WHERE job = ?", [job]) ?? 0
            // Of a log that was cut, what is left begins later.
            let first =
                try database.integer(
                    "SELECT start FROM log_parts WHERE job = ? ORDER BY start LIMIT 1", [job]) ?? end
            let start = max(first, offset.map { min($0, end) } ?? end - Int64(limit))
            // Also the part that has the first byte in its middle.
            let rows = try database.rows(
                "SELECT start, lines FROM log_parts WHERE job = ? AND start > ? AND start < ? ORDER BY start",
                [job, .integer(start - Int64(LogBatch.mostBytes)), .integer(start + Int64(limit))])
            return LogPart(rows: rows, from: start, limit: limit, isTail: offset == nil)
        }
    }

    func tell(_ progress: [AttemptProgress], _ owner: String) throws(MediaError) {
        try changeUnsynced { database, now -> Void in
            for each in progress.sorted(by: { $0.job < $1.job }) {
                try database.run(
                    """
                    INSERT INTO progress SELECT id, attempts, daemon, ?, ? FROM jobs
                        WHERE id = ? AND attempts = ? AND daemon = ? AND state IN (\(JobTable.list(JobState.begun)))
                        ON CONFLICT (job) DO UPDATE SET attempt = excluded.attempt, owner = excluded.owner,
                            at = excluded.at, report = excluded.report WHERE progress.attempt <= excluded.attempt
                    """,
                    [
                        .integer(now.milliseconds), .text(try JSON.text(each.live)), .integer(each.job),
                        .integer(Int64(each.attempt)), .text(owner),
                    ])
            }
        }
    }

    func told(since moment: Moment, _ owner: String) throws(MediaError) -> [AttemptProgress] {
        try read { database, _ in
            try database.rows(
                """
                SELECT job, "user", attempt, report, at FROM progress JOIN jobs ON jobs.id = job AND attempts = attempt
                    AND daemon = owner AND state IN (\(JobTable.list(JobState.begun)))
                    WHERE at >= ? AND owner <> ? ORDER BY at LIMIT 1000
                """, [.integer(moment.milliseconds), .text(owner)]
            ).map { row in
                let id = row.integer(0) ?? 0
                var told = AttemptProgress(
                    job: id, user: UInt32(truncatingIfNeeded: row.integer(1) ?? 0),
                    attempt: Int(row.integer(2) ?? 0),
                    try JSON.read(LiveProgress.self, row.text(3) ?? "", "progress of job \(id)"))
                told.at = Moment(milliseconds: row.integer(4) ?? 0)
                return told
            }
        }
    }

    func withProgress(_ jobs: [Job], in table: JobTable) throws -> [Job] {
        let elsewhere = jobs.filter { JobState.begun.contains($0.state) && $0.owner != table.owner }
        guard !elsewhere.isEmpty else { return jobs }
        let ids = elsewhere.map { "\($0.id)" }.joined(separator: ",")
        let rows = try table.database.rows(
            """
            SELECT job, attempt, owner, report FROM progress
                WHERE job = ANY (CAST(string_to_array(?, ',') AS BIGINT[]))
            """, [.text(ids)])
        let known = Dictionary(rows.map { ($0.integer(0) ?? 0, $0) }) { $1 }
        return try jobs.map { job in
            // Words of a node that has lost the job since are not its progress.
            guard JobState.begun.contains(job.state), job.owner != table.owner, let row = known[job.id],
                row.integer(1) == Int64(job.attempts), row.text(2) == job.owner
            else { return job }
            var job = job
            job.live = try JSON.read(LiveProgress.self, row.text(3) ?? "", "progress of job \(job.id)")
            return job
        }
    }
}

extension LogPart {
    /// The bytes from an offset on of rows of `log_parts`, cut to whole lines; `isTail`: the first line may be one in part.
    fileprivate init(rows: [Row], from start: Int64, limit: Int, isTail: Bool) {
        let newline = UInt8(ascii: "\n")
        let base = rows.first?.integer(0) ?? start
        var bytes = rows.flatMap { Array(($0.text(1) ?? "").utf8) }[...]
        bytes = bytes.dropFirst(Int(start - base)).prefix(limit)
        let end = bytes.lastIndex(of: newline).map { $0 + 1 } ?? bytes.startIndex
        var text = bytes[..<end]
        let next = start + Int64(text.count)
        if isTail, start > base, let first = text.firstIndex(of: newline) { text = text[(first + 1)...] }
        self.init(String(decoding: text, as: UTF8.self), next: next)
    }
}

// JobStore's orders: what users do to jobs that are there. Each is refused where the table of states does not have
// it, with the state in words; one that changes nothing (holding what is held) is no error.
public import Media
public import Platform

extension JobStore {
    /// Its user no longer wants it. A job that has ended, or is getting its name just now, stays as it is.
    public func cancel(_ id: Int64) throws(MediaError) -> Job {
        try change { table in
            guard let job = try table.find(id) else { throw JobTable.missing(id) }
            guard job.state.mayBecome(.cancelled) else { return job }
            return try table.end(id, .cancelled, error: Job.cancellation)
        }
    }

    /// A running attempt's user no longer wants the job: no output has its name.
    public func cancel(_ id: Int64, attempt: Int) throws(MediaError) -> Job {
        try change { table in
            if let done = try table.ended(id, attempt, in: [.cancelled]) { return done }
            return try table.end(
                id, attempt: attempt, .cancelled, also: [.publishing], error: Job.cancellation)
        }
    }

    /// It is not begun until it is released.
    public func hold(_ id: Int64) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            if job.state == .held { return job }
            try JobTable.check(job, mayBecome: .held, "held", remedy: "only a job that waits can be held")
            return try table.move(id, to: .held, set: "due = NULL", [])
        }
    }

    /// A held job waits again, in its old place. One that waits after a failure is tried at once.
    public func release(_ id: Int64) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            if job.state == .waiting, job.due == nil { return job }
            let isDelayed = job.state == .waiting
            if !isDelayed {
                try JobTable.check(
                    job, mayBecome: .waiting, from: [.held], "released",
                    remedy: "only a held job can be released")
            }
            return try table.move(id, to: .waiting, also: isDelayed ? [.waiting] : [], set: "due = NULL", [])
        }
    }

    /// A job that failed or was cancelled waits again, as new, for its source as it is now; with the request as it was
    /// proved again, where one is given. Its output has its old name where no other unfinished job has it; one that the user
    /// named is refused then, another gets its next number.
    public func retry(
        _ id: Int64, source: FileIdentity, request proved: ExportRequest? = nil, limit: Int? = nil
    ) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            try JobTable.check(
                job, mayBecome: .waiting, from: [.failed, .cancelled], "tried again",
                remedy: "only a job that failed or was cancelled can be")
            try table.checkLimit(limit, of: job.user)
            let kept = try table.keep(job.nameAgain, for: job.user, but: id)
            var request = proved ?? job.request
            request.output.number = kept.number
            return try table.move(
                id, to: .waiting,
                set: """
                    error = NULL, ended = NULL, due = NULL, crashes = 0, failures = 0, interruptions = 0,
                    request = ?, reserved = ?,
                    source_device = ?, source_inode = ?, source_size = ?, source_modified = ?, source_boot = ?
                    """,
                [
                    .text(try JSON.text(request)), Value(kept.key),
                    .integer(Int64(bitPattern: source.device)), .integer(Int64(bitPattern: source.inode)),
                    .integer(source.size), .integer(source.modified), Value(source.boot),
                ])
        }
    }

    /// Takes a job that has ended off the record; its key is free again. The output stays.
    public func remove(_ id: Int64) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            guard job.state.isFinal else {
                throw MediaError(
                    .jobStateNotValid, "job \(id) is \(job.state.status.rawValue) and cannot be removed",
                    remedy: "cancel it first")
            }
            try table.database.run("DELETE FROM jobs WHERE id = ?", [.integer(id)])
            try table.record(.removed, of: job)
            return job
        }
    }

    /// The jobs that have ended and are more than the policy keeps, those that ended first. A few more may be
    /// kept, so that not every end of a job costs a write.
    public func surplus() throws(MediaError) -> [Int64] {
        let history = policy.history
        return try read { table in
            let last = try table.database.integer(
                "SELECT ended FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC, id DESC LIMIT 1 OFFSET ?",
                [.integer(Int64(history + history / 100))])
            guard last != nil else { return [] }
            let rows = try Statement(
                table.database,
                "SELECT id FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC, id DESC LIMIT -1 OFFSET ?",
                [.integer(Int64(history))])
            var ids: [Int64] = []
            while try rows.step() { if let id = rows.integer(0) { ids.append(id) } }
            return ids
        }
    }

    /// Takes ended jobs off the record for being old, and old events with them.
    public func forget(_ ids: [Int64]) throws(MediaError) {
        guard !ids.isEmpty else { return }
        let events = policy.events
        try change { table -> Void in
            for id in ids {
                try table.database.run("DELETE FROM jobs WHERE id = ? AND ended IS NOT NULL", [.integer(id)])
            }
            try table.database.run(
                "DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?", [.integer(Int64(events))])
        }
    }

    /// Whether no job is to be begun, whatever waits. It outlives the daemon.
    public func isDraining() throws(MediaError) -> Bool {
        try read { table in
            try table.database.integer("SELECT is_on FROM switches WHERE name = 'drain'") == 1
        }
    }

    /// Says whether jobs are to be begun.
    public func setDraining(_ isOn: Bool) throws(MediaError) {
        try change { table -> Void in
            try table.database.run("REPLACE INTO switches VALUES ('drain', ?)", [.integer(isOn ? 1 : 0)])
        }
    }

    /// The highest number that a job of this queue ever had; 0 before the first.
    public func lastJob() throws(MediaError) -> Int64 {
        try read { table in
            try table.database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'") ?? 0
        }
    }

    /// Numbers of jobs and of events begin above these, where those before are not on record.
    public func skipNumbers(jobs: Int64, events: Int64) throws(MediaError) {
        try change { table -> Void in
            for (name, id) in [("jobs", jobs), ("events", events)] {
                let sequence: [Value] = [.text(name)]
                let last = try table.database.integer(
                    "SELECT seq FROM sqlite_sequence WHERE name = ?", sequence)
                if let last, last >= id { continue }
                try table.database.run("DELETE FROM sqlite_sequence WHERE name = ?", sequence)
                try table.database.run(
                    "INSERT INTO sqlite_sequence VALUES (?, ?)", [.text(name), .integer(id)])
            }
        }
    }
}

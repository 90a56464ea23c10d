// JobStore, orders: what users do to existing jobs. The table of states decides; a refusal names the state, and an order
// without effect (holding a held job) is no error.
public import Media
public import Platform

extension JobStore {
    /// Cancels a job. One that has ended, or is being published, is not changed.
    public func cancel(_ id: Int64) throws(MediaError) -> Job {
        try change { table in
            guard let job = try table.find(id) else { throw JobTable.missing(id) }
            guard job.state.mayBecome(.cancelled) else { return job }
            return try table.end(id, .cancelled, error: Job.cancellation)
        }
    }

    /// Cancels a running attempt's job: no output is published.
    public func cancel(_ id: Int64, attempt: Int) throws(MediaError) -> Job {
        try change { table in
            if let done = try table.ended(id, attempt) { return done }
            return try table.end(
                id, attempt: attempt, .cancelled, also: [.publishing], error: Job.cancellation)
        }
    }

    /// Keeps a job from starting until it is released.
    public func hold(_ id: Int64) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            if job.state == .held { return job }
            try JobTable.check(
                job, mayBecome: .held, from: [.waiting], "held",
                remedy: "only a job that waits or is exporting can be held")
            return try table.move(id, to: .held, set: "due = NULL", [])
        }
    }

    /// Lets a held job wait again, in its old position. One that waits after a failure is retried at once.
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
            // A held job waits for its moment as before; one that waits for it is to start at once.
            let due = isDelayed ? nil : Job.due(job.notBefore, now: table.now)?.milliseconds
            let set = "due = ?" + (isDelayed && job.due == job.notBefore ? ", not_before = NULL" : "")
            return try table.move(id, to: .waiting, also: isDelayed ? [.waiting] : [], set: set, [Value(due)])
        }
    }

    /// Records that a running attempt is paused, or goes on.
    public func pause(_ id: Int64, attempt: Int, _ isOn: Bool) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            guard job.state == .running, job.attempts == attempt, job.owner == table.owner else {
                throw JobTable.notRunning(job)
            }
            try table.database.run(
                "UPDATE jobs SET paused = ? WHERE id = ?", [.integer(isOn ? 1 : 0), .integer(id)])
            table.news?.isAny = true
            return try table.need(id)
        }
    }

    /// Changes the priority of a job that has not ended.
    public func modify(_ id: Int64, priority: Int) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            guard !job.state.isFinal else {
                throw MediaError(
                    .jobStateNotValid, "job \(id) is \(job.state.status.rawValue) and cannot be modified",
                    remedy: "only a job that has not ended can be")
            }
            try table.database.run(
                "UPDATE jobs SET priority = ? WHERE id = ?", [.integer(Int64(priority)), .integer(id)])
            return try table.need(id)
        }
    }

    /// Changes the request and the conditions of a job that waits or is held.
    public func modify(_ id: Int64, _ change: JobChange) throws(MediaError) -> Job {
        try self.change { table in
            let job = try table.need(id)
            try job.checkModifiable()
            let kept = try table.keep(change.name, for: job.user, but: id)
            var request = change.request
            request.output.number = kept.number
            let start = change.start
            let needs = try table.needs(of: request, start.needs, user: job.user)
            let open = try table.open(of: start.after)
            let due = job.due == job.notBefore ? Job.due(start.notBefore, now: table.now) : job.due
            let isSQLite = table.database.dialect == .sqlite
            try table.database.run("DELETE FROM dependencies WHERE job = ?", [.integer(id)])
            try table.database.run(
                """
                UPDATE jobs SET request = ?, reserved = ?, priority = ?, after_jobs = ?, blockers = ?, not_before = ?, due = ?,
                    needs = ?, \(isSQLite ? "unmet" : "hopeless") = 0, unit_total = NULL, unit_progress = 0,
                    source_device = ?, source_inode = ?, source_size = ?, source_modified = ?, source_boot = ?,
                    source_digest = ? WHERE id = ?
                """,
                [
                    .text(try table.text(request)), Value(kept.key),
                    .integer(Int64(change.priority ?? job.priority)),
                    Value(start.after.isEmpty ? nil : start.after.map(String.init).joined(separator: ",")),
                    .integer(Int64(open.count)), Value(start.notBefore?.milliseconds),
                    Value(job.state == .held ? nil : due?.milliseconds), .text(needs.text),
                    .integer(Int64(bitPattern: change.source.device)),
                    .integer(Int64(bitPattern: change.source.inode)),
                    .integer(change.source.size), .integer(change.source.modified), Value(change.source.boot),
                    Value(change.source.digest), .integer(id),
                ])
            try table.add(open, of: id)
            try table.addUnmet(needs, of: id)
            if !isSQLite {
                try table.database.run(
                    "INSERT INTO need_sets VALUES (?, ?) ON CONFLICT DO NOTHING",
                    [.integer(Int64(job.user)), .text(needs.text)])
            }
            table.news?.isAny = true
            return try table.need(id)
        }
    }

    /// Requeues a job that failed or was cancelled, with its counters reset and its source as it is now; and with the request
    /// as proved again, if given. Its output keeps its name unless another unfinished job has reserved it: then a name from the
    /// user is refused, and a numbered one gets its next number.
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
                    error = NULL, ended = NULL, due = ?, crashes = 0, failures = 0, interruptions = 0,
                    unit_total = NULL, unit_progress = 0,
                    request = ?, reserved = ?,
                    source_device = ?, source_inode = ?, source_size = ?, source_modified = ?, source_boot = ?,
                    source_digest = ?
                    """,
                [
                    Value(Job.due(job.notBefore, now: table.now)?.milliseconds),
                    .text(try table.text(request)), Value(kept.key),
                    .integer(Int64(bitPattern: source.device)), .integer(Int64(bitPattern: source.inode)),
                    .integer(source.size), .integer(source.modified), Value(source.boot),
                    Value(source.digest),
                ])
        }
    }

    /// Removes a finished job; its key is free again. The output stays.
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

    /// The finished jobs beyond the number that the policy keeps, those that ended first. A few more may be kept, so that not
    /// every end of a job costs a write.
    public func surplus() throws(MediaError) -> [Int64] {
        let history = policy.history
        return try read { table in
            guard try table.endedCount().map({ $0 > history + history / 100 }) ?? true else { return [] }
            let last = try table.database.integer(
                "SELECT ended FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC, id DESC LIMIT 1 OFFSET ?",
                [.integer(Int64(history + history / 100))])
            guard last != nil else { return [] }
            return try table.database.rows(
                "SELECT id FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC, id DESC LIMIT 1000 OFFSET ?",
                [.integer(Int64(history))]
            ).compactMap { $0.integer(0) }
        }
    }

    /// Removes old finished jobs, and old events with them.
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

    /// Whether no job may start, whatever waits. It persists across restarts.
    public func isDraining() throws(MediaError) -> Bool { try isOn(storage.drainSwitch) }

    /// Whether no job is accepted while none may start. It persists across restarts.
    public func isRefusing() throws(MediaError) -> Bool {
        try isOn(JobStore.refuseSwitch(storage.drainSwitch))
    }

    /// Sets whether no job is accepted while none may start.
    public func setRefusing(_ isOn: Bool) throws(MediaError) {
        try setSwitch(JobStore.refuseSwitch(storage.drainSwitch), isOn)
    }

    /// Sets it for a node.
    public func setRefusing(_ isOn: Bool, node: String) throws(MediaError) {
        try setSwitch(JobStore.refuseSwitch(storage.drainSwitch(of: node)), isOn)
    }

    private static func refuseSwitch(_ drainSwitch: String) -> String { "refuse, \(drainSwitch)" }

    private func isOn(_ name: String) throws(MediaError) -> Bool {
        try read { table in
            try table.database.integer("SELECT is_on FROM switches WHERE name = ?", [.text(name)]) == 1
        }
    }

    /// Sets whether no job may start.
    public func setDraining(_ isOn: Bool) throws(MediaError) { try setSwitch(storage.drainSwitch, isOn) }

    /// Sets whether no job may start on a node.
    public func setDraining(_ isOn: Bool, node: String) throws(MediaError) {
        try setSwitch(storage.drainSwitch(of: node), isOn)
    }

    private func setSwitch(_ name: String, _ isOn: Bool) throws(MediaError) {
        try change { table -> Void in
            try table.database.run(
                "INSERT INTO switches VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on",
                [.text(name), .integer(isOn ? 1 : 0)])
        }
    }

    /// The highest job ID ever assigned by this queue; 0 before the first.
    public func lastJob() throws(MediaError) -> Int64 { try storage.lastJob() }

    /// Makes new job and event numbers start above these, if the last ones are lower.
    public func skipNumbers(jobs: Int64, events: Int64) throws(MediaError) {
        try storage.skipNumbers(jobs: jobs, events: events)
    }
}

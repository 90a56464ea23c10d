// JobStore, reads. They change nothing and return only jobs that the viewer may see.
public import Media

extension JobStore {
    /// The job with an ID; throws `jobNotFound` if the viewer sees no such job.
    public func job(_ id: Int64, for viewer: Viewer = .all) throws(MediaError) -> Job {
        try read { [storage] table in
            guard let job = try table.find(id), viewer == .all || viewer == .user(job.user)
            else { throw JobTable.missing(id) }
            return try storage.withProgress([job], in: table).first ?? job
        }
    }

    /// The job with a user's key; nil if there is none.
    public func job(key: String, of user: UInt32) throws(MediaError) -> Job? {
        try read { [storage] table in
            try storage.withProgress(try table.find(key: key, of: user).map { [$0] } ?? [], in: table).first
        }
    }

    /// The jobs that match a filter, newest first; with `after`, those older than that ID.
    public func jobs(
        for viewer: Viewer, where filter: JobFilter, limit: Int, after: Int64?
    ) throws(MediaError) -> [Job] {
        if filter.states?.isEmpty == true { return [] }
        let users = [viewer.user, filter.user].compactMap(\.self)
        if Set(users).count > 1 { return [] }
        var conditions = ["id < ?"]
        var values: [Value] = [.integer(after ?? Int64.max)]
        if let since = filter.since {
            conditions.append("created >= ?")
            values.append(.integer(since.milliseconds))
        }
        let page = JobPage(user: users.first, states: filter.states, limit: max(0, limit))
        return try read { [storage] table in
            let (sql, values) = page.query(conditions, values, table.database.dialect)
            return try storage.withProgress(try table.database.rows(sql, values).map(table.job), in: table)
        }
    }

    /// The jobs that are running or being published by this owner's attempts, oldest first.
    public func attempts() throws(MediaError) -> [Job] {
        try select(
            "WHERE state IN (\(JobTable.list(JobState.begun))) AND daemon = ? ORDER BY id", [.text(owner)])
    }

    /// The number of jobs that wait for a worker. Costs one index step per waiting job, not per stored job.
    public func waitingCount() throws(MediaError) -> Int {
        try read { table in
            let counts = try table.stateCounts("WHERE state = 'waiting'", [])
            return Int(counts.first?.integer(1) ?? 0)
        }
    }

    /// Whether a job can start.
    public func availability() throws(MediaError) -> JobAvailability {
        try read { table in
            let now = table.now.milliseconds
            let ready = try table.isOneReady()
            let due = try table.database.integer("SELECT min(due) FROM jobs WHERE \(JobTable.isDelayed)")
            let isDue = try table.database.integer(
                "SELECT 1 FROM jobs WHERE \(JobTable.isDue) LIMIT 1", table.dueValues)
            return JobAvailability(
                isReady: ready || isDue != nil,
                delay: due.map { min(max($0 - now, 0), QueuePolicy.longestDelay) })
        }
    }

    /// When the longest-waiting job was accepted.
    public func oldestWaiting() throws(MediaError) -> Moment? {
        try read { table in
            // The order is that of one index: by that of the IDs, the server would look for it among all jobs.
            try table.database.integer(
                "SELECT created FROM jobs WHERE state BETWEEN 'waiting' AND 'waiting' ORDER BY state, id LIMIT 1"
            ).map(Moment.init(milliseconds:))
        }
    }

    /// The number of jobs by status, without empty statuses.
    public func counts(for viewer: Viewer = .all) throws(MediaError) -> [JobStatus: Int] {
        var condition = ""
        var values: [Value] = []
        if case .user(let user) = viewer {
            condition = "WHERE \"user\" = ?"
            values.append(.integer(Int64(user)))
        }
        return try read { table in
            var counts: [JobStatus: Int] = [:]
            for row in try table.stateCounts(condition, values) {
                guard let state = row.text(0).flatMap(JobState.init(rawValue:)) else { continue }
                counts[state.status, default: 0] += Int(row.integer(1) ?? 0)
            }
            return counts.filter { $0.value != 0 }
        }
    }

    private func select(_ rest: String, _ values: [Value]) throws(MediaError) -> [Job] {
        try read { [storage] table in
            let rows = try table.database.rows("SELECT \(Job.columns) FROM jobs \(rest)", values)
            return try storage.withProgress(try rows.map(table.job), in: table)
        }
    }
}

/// A page of a list of jobs.
private struct JobPage {
    let user: UInt32?
    let states: [JobState]?
    let limit: Int

    /// Its query, which reads no more than a page of rows of each state: with PostgreSQL the order is that of one index, so that it
    /// is not looked for among all jobs, whatever the planner expects of them.
    func query(_ conditions: [String], _ values: [Value], _ dialect: Dialect) -> (String, [Value]) {
        func select(_ more: [String], _ their: [Value], _ order: String) -> (String, [Value]) {
            (
                """
                SELECT \(Job.columns) FROM jobs WHERE \((conditions + more).joined(separator: " AND "))
                    ORDER BY \(order) LIMIT \(limit)
                """, values + their
            )
        }
        let own: [Value] = user.map { [.integer(Int64($0))] } ?? []
        let isOwn = user == nil ? [] : ["\"user\" = ?"]
        switch (states, dialect) {
        case (let states?, .sqlite):
            return select(isOwn + ["state IN (\(JobTable.list(states)))"], own, "id DESC")
        case (nil, .sqlite): return select(isOwn, own, "id DESC")
        case (nil, .postgres):
            guard user != nil else { return select([], [], "id DESC") }
            return select(["\"user\" BETWEEN ? AND ?"], own + own, "\"user\" DESC, id DESC")
        case (let states?, .postgres):
            let parts = states.map {
                select(
                    isOwn + ["state BETWEEN '\($0.rawValue)' AND '\($0.rawValue)'"], own,
                    "state DESC, id DESC")
            }
            let sql = parts.map { "(\($0.0))" }.joined(separator: " UNION ALL ")
            return ("SELECT * FROM (\(sql)) AS each ORDER BY id DESC LIMIT \(limit)", parts.flatMap(\.1))
        }
    }
}

extension Viewer {
    /// The only user whose jobs it covers; nil: all.
    fileprivate var user: UInt32? {
        if case .user(let user) = self { user } else { nil }
    }
}

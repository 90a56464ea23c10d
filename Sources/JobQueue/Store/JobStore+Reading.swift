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
        var conditions = ["id < ?"]
        var values: [Value] = [.integer(after ?? Int64.max)]
        if case .user(let user) = viewer {
            conditions.append("\"user\" = ?")
            values.append(.integer(Int64(user)))
        }
        if let user = filter.user {
            conditions.append("\"user\" = ?")
            values.append(.integer(Int64(user)))
        }
        if filter.states?.isEmpty == true { return [] }
        if let states = filter.states { conditions.append("state IN (\(JobTable.list(states)))") }
        if let since = filter.since {
            conditions.append("created >= ?")
            values.append(.integer(since.milliseconds))
        }
        let order = "ORDER BY id DESC LIMIT \(max(0, limit))"
        return try select("WHERE \(conditions.joined(separator: " AND ")) \(order)", values)
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
            try table.database.integer("SELECT created FROM jobs WHERE state = 'waiting' ORDER BY id LIMIT 1")
                .map(Moment.init(milliseconds:))
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

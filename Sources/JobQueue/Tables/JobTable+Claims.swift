// Which job starts next. On the queue of the connection.
internal import Media

extension JobTable {
    /// The condition for jobs that can start now.
    static let isReady = "state = 'waiting' AND due IS NULL AND blockers = 0"

    /// The condition for jobs that only their delay keeps from starting.
    static let isDelayed = "due IS NOT NULL AND blockers = 0"

    /// Due, or delayed too long, as after the clock was set back; a moment that the user named may be far away. Its values are
    /// `dueValues`.
    static let isDue = "\(isDelayed) AND (due <= ? OR due > ? AND due IS DISTINCT FROM not_before)"

    /// The values of `isDue`.
    var dueValues: [Value] {
        [.integer(now.milliseconds), .integer(now.milliseconds + QueuePolicy.longestDelay)]
    }

    /// Marks jobs that are due as ready.
    func wake() throws {
        try database.run(
            """
            UPDATE jobs SET due = NULL WHERE id IN
                (SELECT id FROM jobs WHERE \(JobTable.isDue)\(database.dialect.skippingLocked))
            """, dueValues)
    }

    /// The next job to start, and its user.
    func next() throws -> (id: Int64, user: UInt32)? {
        switch database.dialect {
        case .sqlite: try nextOfAll()
        case .postgres: try nextUnlocked()
        }
    }

    /// Where nobody else claims: the one with the highest priority of the user whose turn was longest ago; of
    /// several, the oldest. Priority orders a user's own jobs only. Each query is one index lookup; there are two for each
    /// priority of each user, and one for each user's turn.
    private func nextOfAll() throws -> (id: Int64, user: UInt32)? {
        var firsts: [Int64: Int64] = [:]
        var priority = Int64.max
        while let lower = try database.integer(
            "SELECT max(priority) FROM jobs WHERE \(JobTable.isReady) AND priority < ?", [.integer(priority)])
        {
            priority = lower
            var user: Int64 = -1
            while let other = try database.integer(
                "SELECT min(\"user\") FROM jobs WHERE \(JobTable.isReady) AND priority = ? AND \"user\" > ?",
                [.integer(priority), .integer(user)])
            {
                user = other
                guard firsts[user] == nil else { continue }
                firsts[user] = try database.integer(
                    "SELECT min(id) FROM jobs WHERE \(JobTable.isReady) AND priority = ? AND \"user\" = ?",
                    [.integer(priority), .integer(user)])
            }
        }
        let jobs = try firsts.compactMap { user, id in
            try UInt32(exactly: user).map { (id: id, user: $0, turn: try turn(of: $0)) }
        }
        return jobs.min { ($0.turn, $0.id) < ($1.turn, $1.id) }.map { ($0.id, $0.user) }
    }

    /// When a user had their last turn, counted in claims; 0: never.
    private func turn(of user: UInt32) throws -> Int64 {
        try database.integer("SELECT turn FROM turns WHERE \"user\" = ?", [.integer(Int64(user))]) ?? 0
    }

    /// The condition that a node has everything in `need_sets`; its value is `abilityValue`.
    static let isMet = "string_to_array(need_sets.needs, ',') <@ string_to_array(?, ',')"

    /// The words of this node.
    var abilityValue: Value { .text(abilities.union(Needs.features).sorted().joined(separator: ",")) }

    /// Where others claim at the same time: locks the job that it returns, and passes by those that others are about to claim. The
    /// first query reads one row for each of the different needs that a user's jobs have, up to a page of them; the second one row.
    private func nextUnlocked() throws -> (id: Int64, user: UInt32)? {
        let page = 32
        for start in stride(from: 0, to: 10_000, by: page) {
            let lines = try database.rows(
                """
                SELECT turns."user", need_sets.needs FROM turns
                    JOIN need_sets ON need_sets."user" = turns."user" AND \(JobTable.isMet)
                    CROSS JOIN LATERAL (SELECT id, priority FROM jobs WHERE \(JobTable.isReady)
                        AND jobs."user" = turns."user" AND jobs.needs = need_sets.needs
                        ORDER BY priority DESC, id LIMIT 1) AS job
                    ORDER BY turns.turn, job.priority DESC, job.id LIMIT \(page) OFFSET ?
                """, [abilityValue, .integer(Int64(start))])
            for row in lines {
                guard let user = row.integer(0).flatMap(UInt32.init(exactly:)) else { continue }
                let id = try database.integer(
                    """
                    SELECT id FROM jobs WHERE \(JobTable.isReady) AND "user" = ? AND needs = ?
                        ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED
                    """, [.integer(Int64(user)), .text(row.text(1) ?? "")])
                if let id { return (id, user) }
            }
            if lines.count < page { break }
        }
        return nil
    }

    /// The next turn was this user's.
    func countTurn(of user: UInt32) throws {
        switch database.dialect {
        case .sqlite:
            try database.run(
                "INSERT OR REPLACE INTO turns SELECT ?, ifnull(max(turn), 0) + 1 FROM turns",
                [.integer(Int64(user))])
        case .postgres:
            // Where another has the row, it gives the user a turn that is as late.
            try database.run(
                """
                UPDATE turns SET turn = nextval('turn_numbers') WHERE "user" IN
                    (SELECT "user" FROM turns WHERE "user" = ? FOR UPDATE SKIP LOCKED)
                """, [.integer(Int64(user))])
        }
    }
}

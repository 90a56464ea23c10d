// Which job starts next. On the queue of the connection.
internal import Media

extension JobTable {
    /// The condition for jobs that can start now.
    static let isReady = "state = 'waiting' AND due IS NULL AND blockers = 0"

    /// The condition for jobs that only their delay keeps from starting.
    static let isDelayed = "due IS NOT NULL AND blockers = 0"

    /// Due, or delayed too long, as after the clock was set back; a moment that the user named may be far away.
    static func isDue(_ now: Int64) -> String {
        """
        \(isDelayed) AND (due <= \(now) OR due > \(now + QueuePolicy.longestDelay) AND due IS NOT not_before)
        """
    }

    /// Marks jobs that are due as ready.
    func wake() throws {
        try database.run("UPDATE jobs SET due = NULL WHERE \(JobTable.isDue(now.milliseconds))")
    }

    /// The next job to start, and its user: the one with the highest priority of the user whose turn was longest ago; of
    /// several, the oldest. Priority orders a user's own jobs only. Each query is one index lookup; there are two for each
    /// priority of each user, and one for each user's turn.
    func next() throws -> (id: Int64, user: UInt32)? {
        var firsts: [Int64: Int64] = [:]
        var priority = Int64.max
        while let lower = try database.integer(
            "SELECT max(priority) FROM jobs WHERE \(JobTable.isReady) AND priority < ?", [.integer(priority)])
        {
            priority = lower
            var user: Int64 = -1
            while let other = try database.integer(
                "SELECT min(user) FROM jobs WHERE \(JobTable.isReady) AND priority = ? AND user > ?",
                [.integer(priority), .integer(user)])
            {
                user = other
                guard firsts[user] == nil else { continue }
                firsts[user] = try database.integer(
                    "SELECT min(id) FROM jobs WHERE \(JobTable.isReady) AND priority = ? AND user = ?",
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
        try database.integer("SELECT turn FROM turns WHERE user = ?", [.integer(Int64(user))]) ?? 0
    }

    /// The next turn was this user's.
    func countTurn(of user: UInt32) throws {
        try database.run(
            "INSERT OR REPLACE INTO turns SELECT ?, ifnull(max(turn), 0) + 1 FROM turns",
            [.integer(Int64(user))])
    }
}

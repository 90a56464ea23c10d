// The needs of jobs: what the node that does them must have, and which of them this node can do. In PostgreSQL a claim compares the different needs of
// each user, of which there are few; in SQLite, with its one node, a job whose needs are not met counts them as one more blocker,
// so that claims know nothing of it. On the queue of the connection.
internal import Media

extension JobTable {
    /// The needs of a new job; throws where its user has jobs of too many different needs.
    func needs(of request: ExportRequest, _ tags: [String], user: UInt32) throws -> Needs {
        let features = request.sources == nil ? [] : [Needs.sources]
        let needs = Needs(tags + paths.needs(of: request) + features)
        guard database.dialect == .postgres, !needs.words.isEmpty else { return needs }
        let others = try database.integer(
            "SELECT count(*) FROM need_sets WHERE \"user\" = ? AND needs <> ?",
            [.integer(Int64(user)), .text(needs.text)])
        guard Int(others ?? 0) < Needs.mostSets else {
            throw MediaError(
                .limitReached,
                "your jobs have had \(Needs.mostSets) different sets of needs, and no more are taken",
                remedy: "submit it with needs that an earlier job had, or with none")
        }
        return needs
    }

    /// Records that a new job's needs are not met, where that is kept.
    func addUnmet(_ needs: Needs, of id: Int64) throws {
        guard database.dialect == .sqlite, !needs.areMet(by: abilities) else { return }
        try database.run(
            "UPDATE jobs SET unmet = 1, blockers = blockers + 1 WHERE id = ?", [.integer(id)])
    }

    /// This node has other words now: which jobs it can do is recorded anew.
    func recordAbilities() throws {
        guard database.dialect == .sqlite else { return }
        let rows = try database.rows(
            "SELECT id, needs, unmet FROM jobs WHERE needs <> '' AND ended IS NULL", [])
        for row in rows {
            let isUnmet: Int64 = Needs(text: row.text(1) ?? "").areMet(by: abilities) ? 0 : 1
            guard let id = row.integer(0), let was = row.integer(2), was != isUnmet else { continue }
            try database.run(
                "UPDATE jobs SET unmet = ?, blockers = blockers + ? WHERE id = ?",
                [.integer(isUnmet), .integer(isUnmet - was), .integer(id)])
        }
    }

    /// Whether a job is ready that this node can do.
    func isOneReady() throws -> Bool {
        guard database.dialect == .postgres else {
            return try database.integer("SELECT 1 FROM jobs WHERE \(JobTable.isReady) LIMIT 1") != nil
        }
        // The order has the index of ready jobs used, whatever the planner expects of the others.
        return try database.integer(
            """
            SELECT 1 FROM need_sets CROSS JOIN LATERAL (SELECT 1 FROM jobs WHERE \(JobTable.isReady)
                AND jobs."user" = need_sets."user" AND jobs.needs = need_sets.needs
                ORDER BY priority DESC, id LIMIT 1) AS job
                WHERE \(JobTable.isMet) LIMIT 1
            """, [abilityValue]) != nil
    }
}

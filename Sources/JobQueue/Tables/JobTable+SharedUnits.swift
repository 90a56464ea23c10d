// Which units an owner may claim of jobs whose attempts others have, and what becomes of the units of an owner that has gone. A
// change of a unit locks its job first, so that no two of them wait for each other. On the queue of the connection.
internal import Media
internal import Platform
internal import Text

extension JobTable {
    /// Jobs whose units may be claimed, in the order in which they began, a page at a time.
    private static let page = 32
    /// The most jobs that are looked at.
    private static let most = 320
    /// The most units that are counted.
    private static let mostCounted = 32

    /// The condition for units that anybody may claim.
    private static let isFree = "state = 'waiting' AND owner IS NULL"

    /// The unit that comes first: audio before video, since a track is one unit for the whole length.
    private static let order = "ORDER BY kind, number"

    /// The condition for jobs that this node can do, and its values.
    private var isDoable: (condition: String, values: [Value]) {
        switch database.dialect {
        case .sqlite: ("unmet = 0", [])
        case .postgres: ("string_to_array(needs, ',') <@ string_to_array(?, ',')", [abilityValue])
        }
    }

    /// The first job of another owner with a free unit, of those that this node can do.
    func nextShared(except jobs: Set<Int64>) throws -> (job: Int64, unit: JobUnit)? {
        for start in stride(from: 0, to: JobTable.most, by: JobTable.page) {
            let found = try database.rows(
                """
                SELECT id FROM jobs WHERE state = 'running' AND fingerprint IS NOT NULL AND paused = 0 AND daemon <> ?
                    AND \(isDoable.condition) ORDER BY started, id LIMIT \(JobTable.page) OFFSET ?
                """, [.text(owner)] + isDoable.values + [.integer(Int64(start))])
            for id in found.compactMap({ $0.integer(0) }) where !jobs.contains(id) {
                if let unit = try freeUnit(of: id) { return (id, unit) }
            }
            if found.count < JobTable.page { break }
        }
        return nil
    }

    /// The first free unit of a job whose inputs are made.
    private func freeUnit(of id: Int64) throws -> JobUnit? {
        let rows = try database.rows(
            """
            SELECT number FROM units WHERE job = ? AND \(JobTable.isFree) AND (due IS NULL OR due <= ?) \(JobTable.order) LIMIT 8
            """, [.integer(id), .integer(now.milliseconds)])
        for number in rows.compactMap({ $0.integer(0) }) {
            let unit = try unit(Int(number), of: id)
            if try inputs(of: unit, of: id).allSatisfy(\.isDone) { return unit }
        }
        return nil
    }

    private func inputs(of unit: JobUnit, of id: Int64) throws -> [JobUnit] {
        try unit.unit.inputs.map { try self.unit($0, of: id) }
    }

    /// As `JobQueue.claimUnit`.
    func claimShared(_ worker: ProcessIdentity, except jobs: Set<Int64>) throws -> ClaimedUnit? {
        var others = jobs
        while let (id, _) = try nextShared(except: others) {
            others.insert(id)
            // Locked from here on: it may have ended, or have been paused, and its units may have been claimed.
            guard let job = try find(id), job.state == .running, !job.isPaused, job.owner != owner,
                let free = try freeUnit(of: id)
            else { continue }
            let unit = try begin(free, of: id, worker)
            let plan = try database.rows(
                "SELECT unit_plan, fingerprint FROM jobs WHERE id = ?", [.integer(id)]
            ).first
            let count = try database.integer(
                """
                SELECT count(*) FROM (SELECT 1 FROM units WHERE job = ? AND \(JobTable.isFree)
                    LIMIT \(JobTable.mostCounted)) AS free
                """, [.integer(id)])
            return ClaimedUnit(
                job: job, plan: try JSON.read(JSONValue.self, plan?.text(0) ?? "", "plan of job \(id)"),
                fingerprint: plan?.text(1) ?? "", unit: unit, inputs: try inputs(of: unit, of: id),
                others: Int(count ?? 0))
        }
        return nil
    }

    /// The unit of a claim of this owner; nil: it is lost. Its job is locked from here on.
    func claimed(_ claim: UnitClaim) throws -> JobUnit? {
        guard try find(claim.job) != nil, let unit = try? unit(claim.number, of: claim.job),
            unit.owner == owner, unit.claim == claim.claim
        else { return nil }
        return unit
    }

    /// The unit of a claim of this owner; throws if it is lost.
    func check(_ claim: UnitClaim) throws -> JobUnit {
        guard let unit = try claimed(claim) else {
            throw MediaError(
                .invalidRequest,
                "unit \(claim.number) of job \(claim.job) is not this owner's any more: its lease had ended, or its job was changed"
            )
        }
        return unit
    }

    /// The units that this owner has claimed of jobs whose attempts it does not have, and has not made.
    func claimsElsewhere() throws -> [UnitClaim] {
        try database.rows(
            """
            SELECT units.job, number, claim FROM units JOIN jobs ON jobs.id = units.job WHERE owner = ? AND units.state <> 'done'
                AND NOT (jobs.daemon = ? AND jobs.state IN (\(JobTable.list(JobState.begun)))) LIMIT 1000
            """, [.text(owner), .text(owner)]
        ).map { row in
            UnitClaim(
                job: row.integer(0) ?? 0, number: Int(row.integer(1) ?? 0), claim: row.integer(2) ?? 0)
        }
    }

    /// The requests to this owner about its running jobs; those rows are locked in a change.
    func asked() throws -> [Int64: Bool] {
        let rows = try database.rows(
            """
            SELECT id, asked FROM jobs WHERE daemon = ? AND state IN (\(JobTable.list(JobState.begun))) AND asked IS NOT NULL
                ORDER BY id\(isChange ? database.dialect.forUpdate : "")
            """, [.text(owner)])
        return Dictionary(rows.map { ($0.integer(0) ?? 0, $0.text(1) == "pause") }) { $1 }
    }

    /// The units that an owner has and has not made are free again; with `job`, those of one job.
    func freeUnits(of owner: String, job: Int64? = nil) throws {
        let one = job == nil ? "" : "AND job = ?"
        let values: [Value] = [.text(owner)] + (job.map { [.integer($0)] } ?? [])
        let jobs = try database.rows(
            "SELECT DISTINCT job FROM units WHERE owner = ? AND state <> 'done' \(one) ORDER BY job", values)
        for id in jobs.compactMap({ $0.integer(0) }) {
            let change = try nextChange(of: id)
            try database.run(
                "UPDATE units SET owner = NULL, change = ? WHERE job = ? AND owner = ? AND state <> 'done'",
                [.integer(change), .integer(id), .text(owner)])
        }
    }
}

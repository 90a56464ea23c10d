// The rows of units. On the queue of the connection.
internal import FoundationEssentials
internal import Media
internal import Platform
internal import Text

extension JobTable {
    /// The columns of a unit, in order, but for the job.
    private static let unitColumns = """
        number, kind, state, unit, planned, added, attempts, crashes, failures, error, due, boot, device, inode, size, modified, \
        report, started, ended, worker_pid, worker_start, worker_boot, owner, claim, change, \
        digest
        """

    /// Each of them set to its new value.
    private static let unitUpdates = unitColumns.split(separator: ", ").dropFirst()
        .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")

    /// The error for a unit that does not exist.
    static func noUnit(_ id: Int64) -> MediaError {
        MediaError(.invalidRequest, "job \(id) has no such unit")
    }

    /// The job of an attempt of this owner that runs; throws if the attempt has lost it or has ended.
    @discardableResult
    func checkRuns(_ id: Int64, _ attempt: Int) throws -> Job {
        let job = try need(id)
        guard job.state == .running, job.attempts == attempt, job.owner == owner else {
            throw MediaError(
                .invalidRequest,
                "job \(id) is \(job.state.rawValue) in its attempt \(job.attempts), and its units cannot be changed"
            )
        }
        return job
    }

    /// The units of a job; nil if it has none.
    func units(of id: Int64) throws -> JobUnits? {
        let rows = try database.rows(
            "SELECT unit_plan, fingerprint, unit_kept, unit_progress FROM jobs WHERE id = ?",
            [.integer(id)])
        guard let row = rows.first, let plan = row.text(0), let fingerprint = row.text(1) else { return nil }
        var units = JobUnits(
            plan: try JSON.read(JSONValue.self, plan, "plan of job \(id)"), fingerprint: fingerprint,
            units: try unitRows(of: id))
        units.kept = Int(row.integer(2) ?? 0)
        units.progress = Double(row.integer(3) ?? 0) / 1e6
        return units
    }

    private func unitRows(
        of id: Int64, _ rest: String = "ORDER BY number", _ values: [Value] = []
    ) throws -> [JobUnit] {
        try database.rows(
            "SELECT \(JobTable.unitColumns) FROM units WHERE job = ? \(rest)", [.integer(id)] + values
        ).map { try JobUnit(row: $0, of: id) }
    }

    /// One unit; throws if the job has none of this number.
    func unit(_ number: Int, of id: Int64) throws -> JobUnit {
        guard let unit = try unitRows(of: id, "AND number = ?", [.integer(Int64(number))]).first else {
            throw JobTable.noUnit(id)
        }
        return unit
    }

    /// As `JobQueue.unitChanges`.
    func unitChanges(of id: Int64, after change: Int64) throws -> [JobUnit] {
        try unitRows(of: id, "AND change > ? ORDER BY change LIMIT 1000", [.integer(change)])
    }

    /// Replaces all units of a job; returns them as they are stored.
    func write(_ units: JobUnits, of id: Int64) throws -> JobUnits {
        var units = units
        try database.run("DELETE FROM units WHERE job = ?", [.integer(id)])
        let change = try nextChange(of: id)
        for index in units.units.indices {
            units.units[index].change = change
            try write(units.units[index], of: id, change)
        }
        try database.run(
            "UPDATE jobs SET unit_plan = ?, fingerprint = ?, unit_progress = ? WHERE id = ?",
            [
                .text(try JSON.text(units.plan)), .text(units.fingerprint),
                JobTable.millionths(units.progress), .integer(id),
            ])
        try countUnits(of: id, "unit_kept = \(units.kept)")
        return units
    }

    /// Changes one unit.
    func edit(_ unit: JobUnit, of id: Int64, _ body: (inout JobUnit) -> Void) throws -> JobUnit {
        var unit = unit
        body(&unit)
        unit.change = try nextChange(of: id)
        try write(unit, of: id, unit.change)
        return unit
    }

    /// Gives a free unit to this owner.
    func begin(_ unit: JobUnit, of id: Int64, _ worker: ProcessIdentity?) throws -> JobUnit {
        var unit = unit
        unit.change = try nextChange(of: id)
        unit.begin(owner, unit.change, worker, now)
        try write(unit, of: id, unit.change)
        return unit
    }

    /// Numbers a change of a job's units. Changes of one job are made one after another, so that they are seen in this order.
    func nextChange(of id: Int64) throws -> Int64 {
        let row = try database.rows(
            "UPDATE jobs SET unit_changes = unit_changes + 1 WHERE id = ? RETURNING unit_changes",
            [.integer(id)]
        ).first
        guard let number = row?.integer(0) else { throw JobTable.missing(id) }
        news?.isAny = true
        return number
    }

    private func write(_ unit: JobUnit, of id: Int64, _ change: Int64) throws {
        let text = try JSON.text(unit.unit)
        let planned = unit.planned == unit.unit ? nil : try unit.planned.map { try JSON.text($0) }
        let file = unit.file
        try database.run(
            """
            INSERT INTO units (job, \(JobTable.unitColumns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (job, number) DO UPDATE SET \(JobTable.unitUpdates)
            """,
            [
                .integer(id), .integer(Int64(unit.number)), .text(unit.unit.kind.rawValue),
                .text(unit.state), .text(text), Value(planned),
                .integer(unit.planned == nil ? 1 : 0), .integer(Int64(unit.attempts)),
                .integer(Int64(unit.crashes)), .integer(Int64(unit.failures)),
                Value(try unit.error.map { try JSON.text($0) }), Value(unit.due?.milliseconds),
                Value(file?.boot), Value(file.map { Int64(bitPattern: $0.device) }),
                Value(file.map { Int64(bitPattern: $0.inode) }), Value(file?.size), Value(file?.modified),
                Value(try unit.report.map { try JSON.text($0) }), Value(unit.started?.milliseconds),
                Value(unit.ended?.milliseconds), Value(unit.worker.map { Int64($0.pid) }),
                Value(unit.worker?.start), Value(unit.worker?.boot), Value(unit.owner), .integer(unit.claim),
                .integer(change), Value(file?.digest),
            ])
    }

    /// The progress of a job never falls.
    func reach(_ progress: Double, _ id: Int64) throws {
        try database.run(
            "UPDATE jobs SET unit_progress = \(database.dialect.greatest)(unit_progress, ?) WHERE id = ?",
            [JobTable.millionths(progress), .integer(id)])
    }

    /// The progress of a job is what was reported, of what might have been.
    func settle(_ progress: Double, _ id: Int64) throws {
        try database.run(
            "UPDATE jobs SET unit_progress = ? WHERE id = ?", [JobTable.millionths(progress), .integer(id)])
    }

    /// The nearest number of millionths, and the next one where that is lower: the progress reported before a restart is the least that is reported after it.
    private static func millionths(_ progress: Double) -> Value {
        let progress = min(max(progress, 0), 1)
        let count = Int64((progress * 1e6).rounded())
        return .integer(Double(count) / 1e6 < progress ? count + 1 : count)
    }

    /// Counts the units of a job anew, and sets more of its columns after that.
    func countUnits(of id: Int64, _ set: String) throws {
        try database.run(
            """
            UPDATE jobs SET unit_total = (SELECT count(*) FROM units WHERE job = jobs.id),
                unit_done = (SELECT count(*) FROM units WHERE job = jobs.id AND state = 'done') WHERE id = ?
            """, [.integer(id)])
        try database.run("UPDATE jobs SET \(set) WHERE id = ?", [.integer(id)])
    }

    /// Removes the units of a job.
    func removeUnits(of id: Int64) throws {
        try database.run("DELETE FROM units WHERE job = ?", [.integer(id)])
        try database.run(
            """
            UPDATE jobs SET unit_plan = NULL, fingerprint = NULL, unit_total = NULL, unit_done = NULL, unit_kept = NULL,
                unit_progress = 0 WHERE id = ?
            """, [.integer(id)])
    }
}

extension JobUnit {
    /// Its state, as it is stored.
    fileprivate var state: String {
        if isDone { return "done" }
        if unit.isPending { return "pending" }
        return isReserved ? "reserved" : "waiting"
    }

    /// Reads a row of `JobTable.unitColumns`.
    fileprivate init(row: Row, of id: Int64) throws {
        let what = "unit \(row.integer(0) ?? 0) of job \(id)"
        let unit = try JSON.read(ExportUnit.self, row.text(3) ?? "", what)
        self.init(unit, isPlanned: row.integer(5) != 1)
        if let text = row.text(4) { planned = try JSON.read(ExportUnit.self, text, what) }
        attempts = Int(row.integer(6) ?? 0)
        crashes = Int(row.integer(7) ?? 0)
        failures = Int(row.integer(8) ?? 0)
        error = try row.text(9).map { try JSON.read(MediaError.self, $0, "error of \(what)") }
        due = row.integer(10).map(Moment.init(milliseconds:))
        if let device = row.integer(12), let inode = row.integer(13) {
            file = FileIdentity(
                device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode),
                size: row.integer(14) ?? 0, modified: row.integer(15) ?? 0, boot: row.text(11),
                digest: row.text(25))
        }
        report = try row.text(16).map { try JSON.read(UnitReport.self, $0, "report of \(what)") }
        started = row.integer(17).map(Moment.init(milliseconds:))
        ended = row.integer(18).map(Moment.init(milliseconds:))
        if let pid = row.integer(19), let start = row.integer(20), let boot = row.text(21) {
            worker = ProcessIdentity(pid: Int32(clamping: pid), start: start, boot: boot)
        }
        isReserved = row.text(2) == "reserved"
        owner = row.text(22)
        claim = row.integer(23) ?? 0
        change = row.integer(24) ?? 0
    }
}

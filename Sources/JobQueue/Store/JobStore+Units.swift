// JobStore, units: the parts of an export that are made by themselves. Every change belongs to a running attempt: one that has
// lost its job changes nothing.
public import Media
public import Platform

extension JobStore {
    /// Stores the units of a job that was planned, for the first time or again.
    public func plan(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits {
        try change { table in
            try table.checkRuns(id, attempt)
            let units = try table.units(of: id)?.planned(again: plan) ?? JobUnits(plan)
            return try table.write(units, of: id)
        }
    }

    /// Stores a correction of a plan.
    public func correct(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits {
        try change { table in
            try table.checkRuns(id, attempt)
            guard let known = try table.units(of: id) else { throw JobTable.noUnit(id) }
            return try table.write(known.corrected(by: plan), of: id)
        }
    }

    /// The units of a job; nil if it has none.
    public func units(_ id: Int64) throws(MediaError) -> JobUnits? {
        try read { table in try table.units(of: id) }
    }

    /// Counts an attempt of a unit, before its worker has a request.
    public func beginUnit(
        _ id: Int64, attempt: Int, _ number: Int, worker: ProcessIdentity?, progress: Double
    ) throws(MediaError) -> JobUnit {
        try change { table in
            try table.checkRuns(id, attempt)
            let unit = try table.unit(number, of: id)
            guard unit.isFree else { return unit }
            try table.reach(progress, id)
            return try table.begin(unit, of: id, worker)
        }
    }

    /// A unit is made, and its file on the disk.
    @discardableResult
    public func finishUnit(
        _ claim: UnitClaim, file: FileIdentity, report: UnitReport, progress: Double
    ) throws(MediaError) -> JobUnit {
        try change { table in
            let unit = try table.check(claim)
            try table.reach(progress, claim.job)
            guard !unit.isDone else { return unit }
            // A job that gets on has its retries again. Each unit counts so but once: what is made again and again does not.
            let failures = unit.attempts == 1 ? ", failures = 0" : ""
            try table.database.run(
                "UPDATE jobs SET unit_done = unit_done + 1, interruptions = 0\(failures) WHERE id = ?",
                [.integer(claim.job)])
            return try table.edit(unit, of: claim.job) { $0.finish(file, report, table.now) }
        }
    }

    /// An attempt of a unit has failed.
    public func failUnit(
        _ claim: UnitClaim, attempt: Int, _ error: MediaError
    ) throws(MediaError) -> UnitFailure {
        try change { table in
            let job = try table.checkRuns(claim.job, attempt)
            let unit = try table.check(claim)
            var failure = UnitFailure.final(error)
            _ = try table.edit(unit, of: job.id) { failure = $0.fail(error, self.policy, table.now) }
            if QueuePolicy.isCrash(error.code) { try table.count("crashed", of: job) }
            return failure
        }
    }

    /// The file of a unit is lost: it is to be made again.
    public func loseUnit(_ id: Int64, attempt: Int, _ number: Int) throws(MediaError) -> JobUnit {
        try change { table in
            try table.checkRuns(id, attempt)
            let unit = try table.edit(try table.unit(number, of: id), of: id) { $0.lose() }
            try table.countUnits(of: id, "unit_kept = \(table.database.dialect.least)(unit_kept, unit_done)")
            return unit
        }
    }

    /// The job is made as one.
    public func dropUnits(_ id: Int64, attempt: Int) throws(MediaError) {
        try change { table -> Void in
            try table.checkRuns(id, attempt)
            try table.removeUnits(of: id)
        }
    }
}

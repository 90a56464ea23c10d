// JobStore, sharing: units of a job whose attempt another owner has. Who claims one proves it with each write; what else becomes of
// the job is the attempt's matter.
public import Media
public import Platform

extension JobStore {
    /// Asks the owner of a running attempt to pause it or to let it go on.
    public func ask(_ id: Int64, toPause isOn: Bool) throws(MediaError) {
        try change { table -> Void in
            let job = try table.need(id)
            guard job.state == .running else { throw JobTable.notRunning(job) }
            try table.database.run(
                "UPDATE jobs SET asked = ? WHERE id = ?", [.text(isOn ? "pause" : "go on"), .integer(id)])
            table.news?.isAny = true
        }
    }

    /// The requests of others about this owner's running attempts.
    public func asked() throws(MediaError) -> [Int64: Bool] {
        // Mostly there is nothing, and nothing is written.
        guard try !read({ table in try table.asked() }).isEmpty else { return [:] }
        return try change { table in
            let asked = try table.asked()
            for id in asked.keys {
                try table.database.run("UPDATE jobs SET asked = NULL WHERE id = ?", [.integer(id)])
            }
            return asked
        }
    }

    /// Stores the progress that may be reported of a running attempt.
    public func reach(_ id: Int64, attempt: Int, progress: Double) throws(MediaError) {
        try change { table -> Void in
            try table.checkRuns(id, attempt)
            try table.reach(progress, id)
        }
    }

    /// Stores the progress that was reported of an attempt which ends without an output.
    public func settle(_ id: Int64, attempt: Int, progress: Double) throws(MediaError) {
        try change { table -> Void in
            try table.checkRuns(id, attempt)
            try table.settle(progress, id)
        }
    }

    /// The units of a job that were changed after a change.
    public func unitChanges(_ id: Int64, after change: Int64) throws(MediaError) -> [JobUnit] {
        try read { table in try table.unitChanges(of: id, after: change) }
    }

    /// Whether there is a unit that could be claimed.
    public func hasFreeUnit(except jobs: Set<Int64>) throws(MediaError) -> Bool {
        try read { table in try table.nextShared(except: jobs) != nil }
    }

    /// Claims a unit of a job whose attempt another owner has.
    public func claimUnit(
        worker: ProcessIdentity, except jobs: Set<Int64>
    ) throws(MediaError) -> ClaimedUnit? {
        try change { [storage] table in
            try storage.willClaim(table)
            return try table.claimShared(worker, except: jobs)
        }
    }

    /// Gives a claimed unit back.
    public func returnUnit(_ claim: UnitClaim, isFailed: Bool) throws(MediaError) {
        try change { table -> Void in
            guard let unit = try table.claimed(claim), !unit.isDone else { return }
            _ = try table.edit(unit, of: claim.job) { unit in
                unit.owner = nil
                if isFailed { unit.isReserved = true }
            }
        }
    }

    /// Gives back what this owner has claimed, but for some.
    public func returnUnits(except claims: Set<UnitClaim>) throws(MediaError) {
        // Mostly there is nothing, and nothing is written.
        let known = try read { table in try table.claimsElsewhere() }
        for claim in known where !claims.contains(claim) { try returnUnit(claim, isFailed: false) }
    }
}

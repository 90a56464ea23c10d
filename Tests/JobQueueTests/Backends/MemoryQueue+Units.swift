// MemoryQueue, units: the parts of a running attempt's export.
import Media
import Platform

@testable import JobQueue

extension MemoryQueue {
    func plan(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits {
        try editUnits(id, attempt) { units, table, _ in
            units = table.numbered(units?.planned(again: plan) ?? JobUnits(plan))
        }
    }

    func correct(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits {
        try editUnits(id, attempt) { units, table, _ in
            units = units.map { table.numbered($0.corrected(by: plan)) }
        }
    }

    func units(_ id: Int64) -> JobUnits? { table.units[id] }

    func beginUnit(
        _ id: Int64, attempt: Int, _ number: Int, worker: ProcessIdentity?, progress: Double
    ) throws(MediaError) -> JobUnit {
        try editUnit(id, attempt, number) { unit, units, table in
            guard unit.isFree else { return }
            units.progress = max(units.progress, progress)
            table.begin(&unit, worker)
        }
    }

    func finishUnit(
        _ claim: UnitClaim, file: FileIdentity, report: UnitReport, progress: Double
    ) throws(MediaError) -> JobUnit {
        try editClaimed(claim) { unit, units, table in
            units.progress = max(units.progress, progress)
            table.jobs[claim.job]?.interruptions = 0
            if unit.attempts == 1, !unit.isDone { table.jobs[claim.job]?.failures = 0 }
            unit.finish(file, report, table.now)
        }
    }

    func failUnit(
        _ claim: UnitClaim, attempt: Int, _ error: MediaError
    ) throws(MediaError) -> UnitFailure {
        var failure = UnitFailure.final(error)
        try check(table, claim.job, attempt)
        _ = try editClaimed(claim) { unit, _, table in
            failure = unit.fail(error, policy, table.now)
            if QueuePolicy.isCrash(error.code), let job = table.jobs[claim.job] {
                table.count("crashed", of: job)
            }
        }
        return failure
    }

    func loseUnit(_ id: Int64, attempt: Int, _ number: Int) throws(MediaError) -> JobUnit {
        try editUnit(id, attempt, number) { unit, units, _ in
            unit.lose()
            units.kept = min(units.kept, units.counts.done - 1)
        }
    }

    func dropUnits(_ id: Int64, attempt: Int) throws(MediaError) {
        try change { table throws(MediaError) -> Void in
            try check(table, id, attempt)
            table.units[id] = nil
            table.jobs[id]?.units = nil
            table.jobs[id]?.progress = 0
        }
    }

    func reach(_ id: Int64, attempt: Int, progress: Double) throws(MediaError) {
        _ = try editUnits(id, attempt) { units, _, _ in
            let before = units?.progress ?? 0
            units?.progress = max(before, progress)
        }
    }

    func settle(_ id: Int64, attempt: Int, progress: Double) throws(MediaError) {
        _ = try editUnits(id, attempt) { units, _, _ in units?.progress = progress }
    }

    func unitChanges(_ id: Int64, after change: Int64) -> [JobUnit] {
        (table.units[id]?.units ?? []).filter { $0.change > change }.sorted { $0.change < $1.change }
    }

    func hasFreeUnit(except jobs: Set<Int64>) -> Bool { table.freeUnit(except: jobs) != nil }

    func claimUnit(worker: ProcessIdentity, except jobs: Set<Int64>) throws(MediaError) -> ClaimedUnit? {
        try change { table throws(MediaError) -> ClaimedUnit? in
            table.unitLeases[owner] = table.leaseEnd
            guard let (job, index) = table.freeUnit(except: jobs), var units = table.units[job.id] else {
                return nil
            }
            table.begin(&units.units[index], worker)
            table.units[job.id] = units
            let unit = units.units[index]
            return ClaimedUnit(
                job: job, plan: units.plan, fingerprint: units.fingerprint, unit: unit,
                inputs: units.units.filter { unit.unit.inputs.contains($0.number) },
                others: units.units.count { $0.isFree && !$0.isReserved })
        }
    }

    func returnUnit(_ claim: UnitClaim, isFailed: Bool) throws(MediaError) {
        do throws(MediaError) {
            _ = try editClaimed(claim) { unit, _, _ in
                guard !unit.isDone else { return }
                unit.owner = nil
                if isFailed { unit.isReserved = true }
            }
        } catch { guard error.code == .invalidRequest else { throw error } }
    }

    func returnUnits(except claims: Set<UnitClaim>) throws(MediaError) {
        for (id, units) in table.units {
            let job = try job(id, for: .all)
            if job.owner == owner, JobState.begun.contains(job.state) { continue }
            for unit in units.units where unit.owner == owner && !unit.isDone {
                let claim = UnitClaim(id, unit)
                if !claims.contains(claim) { try returnUnit(claim, isFailed: false) }
            }
        }
    }

    /// Changes a unit that this owner has claimed.
    private func editClaimed(
        _ claim: UnitClaim, _ body: (inout JobUnit, inout JobUnits, inout MemoryContents) -> Void
    ) throws(MediaError) -> JobUnit {
        try change { table throws(MediaError) -> JobUnit in
            guard var units = table.units[claim.job],
                let index = units.units.firstIndex(where: { $0.number == claim.number }),
                units.units[index].owner == owner, units.units[index].claim == claim.claim
            else { throw MediaError(.invalidRequest, "unit \(claim.number) is another owner's") }
            var unit = units.units[index]
            body(&unit, &units, &table)
            table.lastChange += 1
            unit.change = table.lastChange
            units.units[index] = unit
            table.keep(units, of: claim.job)
            return unit
        }
    }

    private func check(_ table: MemoryContents, _ id: Int64, _ attempt: Int) throws(MediaError) {
        let job = try table.need(id)
        guard job.state == .running, job.attempts == attempt, job.owner == owner else {
            throw MediaError(.invalidRequest, "job \(id) is not this attempt's")
        }
    }

    private func editUnits(
        _ id: Int64, _ attempt: Int,
        _ body: (inout JobUnits?, inout MemoryContents, Int64) throws(MediaError) -> Void
    ) throws(MediaError) -> JobUnits {
        try change { table throws(MediaError) -> JobUnits in
            try check(table, id, attempt)
            var edited = table.units[id]
            try body(&edited, &table, id)
            guard let units = edited else { throw MediaError(.invalidRequest, "job \(id) has no units") }
            table.keep(units, of: id)
            return units
        }
    }

    private func editUnit(
        _ id: Int64, _ attempt: Int, _ number: Int,
        _ body: (inout JobUnit, inout JobUnits, inout MemoryContents) -> Void
    ) throws(MediaError) -> JobUnit {
        var edited: JobUnit?
        _ = try editUnits(id, attempt) { (units, table, _) throws(MediaError) -> Void in
            guard var all = units, let index = all.units.firstIndex(where: { $0.number == number }) else {
                throw MediaError(.invalidRequest, "job \(id) has no unit \(number)")
            }
            var unit = all.units[index]
            body(&unit, &all, &table)
            if unit != all.units[index] {
                table.lastChange += 1
                unit.change = table.lastChange
            }
            all.units[index] = unit
            (units, edited) = (all, unit)
        }
        guard let edited else { throw MediaError(.invalidRequest, "job \(id) has no unit \(number)") }
        return edited
    }
}

extension MemoryContents {
    /// Numbers the changes of units that were planned.
    fileprivate mutating func numbered(_ units: JobUnits) -> JobUnits {
        var units = units
        lastChange += 1
        for index in units.units.indices { units.units[index].change = lastChange }
        return units
    }

    /// Gives a unit to the owner.
    fileprivate mutating func begin(_ unit: inout JobUnit, _ worker: ProcessIdentity?) {
        lastChange += 1
        unit.change = lastChange
        unit.begin(owner, lastChange, worker, now)
    }

    fileprivate mutating func keep(_ units: JobUnits, of id: Int64) {
        self.units[id] = units
        jobs[id]?.units = units.counts
        jobs[id]?.progress = units.progress
    }

    /// The first unit, of the job that began first, that the owner may claim, by its place.
    fileprivate func freeUnit(except excluded: Set<Int64>) -> (Job, Int)? {
        let running = list { job in
            job.state == .running && !job.isPaused && job.owner != owner && !excluded.contains(job.id)
                && job.needs.areMet(by: abilities)
        }.sorted { ($0.started ?? now, $0.id) < ($1.started ?? now, $1.id) }
        for job in running {
            guard let all = units[job.id]?.units else { continue }
            let places = all.indices.filter { index in
                let unit = all[index]
                return unit.isFree && !unit.isReserved && (unit.due ?? now) <= now
                    && unit.unit.inputs.allSatisfy { input in
                        all.contains { $0.number == input && $0.isDone }
                    }
            }
            let first = places.min {
                (all[$0].unit.kind.rawValue, all[$0].number) < (all[$1].unit.kind.rawValue, all[$1].number)
            }
            if let first { return (job, first) }
        }
        return nil
    }
}

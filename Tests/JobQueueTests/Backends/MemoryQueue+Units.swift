// MemoryQueue, units: the parts of a running attempt's export.
import Media
import Platform

@testable import JobQueue

extension MemoryQueue {
    func plan(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits {
        try editUnits(id, attempt) { units, _, _ in units = units?.planned(again: plan) ?? JobUnits(plan) }
    }

    func correct(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits {
        try editUnits(id, attempt) { units, _, _ in units = units?.corrected(by: plan) }
    }

    func units(_ id: Int64) -> JobUnits? { table.units[id] }

    func beginUnit(
        _ id: Int64, attempt: Int, _ number: Int, worker: ProcessIdentity?, progress: Double
    ) throws(MediaError) -> JobUnit {
        try editUnit(id, attempt, number) { unit, units, table in
            units.progress = max(units.progress, progress)
            unit.begin(worker, table.now)
        }
    }

    func finishUnit(
        _ id: Int64, attempt: Int, _ number: Int, file: FileIdentity, report: UnitReport,
        progress: Double
    ) throws(MediaError) -> JobUnit {
        try editUnit(id, attempt, number) { unit, units, table in
            units.progress = max(units.progress, progress)
            table.jobs[id]?.interruptions = 0
            unit.finish(file, report, table.now)
        }
    }

    func failUnit(
        _ id: Int64, attempt: Int, _ number: Int, _ error: MediaError
    ) throws(MediaError) -> UnitFailure {
        var failure = UnitFailure.final(error)
        _ = try editUnit(id, attempt, number) { unit, _, table in
            failure = unit.fail(error, policy, table.now)
            if QueuePolicy.isCrash(error.code), let job = table.jobs[id] { table.count("crashed", of: job) }
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
            table.units[id] = units
            table.jobs[id]?.units = units.counts
            table.jobs[id]?.progress = units.progress
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
            all.units[index] = unit
            (units, edited) = (all, unit)
        }
        guard let edited else { throw MediaError(.invalidRequest, "job \(id) has no unit \(number)") }
        return edited
    }
}

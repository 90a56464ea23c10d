// JobUnits: all units of a job, and what becomes of them when the job is planned again or its plan is corrected. Pure values:
// each back end stores what these functions return.
public import Media
public import Text

/// The units of a job as stored in the queue.
public struct JobUnits: Hashable, Sendable {
    /// The part that all units and the join have in common, for the worker.
    public var plan: JSONValue
    /// Units of equal fingerprints are interchangeable.
    public var fingerprint: String
    /// The units by number.
    public var units: [JobUnit]
    /// How many units the last start of the job found made.
    public var kept = 0
    /// The progress that may have been reported, from 0 to 1.
    public var progress = 0.0

    /// The last change of a unit.
    public var lastChange: Int64 { units.reduce(0) { max($0, $1.change) } }

    /// The units of a job that is planned for the first time.
    init(_ plan: UnitPlan) {
        self.plan = plan.plan
        fingerprint = plan.fingerprint
        units = plan.units.map { JobUnit($0) }.sorted { $0.number < $1.number }
    }

    init(plan: JSONValue, fingerprint: String, units: [JobUnit]) {
        self.plan = plan
        self.fingerprint = fingerprint
        self.units = units
    }

    /// How many there are, are made, and were found made.
    public var counts: UnitCounts {
        UnitCounts(total: units.count, done: units.count { $0.isDone }, kept: kept)
    }

    /// The units after the job was planned again. Those of another fingerprint are all made again. With an equal one, each stays
    /// as it is if the new plan has the same work under its number; corrections stay if the new plan is the one that they
    /// correct.
    func planned(again new: UnitPlan) -> JobUnits {
        var next = JobUnits(new)
        guard new.fingerprint == fingerprint else { return next }
        let known = Dictionary(units.map { ($0.number, $0) }) { first, _ in first }
        let isSamePlan =
            next.units.allSatisfy { known[$0.number]?.planned == $0.unit }
            && units.count { $0.planned != nil } == next.units.count
        if isSamePlan {
            next = self
        } else {
            next.units = next.units.map { planned in
                guard let old = known[planned.number], old.planned == planned.unit, old.unit == planned.unit
                else { return planned }
                return old
            }
        }
        next.kept = next.units.count { $0.isDone }
        next.progress = progress
        return next
    }

    /// The units after a correction of the plan: its units are made, also those whose numbers there are already.
    func corrected(by new: UnitPlan) -> JobUnits {
        var next = self
        next.plan = new.plan
        for unit in new.units {
            var made = JobUnit(unit, isPlanned: false)
            if let index = next.units.firstIndex(where: { $0.number == unit.number }) {
                made.planned = next.units[index].planned
                next.units[index] = made
            } else {
                next.units.append(made)
            }
        }
        next.units.sort { $0.number < $1.number }
        return next
    }
}

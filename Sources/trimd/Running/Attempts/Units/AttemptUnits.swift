// AttemptUnits: where an attempt stands that makes an export in units: what is made, what runs, what waits, and the progress of all.
// A pure value but for the workers and files it keeps; used on the run's queue.
internal import JobQueue
internal import Media
internal import Platform

/// The units of an attempt.
struct AttemptUnits {
    /// A unit whose worker runs.
    struct Running {
        let attempt: UnitAttempt
        var progress: Progress?
    }

    /// The units on record, by number.
    private(set) var rows: [Int: JobUnit] = [:]
    /// The common part of the plan.
    private(set) var stored: JobUnits
    /// Units whose workers run.
    var running: [Int: Running] = [:]
    /// Units whose workers have answered, and whose files are not on record yet.
    var syncing: Set<Int> = []
    /// The last change of a unit, by anybody, that is known here.
    private(set) var lastChange: Int64 = 0
    /// How often the join has asked for other units.
    var corrections = 0
    /// The files.
    let files: UnitFolder

    init(_ stored: JobUnits, _ files: UnitFolder) {
        self.stored = stored
        self.files = files
        take(stored)
    }

    /// Takes the units as they are stored.
    mutating func take(_ stored: JobUnits) {
        self.stored = stored
        rows = Dictionary(stored.units.map { ($0.number, $0) }) { first, _ in first }
        lastChange = max(lastChange, stored.lastChange)
        self.stored.units = []
    }

    /// Takes one unit as it is stored.
    mutating func take(_ unit: JobUnit) { rows[unit.number] = unit }

    /// Takes changes that were read in their order.
    mutating func take(changes: [JobUnit]) {
        for unit in changes { take(unit) }
        lastChange = max(lastChange, changes.last?.change ?? 0)
    }

    /// A unit whose attempt here has failed is nobody's.
    mutating func free(_ number: Int) { rows[number]?.owner = nil }

    /// Whether somebody else makes it: another node, or this one for an attempt before this.
    func isElsewhere(_ number: Int) -> Bool {
        guard let row = rows[number], !row.isDone else { return false }
        return row.owner != nil && running[number] == nil && !syncing.contains(number)
    }
    /// The names of those whose workers run, in order.
    var making: [UnitName] { running.keys.sorted().compactMap { rows[$0]?.unit.name } }

    /// All units, by number.
    var units: [JobUnit] { rows.values.sorted { $0.number < $1.number } }
    /// The numbers of those that are to be made and are not, in order.
    var open: [Int] { rows.values.filter { !$0.isDone && !$0.unit.isPending }.map(\.number).sorted() }
    /// Those of them whose inputs are made, and that nobody else makes.
    var ready: [Int] {
        open.filter { !isElsewhere($0) && rows[$0]?.unit.inputs.allSatisfy(isMade) ?? false }
    }
    /// Whether some are decided only when the others are made.
    var hasPending: Bool { rows.values.contains { !$0.isDone && $0.unit.isPending } }
    /// Whether all that are to be made are made.
    var isDone: Bool { open.isEmpty }

    private func isMade(_ number: Int) -> Bool { rows[number]?.isDone ?? false }

    /// Those that can be made when this one is.
    func following(_ number: Int) -> [Int] {
        ready.filter { rows[$0]?.unit.inputs.contains(number) ?? false }
    }
    /// The bytes of all files that are made.
    var bytes: Int64 { rows.values.reduce(0) { $0 + ($1.file?.size ?? 0) } }

    private var total: Double { max(rows.values.reduce(0) { $0 + AttemptUnits.share($1) }, 1e-9) }
    private var made: Double { rows.values.reduce(0) { $0 + ($1.isDone ? AttemptUnits.share($1) : 0) } }

    /// The share of the work that is not made.
    var openShare: Double { 1 - min(made / total, 1) }

    /// The progress of all units together.
    var progress: Progress {
        var done = made
        for number in syncing { done += rows[number].map(AttemptUnits.share) ?? 0 }
        var speed = 0.0
        for (number, run) in running {
            guard let row = rows[number], let own = run.progress else { continue }
            done += AttemptUnits.share(row) * (own.fraction.isFinite ? min(max(own.fraction, 0), 1) : 0)
            speed += (own.speed ?? 0) * AttemptUnits.weight(row)
        }
        var progress = Progress(fraction: done / total, phase: .exporting)
        if speed.isFinite, speed > 0 {
            progress.speed = speed
            progress.remaining = max(0, total - done) / speed
        }
        // The timeline before the first chunk that is not made has been passed. Audio has passes over all of it.
        let first = open.first { rows[$0]?.unit.kind == .video && !syncing.contains($0) }
        if let first { progress.time = running[first]?.progress?.time }
        return progress
    }

    /// The share of a unit in the whole: seconds of the output, weighted.
    private static func share(_ unit: JobUnit) -> Double {
        (unit.unit.seconds.isFinite ? min(max(unit.unit.seconds, 0.001), 1e7) : 0.001) * weight(unit)
    }

    /// The cost of a second of a unit, beside a second of video. A track of audio is as long as all chunks together, and is made
    /// while the first of them are.
    private static func weight(_ unit: JobUnit) -> Double { unit.unit.kind == .audio ? 0.02 : 1 }
}

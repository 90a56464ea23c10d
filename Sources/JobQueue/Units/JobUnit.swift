// JobUnit: one unit of a job as the queue stores it. A value, read from one row; changing it does not change the row. What its
// work means is known to workers only.
public import Media
public import Platform

/// A unit of a job as stored in the queue.
public struct JobUnit: Hashable, Sendable {
    /// What is to be made.
    public var unit: ExportUnit
    /// The unit that the job's plan had under this number before a correction; nil: the plan had none.
    var planned: ExportUnit?
    /// How often it was begun.
    public var attempts = 0
    /// How many workers died making it.
    public var crashes = 0
    /// How many transient failures it had.
    public var failures = 0
    /// Why it is to be made again.
    public var error: MediaError?
    /// It is not begun earlier, after a failure.
    public var due: Moment?
    /// Its file, if it is made and on the disk.
    public var file: FileIdentity?
    /// What its worker said, if it is made.
    public var report: UnitReport?
    /// Its last worker.
    public var worker: ProcessIdentity?
    /// When it was last begun.
    public var started: Moment?
    /// When it was made.
    public var ended: Moment?

    /// A unit of a plan, to be made.
    init(_ unit: ExportUnit, isPlanned: Bool = true) {
        self.unit = unit
        planned = isPlanned ? unit : nil
    }

    /// Its number within the job.
    public var number: Int { unit.number }

    /// It is made, and its file is on the disk.
    public var isDone: Bool { report != nil && file != nil }

    /// Counts an attempt, which begins now.
    mutating func begin(_ worker: ProcessIdentity?, _ now: Moment) {
        self.worker = worker
        attempts += 1
        started = now
        due = nil
    }

    /// It is made.
    mutating func finish(_ file: FileIdentity, _ report: UnitReport, _ now: Moment) {
        self.file = file
        self.report = report
        ended = now
        error = nil
        due = nil
    }

    /// It is to be made again: its file is lost or is not the one on record.
    mutating func lose() {
        file = nil
        report = nil
        ended = nil
    }

    /// Counts a failed attempt. Without a delay the job has failed with it.
    mutating func fail(_ error: MediaError, _ policy: QueuePolicy, _ now: Moment) -> UnitFailure {
        defer { if QueuePolicy.isCrash(error.code) { crashes += 1 } else { failures += 1 } }
        switch policy.decide(error, crashes: crashes, failures: failures) {
        case .failed(let last):
            self.error = last
            return .final(last)
        case .again(let delay):
            self.error = error
            due = Moment(milliseconds: now.milliseconds + delay)
            return .again(after: delay)
        }
    }
}

/// What follows from the failure of a unit's attempt.
public enum UnitFailure: Hashable, Sendable {
    /// It is begun again after this many milliseconds.
    case again(after: Int64)
    /// The job fails with this error.
    case final(MediaError)
}

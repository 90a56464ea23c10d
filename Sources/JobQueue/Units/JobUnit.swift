// JobUnit: one unit of a job as the queue stores it. A value, read from one row; changing it does not change the row. The meaning
// of its work is known to workers only.
public import Media
public import Platform
public import Text

/// A unit of a job as stored in the queue.
public struct JobUnit: Hashable, Sendable {
    /// The description of the work.
    public var unit: ExportUnit
    /// The unit that the job's plan had under this number before a correction; nil: the plan had none.
    var planned: ExportUnit?
    /// How often it was begun.
    public var attempts = 0
    /// Who makes it, or has made it; nil: nobody.
    public var owner: String?
    /// The number of its last beginning: of each beginning of a unit of the job another number; 0: it was not begun. The name of its
    /// file has it.
    public var claim: Int64 = 0
    /// Grows with each change of a unit of the job.
    public internal(set) var change: Int64 = 0
    /// Another node failed to make it: only the node that has the job's attempt makes it now.
    public var isReserved = false
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
    /// The report of its worker, if it is made.
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

    /// Whether an owner may begin it now: nobody has it, and it is to be made.
    var isFree: Bool { owner == nil && !isDone && !unit.isPending }

    /// Counts an attempt of an owner, which begins now.
    mutating func begin(_ owner: String, _ claim: Int64, _ worker: ProcessIdentity?, _ now: Moment) {
        (self.owner, self.claim) = (owner, claim)
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
        owner = nil
        file = nil
        report = nil
        ended = nil
    }

    /// Counts a failed attempt. Without a delay the job has failed with it.
    mutating func fail(_ error: MediaError, _ policy: QueuePolicy, _ now: Moment) -> UnitFailure {
        owner = nil
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

/// The right to write about a unit, from its beginning on. It is lost when the unit is given back, when its job ends or is planned
/// otherwise, and when the owner's lease has ended and another owner has taken over what it had.
public struct UnitClaim: Hashable, Sendable {
    /// The job.
    public var job: Int64
    /// The unit's number.
    public var number: Int
    /// The number that the beginning was given.
    public var claim: Int64

    /// The claim of a unit that was begun.
    public init(_ job: Int64, _ unit: JobUnit) {
        self.init(job: job, number: unit.number, claim: unit.claim)
    }

    /// A claim from its parts.
    public init(job: Int64, number: Int, claim: Int64) {
        (self.job, self.number, self.claim) = (job, number, claim)
    }
}

/// A unit that was claimed of a job whose attempt another owner has.
public struct ClaimedUnit: Hashable, Sendable {
    /// The job.
    public var job: Job
    /// The common part of the job's plan, for the worker.
    public var plan: JSONValue
    /// As `JobUnits.fingerprint`.
    public var fingerprint: String
    /// The unit.
    public var unit: JobUnit
    /// The units whose files its worker reads.
    public var inputs: [JobUnit]
    /// How many more units of the job can be claimed, counted up to a few dozen.
    public var others: Int
}

/// The consequence of the failure of a unit's attempt.
public enum UnitFailure: Hashable, Sendable {
    /// It is begun again after this many milliseconds.
    case again(after: Int64)
    /// The job fails with this error.
    case final(MediaError)
}

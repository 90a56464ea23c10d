// Job: one job as the queue's file knows it, finer than what its owner sees. A value, read in one piece from
// one row; changing it changes nothing. How far it is while it runs is not in here (the daemon keeps that in
// memory).
public import Media
internal import MediaTime
public import Platform

/// A file that is about to get its name, or has it.
public struct Publication: Hashable, Sendable {
    /// The device the file lies on.
    public var device: UInt64
    /// Its number there; a rename keeps it.
    public var inode: UInt64
    /// The name in the output's folder that it is to have.
    public var name: String
    /// The life of the machine in which it was begun; nil: not known.
    public var boot: String?

    /// A publication from its parts.
    public init(device: UInt64, inode: UInt64, name: String, boot: String? = nil) {
        self.device = device
        self.inode = inode
        self.name = name
        self.boot = boot
    }

    /// Whether a file that was found is the one.
    public func isOf(_ file: FileIdentity) -> Bool {
        file.isSameFile(as: FileIdentity(device: device, inode: inode, size: 0, modified: 0, boot: boot))
    }
}

/// One job as the queue's file knows it.
public struct Job: Hashable, Sendable {
    /// Its number.
    public var id: Int64
    /// The user it belongs to.
    public var user: UInt32
    /// Where it is.
    public var state: JobState
    /// What is wanted.
    public var request: ExportRequest
    /// The source as it was when the job was accepted.
    public var source: FileIdentity
    /// From 0 to 100; of its user's jobs that wait, the highest is begun first.
    public var priority: Int
    /// How often it was begun; also the token that an attempt shows to change its job.
    public var attempts: Int
    /// How often the daemon's death ended an attempt.
    public var interruptions: Int
    /// How often a worker died of it since it was last asked for.
    public var crashes: Int
    /// How often it failed in a way that can heal, since it was last asked for.
    public var failures: Int
    /// While it waits after a failure: not to be begun before.
    public var due: Moment?
    /// The worker that has it, or had it last.
    public var worker: ProcessIdentity?
    /// The output, from `publishing` on.
    public var publication: Publication?
    /// What the export made, from `publishing` on.
    public var result: ExportResult?
    /// Why it failed or was cancelled; while it waits, why it has to be begun again.
    public var error: MediaError?
    /// When it was accepted.
    public var created: Moment
    /// When it was last begun.
    public var started: Moment?
    /// When it ended.
    public var ended: Moment?
    /// The output's name that is kept for it while it is unfinished, as `OutputName` spells it; nil: none.
    var nameKey: String?

    /// The job as its owner sees it, with how far it is where it runs.
    public func report(progress: Progress? = nil) -> JobReport {
        let fileType = result?.fileType ?? request.preset.likelyFileType(of: request.input)
        var target = request.output
        if let publication, state == .completed || state == .publishing { target.name = publication.name }
        var report = JobReport(
            id: id, status: state.status, preset: request.preset.id, render: result?.render ?? request.render,
            input: request.input, output: target.path(fileType: fileType), created: created, user: user)
        report.requested = result?.requested ?? plainSpan
        report.started = started
        report.ended = ended
        report.attempts = attempts
        report.priority = priority
        report.retry = due
        report.error = error
        report.artwork = request.metadata?.artwork
        if state == .completed, let result {
            report.actual = result.actual
            report.tracks = result.tracks
            report.bytes = result.bytes
            report.warnings = result.warnings
            report.dropped = result.dropped
            report.progress = 1
            return report
        }
        // Also of one that failed: how far it came.
        report.progress = progress?.fraction ?? 0
        if state.status == .exporting {
            report.phase = progress?.phase ?? .preparing
            report.speed = progress?.speed
            report.remaining = progress?.remaining
        }
        return report
    }

    /// The range asked for, where it can be said without knowing the asset.
    private var plainSpan: TimeSpan? {
        let start: Time
        switch request.start {
        case nil: start = .zero
        case .time(let time): start = time
        default: return nil
        }
        switch (request.end, request.duration) {
        case (.time(let end), _): return TimeSpan(start: start, end: end)
        case (_, .time(let length)): return TimeSpan(start: start, end: start + length)
        default: return nil
        }
    }
}

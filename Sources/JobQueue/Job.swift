// Job: one job as stored in the queue, in more detail than its owner sees. A value, read from one row; changing it does not
// change the row. It does not contain the progress of a running job (the daemon keeps that in memory).
public import Media
internal import MediaTime
public import Platform

/// A file that is being published, or has been.
public struct Publication: Hashable, Sendable {
    /// The file's device number.
    public var device: UInt64
    /// Its inode number; a rename keeps it.
    public var inode: UInt64
    /// Its final name in the output's folder.
    public var name: String
    /// The boot ID when publication began; nil: unknown, or the file is on a share, whose device number differs from mount to mount.
    public var boot: String?

    /// A publication from its parts.
    public init(device: UInt64, inode: UInt64, name: String, boot: String? = nil) {
        self.device = device
        self.inode = inode
        self.name = name
        self.boot = boot
    }

    /// Whether a file is the published one.
    public func isOf(_ file: FileIdentity) -> Bool {
        file.isSameFile(as: FileIdentity(device: device, inode: inode, size: 0, modified: 0, boot: boot))
    }
}

/// One job as stored in the queue.
public struct Job: Hashable, Sendable {
    /// Its ID.
    public var id: Int64
    /// The user it belongs to.
    public var user: UInt32
    /// Its state.
    public var state: JobState
    /// Its request.
    public var request: ExportRequest
    /// The source's identity when the job was accepted.
    public var source: FileIdentity
    /// From 0 to 100; of a user's waiting jobs, the highest starts first.
    public var priority: Int
    /// The number of attempts; also the token that an attempt presents to change its job.
    public var attempts: Int
    /// How many attempts ended because the daemon died.
    public var interruptions: Int
    /// How many workers crashed on it since it was last requested.
    public var crashes: Int
    /// How many transient failures it had since it was last requested.
    public var failures: Int
    /// The earliest start of a job that waits after a failure, or until `notBefore`.
    public var due: Moment?
    /// It runs only after these jobs have completed.
    public var after: [Int64] = []
    /// It was not to start before this moment.
    public var notBefore: Moment?
    /// Its running attempt is stopped where it is, until the job is released.
    public var isPaused = false
    /// Who owns its present or last attempt; nil: there was none.
    public var owner: String?
    /// Its present or last worker.
    public var worker: ProcessIdentity?
    /// The output, from `publishing` on.
    public var publication: Publication?
    /// The export's result, from `publishing` on.
    public var result: ExportResult?
    /// Why it failed or was cancelled; while it waits, why it has to start again.
    public var error: MediaError?
    /// When it was accepted.
    public var created: Moment
    /// When its last attempt started.
    public var started: Moment?
    /// When it ended.
    public var ended: Moment?
    /// How many units it is made in, or was when it ended; nil: it is made as one.
    public var units: UnitCounts?
    /// The progress that was reported of what is kept, from 0 to 1.
    public var progress = 0.0
    /// Its needs of the node that does it.
    public var needs = Needs([])
    /// How far its attempt is, as the node tells that runs it; nil: it does not run, or this one runs it.
    public var live: LiveProgress?
    /// The name reserved for the output of an unfinished job, as an `OutputName` key; nil: none.
    var nameKey: String?

    /// The job as its owner sees it, with its progress if it runs.
    public func report(progress: Progress? = nil) -> JobReport {
        let fileType = result?.fileType ?? request.preset.likelyFileType(of: request.input)
        var target = request.output
        if let publication, state == .completed || state == .publishing { target.name = publication.name }
        var report = JobReport(
            id: id, status: state.status, preset: result?.preset ?? request.preset.id,
            render: result?.render ?? request.render,
            input: request.input, output: target.path(fileType: fileType), created: created, user: user)
        report.sourceCount = request.sources?.count
        report.requested = result?.requested ?? plainSpan
        report.started = started
        report.ended = ended
        report.attempts = attempts
        report.priority = priority
        report.retry = due == notBefore ? nil : due
        report.after = after.isEmpty ? nil : after
        report.notBefore = notBefore
        report.needs = needs.tags.isEmpty ? nil : needs.tags
        report.paused = isPaused ? true : nil
        report.error = error
        report.artwork = request.metadata?.artwork
        report.subtitles = request.options?.burnedFile
        report.units = units
        let progress = live?.progress ?? progress
        if let making = live?.making, !making.isEmpty { report.units?.making = making }
        if state == .completed, let result {
            report.actual = result.actual
            report.tracks = result.tracks
            report.bytes = result.bytes
            report.bytesCloned = result.bytesCloned
            report.warnings = result.warnings
            report.notes = result.notes ?? []
            report.dropped = result.dropped
            report.progress = 1
            return report
        }
        // A failed job keeps its progress too.
        report.progress = max(progress?.fraction ?? 0, self.progress)
        if state.status == .exporting {
            report.progress = progress?.fraction ?? self.progress
            report.phase = progress?.phase ?? .preparing
            guard !isPaused else { return report }
            report.speed = progress?.speed
            report.remaining = progress?.remaining
        }
        return report
    }

    /// The requested range, if it is known without the asset.
    private var plainSpan: TimeSpan? {
        guard let start = request.start == nil ? .zero : request.start?.assetTime else { return nil }
        if let end = request.end?.assetTime { return TimeSpan(start: start, end: end) }
        return request.duration?.assetTime.map { TimeSpan(start: start, end: start + $0) }
    }
}

// The names of every method, on the daemon's socket and on the worker's. The files beside this one define parameters and
// results, one family per file. The transport does not know them; `hello` returns the protocol version.
public import Media

/// The methods of the daemon's socket.
public enum Method: String, Sendable, CaseIterable {
    case hello
    case assetProbe = "asset.probe"
    case assetCheck = "asset.check"
    case assetFrame = "asset.frame"
    case assetSheet = "asset.sheet"
    case assetVerify = "asset.verify"
    case assetThumbnails = "asset.thumbnails"
    case assetWaveform = "asset.waveform"
    case assetSegment = "asset.segment"
    case assetCues = "asset.cues"
    case presetList = "preset.list"
    case jobSubmit = "job.submit"
    case jobPlan = "job.plan"
    case jobGet = "job.get"
    case jobList = "job.list"
    case jobWatch = "job.watch"
    case jobCancel = "job.cancel"
    case jobRetry = "job.retry"
    case jobHold = "job.hold"
    case jobRelease = "job.release"
    case jobModify = "job.modify"
    case jobRemove = "job.remove"
    case jobLog = "job.log"
    case spoolOpen = "spool.open"
    case spoolWrite = "spool.write"
    case spoolRead = "spool.read"
    case eventsSince = "events.since"
    case serverStatus = "server.status"
    case serverDoctor = "server.doctor"
    case serverNodes = "server.nodes"
    case serverDrain = "server.drain"
    case serverMetrics = "server.metrics"
}

/// The notifications a daemon sends to a watching client.
public enum Notification: String, Sendable, CaseIterable {
    /// A job's state: a `JobReport`.
    case jobChanged = "job.changed"
    /// A job's progress: a `JobProgress`.
    case jobProgress = "job.progress"
    /// A job has passed a requested time: a `JobBoundary`.
    case jobBoundary = "job.boundary"
    /// Draining started or ended: a `ServerDraining`.
    case serverDraining = "server.draining"
}

/// The methods of the socketpair between daemon and worker. A worker serves one request and exits.
public enum WorkerMethod: String, Sendable, CaseIterable {
    /// `WorkerProbe`, descriptor: source. Returns an `Asset`.
    case probe
    /// `WorkerCheck`, descriptor: source. Returns a `CompatibilityReport`.
    case check
    /// `ExportRequest`, descriptors: source, and its cover art if named. Returns a `PlanReport`.
    case plan
    /// `WorkerExport`, descriptors: source, temporary output, and its cover art if named. Returns an `ExportOutcome`.
    case export
    /// `WorkerUnit`, descriptors: source, the unit's empty file, the files of its inputs. Returns a `UnitReport`.
    case unit
    /// `WorkerJoin`, descriptors: source, temporary output, and its cover art if named. The files of all units that are made follow, by number, in
    /// `files` notifications. Returns an `ExportOutcome`.
    case join
    /// `ExportResult`, descriptor: the temporary output, read-only. Returns `Empty` if the output matches the result.
    case verify
    /// `WorkerFrame`, descriptors: source, temporary image. Returns a `FrameReport`.
    case frame
    /// `WorkerSheet`, descriptors: source, temporary image. Returns a `SheetReport`.
    case sheet
    /// `WorkerComparison`, descriptors: source, the file to compare with it, and, if requested, the temporary image. Returns a
    /// `ComparisonReport`.
    case compare
    /// `WorkerPreview<ThumbnailsParams>`, descriptors: source, an empty file for the pictures. Returns a `ThumbnailsReport`.
    case thumbnails
    /// `WorkerPreview<WaveformParams>`, descriptor: source. Returns a `WaveformReport`.
    case waveform
    /// `WorkerPreview<SegmentParams>`, descriptors: source, an empty file for the segment. Returns a `SegmentReport`.
    case segment
    /// `WorkerPreview<CuesParams>`, descriptor: source. Returns a `CuesReport`.
    case cues
    /// `WorkerNames`, descriptors: a playlist, an empty file for the names. Returns a `ListedNames`. It reads the text and no media.
    case names
}

/// The notifications a daemon sends to its worker, after a request.
public enum DaemonNotification: String, Sendable, CaseIterable {
    /// `Empty`, descriptors: further files of the request, at most `most`.
    case files
    /// A `SegmentAnswer`, descriptors: the files of a playlist that the worker asked for.
    case segments

    /// The most descriptors of one message.
    public static let most = 32
}

/// The notifications a worker sends to its daemon.
public enum WorkerNotification: String, Sendable, CaseIterable {
    /// A `Progress`.
    case progress
    /// A `WorkerLog`.
    case log
    /// A `WorkerSeal`: the worker's first notification, before it reads a byte of media.
    case sealed
    /// `Empty`: bytes were read or written, frames decoded or encoded since the last notification.
    case alive
    /// A `WorkerPlan`: sent before an export writes; sent again if it retries in another render mode, and when it needs fewer
    /// processors from then on.
    case planned
    /// A `SegmentRequest`: the worker waits for the files of a playlist.
    case segments
}

/// The result of the worker's `verify`: the output matches its result.
public struct Verified: Hashable, Codable, Sendable {
    /// Copied samples that do not decode.
    public var warnings: [Warning]

    /// Creates an answer.
    public init(warnings: [Warning] = []) { self.warnings = warnings }
}

/// No parameters, or no result.
public struct Empty: Hashable, Codable, Sendable {
    /// Creates an empty value.
    public init() {}
}

/// The answer of `hello`.
public struct HelloResult: Hashable, Codable, Sendable {
    /// The protocol version; clients compare it with `HelloResult.currentProtocol`.
    public var protocolVersion: Int
    /// The daemon's version.
    public var version: String
    /// The daemon's process ID.
    public var pid: Int32
    /// The user it runs as.
    public var user: UInt32

    /// The protocol version of this file.
    public static let currentProtocol = 1

    /// Creates an answer.
    public init(version: String, pid: Int32, user: UInt32) {
        protocolVersion = HelloResult.currentProtocol
        self.version = version
        self.pid = pid
        self.user = user
    }
}

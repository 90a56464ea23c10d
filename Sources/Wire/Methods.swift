// The whole API begins here: every method's name, on the daemon's socket and on the worker's. What each takes and answers
// is beside this file, a family a file. Transport knows none of it; `hello` tells a client which version it speaks.
public import Media

/// The methods of the daemon's socket.
public enum Method: String, Sendable, CaseIterable {
    case hello
    case assetProbe = "asset.probe"
    case assetCheck = "asset.check"
    case assetFrame = "asset.frame"
    case assetSheet = "asset.sheet"
    case assetVerify = "asset.verify"
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
    case jobRemove = "job.remove"
    case jobLog = "job.log"
    case eventsSince = "events.since"
    case serverStatus = "server.status"
    case serverDoctor = "server.doctor"
    case serverDrain = "server.drain"
    case serverMetrics = "server.metrics"
}

/// The notifications a daemon sends to a client that watches.
public enum Notification: String, Sendable, CaseIterable {
    /// A job's state: a `JobReport`.
    case jobChanged = "job.changed"
    /// A job's progress: a `JobProgress`.
    case jobProgress = "job.progress"
    /// A job has passed a time that was asked for: a `JobBoundary`.
    case jobBoundary = "job.boundary"
    /// Whether jobs are started has changed: a `ServerDraining`.
    case serverDraining = "server.draining"
}

/// The methods of the socketpair between daemon and worker. A worker serves one request and ends.
public enum WorkerMethod: String, Sendable, CaseIterable {
    /// `WorkerProbe`, descriptor: source. Answers an `Asset`.
    case probe
    /// `WorkerCheck`, descriptor: source. Answers a `CompatibilityReport`.
    case check
    /// `ExportRequest`, descriptors: source, and the picture it names. Answers a `PlanReport`.
    case plan
    /// `ExportRequest`, descriptors: source, temporary output. Answers an `ExportResult`.
    case export
    /// `ExportResult`, descriptor: the temporary output, read-only. Answers `Empty` where it is what the result says.
    case verify
    /// `WorkerFrame`, descriptors: source, temporary picture. Answers a `FrameReport`.
    case frame
    /// `WorkerSheet`, descriptors: source, temporary picture. Answers a `SheetReport`.
    case sheet
    /// `WorkerComparison`, descriptors: source, the file that is to be a part of it, and where one is wanted, the temporary
    /// picture. Answers a `ComparisonReport`.
    case compare
}

/// The notifications a worker sends to its daemon.
public enum WorkerNotification: String, Sendable, CaseIterable {
    /// A `Progress`.
    case progress
    /// A `WorkerLog`.
    case log
    /// A `WorkerSeal`: the first thing a worker says, before it reads a byte of media.
    case sealed
    /// `Empty`: bytes were read or written, frames decoded or encoded since the last word.
    case alive
    /// A `WorkerPlan`: what an export is about to write, before it writes; again where it is tried in another way.
    case planned
}

/// A worker's answer to `verify`: the output is what its result says.
public struct Verified: Hashable, Codable, Sendable {
    /// What does not decode of samples that were taken over.
    public var warnings: [Warning]

    /// An answer.
    public init(warnings: [Warning] = []) { self.warnings = warnings }
}

/// No parameters, or nothing to say.
public struct Empty: Hashable, Codable, Sendable {
    /// Nothing.
    public init() {}
}

/// The answer of `hello`.
public struct HelloResult: Hashable, Codable, Sendable {
    /// The version of this API; clients compare it with `HelloResult.protocolVersion`.
    public var protocolVersion: Int
    /// The daemon's version.
    public var version: String
    /// The daemon's process.
    public var pid: Int32
    /// The user it runs as.
    public var user: UInt32

    /// The version of the API in this file.
    public static let currentProtocol = 1

    /// Creates an answer.
    public init(version: String, pid: Int32, user: UInt32) {
        protocolVersion = HelloResult.currentProtocol
        self.version = version
        self.pid = pid
        self.user = user
    }
}

/// The version of the programs.
public let trimdVersion = "0.1.0"

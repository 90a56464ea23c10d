// MethodAccess: which caller may call which method: a single table, one row per method. A method without a row does not
// compile. Handlers checks it before it reads a request; a test calls every method as each kind of caller, and the protocol
// page shows the table. Pure.
internal import Media
internal import Platform
internal import Wire

/// The outcome of a method's calls, by kind of caller.
struct MethodAccess: Hashable, Sendable {
    /// The kinds of callers.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The user this daemon runs as.
        case ownUser = "own user"
        case root
        /// A user who may read the metrics by the settings (`metricsGroup`).
        case metricsReader = "metrics group"
        /// The owner of the job that the call names; for calls that name no job, a user who has jobs.
        case owner
        case otherUser = "other user"
        /// A worker, on its own socket: it runs as the daemon's user but may call nothing.
        case worker
    }

    /// The outcome of a call.
    enum Answer: String, Hashable, Sendable, CaseIterable {
        /// It succeeds.
        case served = "yes"
        /// It succeeds and covers the caller's own jobs only.
        case ownJobs = "own jobs"
        /// It succeeds for files and folders that the caller proves access to with descriptors.
        case proven = "with descriptors"
        /// It succeeds, without the deep checks and other users' data.
        case inPart = "in part"
        /// The job does not exist for this caller.
        case absent = "no such job"
        /// The file does not exist for this caller.
        case missing = "no such file"
        /// It is refused by policy.
        case refused
        /// The calling process is ended.
        case ended
    }

    private let answers: [Kind: Answer]

    /// A row of the table, in the order of `Kind`; a worker that calls anything is ended.
    private init(
        _ ownUser: Answer, _ root: Answer, _ metricsReader: Answer, _ owner: Answer, _ otherUser: Answer
    ) {
        answers = [
            .ownUser: ownUser, .root: root, .metricsReader: metricsReader, .owner: owner,
            .otherUser: otherUser,
        ]
    }

    /// The row of a method.
    static func of(_ method: Method) -> MethodAccess {
        switch method {
        //                             own user, root, metrics group, owner, other user
        case .hello: MethodAccess(.served, .served, .served, .served, .served)
        case .assetProbe: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetCheck: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetFrame: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetSheet: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetVerify: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetThumbnails: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetWaveform: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetSegment: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetCues: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .presetList: MethodAccess(.served, .served, .served, .served, .served)
        case .jobSubmit: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .jobPlan: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .jobGet: MethodAccess(.served, .served, .absent, .served, .absent)
        case .jobList: MethodAccess(.served, .served, .ownJobs, .ownJobs, .ownJobs)
        case .jobWatch: MethodAccess(.served, .served, .absent, .served, .absent)
        case .jobCancel: MethodAccess(.served, .served, .absent, .served, .absent)
        case .jobRetry: MethodAccess(.served, .served, .absent, .proven, .absent)
        case .jobHold: MethodAccess(.served, .served, .absent, .served, .absent)
        case .jobRelease: MethodAccess(.served, .served, .absent, .served, .absent)
        case .jobModify: MethodAccess(.served, .served, .absent, .proven, .absent)
        case .jobRemove: MethodAccess(.served, .served, .absent, .served, .absent)
        case .jobLog: MethodAccess(.served, .served, .absent, .served, .absent)
        case .spoolOpen: MethodAccess(.served, .served, .served, .served, .served)
        case .spoolWrite: MethodAccess(.served, .served, .missing, .served, .missing)
        case .spoolRead: MethodAccess(.served, .served, .missing, .served, .missing)
        case .eventsSince: MethodAccess(.served, .served, .ownJobs, .ownJobs, .ownJobs)
        case .serverStatus: MethodAccess(.served, .served, .ownJobs, .ownJobs, .ownJobs)
        case .serverDoctor: MethodAccess(.served, .served, .inPart, .inPart, .inPart)
        case .serverNodes: MethodAccess(.served, .served, .ownJobs, .ownJobs, .ownJobs)
        case .serverDrain: MethodAccess(.served, .served, .refused, .refused, .refused)
        case .serverMetrics: MethodAccess(.served, .served, .served, .refused, .refused)
        }
    }

    /// The outcome for a kind of caller.
    func answer(to kind: Kind) -> Answer { answers[kind] ?? .ended }

    /// Whether its requests name paths, which are opened, and carry descriptors.
    var opensPaths: Bool { answers.values.contains(.proven) }
}

extension Caller {
    /// The kind of this caller for calls that name no job; for others the store shows each viewer their own jobs only.
    var kind: MethodAccess.Kind {
        if uid == own { return .ownUser }
        if uid == 0 { return .root }
        return readsMetrics ? .metricsReader : .otherUser
    }

    /// Throws if this caller may not call a method, whatever its parameters.
    func check(_ method: Method) throws(MediaError) {
        let access = MethodAccess.of(method)
        guard access.answer(to: kind) == .refused else { return }
        let isOpenToGroup = access.answer(to: .metricsReader) == .served
        let who =
            isOpenToGroup
            ? "root, the user trimd runs as, and the group named by metricsGroup in trimd.json"
            : "root and the user trimd runs as"
        throw MediaError(
            .permissionDenied, "refused by policy: only \(who) may call \(method.rawValue)",
            remedy: "ask the administrator of this machine, or start a trimd of your own")
    }
}

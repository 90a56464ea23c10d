// MethodAccess: who may call which method: the one table, a line a method. A method without a line does not compile. The
// dispatch (Handlers) asks it before anything is read of a request; a test calls every method as each caller, and the page of
// the protocol shows it. Pure.
internal import Media
internal import Platform
internal import Wire

/// What becomes of the calls of a method, by who calls.
struct MethodAccess: Hashable, Sendable {
    /// The callers that are told apart.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The user this daemon runs as.
        case ownUser = "own user"
        case root
        /// A user whom the settings let read the metrics (`metricsGroup`).
        case metricsReader = "metrics group"
        /// The user to whom the job belongs that is meant; where no job is meant, a user who has jobs.
        case owner
        case otherUser = "other user"
        /// A worker, on its own socket: it is the daemon's user, and may nothing.
        case worker
    }

    /// What becomes of a call.
    enum Answer: String, Hashable, Sendable, CaseIterable {
        /// It is done.
        case served = "yes"
        /// It is done, and tells of the caller's own jobs alone.
        case ownJobs = "own jobs"
        /// It is done on files and folders that the caller proves to be able to open, by descriptors.
        case proven = "with descriptors"
        /// It is done, without what is deep or about others.
        case inPart = "in part"
        /// To this caller there is no such job.
        case absent = "no such job"
        /// It is refused by policy.
        case refused
        /// It ends the process that calls.
        case ended
    }

    private let answers: [Kind: Answer]

    /// A line of the table, in the order of `Kind`; a worker that calls anything is ended.
    private init(
        _ ownUser: Answer, _ root: Answer, _ metricsReader: Answer, _ owner: Answer, _ otherUser: Answer
    ) {
        answers = [
            .ownUser: ownUser, .root: root, .metricsReader: metricsReader, .owner: owner,
            .otherUser: otherUser,
        ]
    }

    /// The line of a method.
    static func of(_ method: Method) -> MethodAccess {
        switch method {
        //                             own user, root, metrics group, owner, other user
        case .hello: MethodAccess(.served, .served, .served, .served, .served)
        case .assetProbe: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetCheck: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetFrame: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetSheet: MethodAccess(.served, .served, .proven, .proven, .proven)
        case .assetVerify: MethodAccess(.served, .served, .proven, .proven, .proven)
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
        case .jobRemove: MethodAccess(.served, .served, .absent, .served, .absent)
        case .jobLog: MethodAccess(.served, .served, .absent, .served, .absent)
        case .eventsSince: MethodAccess(.served, .served, .ownJobs, .ownJobs, .ownJobs)
        case .serverStatus: MethodAccess(.served, .served, .ownJobs, .ownJobs, .ownJobs)
        case .serverDoctor: MethodAccess(.served, .served, .inPart, .inPart, .inPart)
        case .serverDrain: MethodAccess(.served, .served, .refused, .refused, .refused)
        case .serverMetrics: MethodAccess(.served, .served, .served, .refused, .refused)
        }
    }

    /// What becomes of the calls of a kind of caller.
    func answer(to kind: Kind) -> Answer { answers[kind] ?? .ended }

    /// Whether its requests name paths, which are opened, and carry descriptors.
    var opensPaths: Bool { answers.values.contains(.proven) }
}

extension Caller {
    /// Which kind of caller this is, where no job is meant: whose a job is tells the store, which shows each viewer their own.
    var kind: MethodAccess.Kind {
        if uid == own { return .ownUser }
        if uid == 0 { return .root }
        return readsMetrics ? .metricsReader : .otherUser
    }

    /// Throws where this caller may not call a method, whatever it is called about.
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

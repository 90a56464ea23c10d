// The part of the service that opens what requests name: what is judged and looked at, on a lane of the user who asks, where it
// may wait for a disk. It decides nothing that lasts.
internal import Glibc
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Wire

extension Service {
    /// What a user shows for a request, held against the roots.
    func access(_ peer: PeerCredentials, _ descriptors: Descriptors) -> CallerAccess {
        CallerAccess(peer: peer, own: geteuid(), roots: configuration.roots, descriptors: descriptors)
    }

    /// `job.submit`, first: proves the rights, and finds names that the output may have; nil: the key names a job that is there
    /// already. On a lane of the caller's.
    func validate(
        _ params: SubmitParams, _ caller: Caller, _ access: CallerAccess
    ) throws(MediaError) -> SubmissionValidator.Verdict? {
        if let priority = params.priority, priority > caller.highestPriority {
            throw MediaError(
                .permissionDenied,
                "refused by policy: the priority is \(priority), and above \(caller.highestPriority) is for root and the user trimd runs as",
                remedy: "give \(caller.highestPriority) or less; it orders your own jobs alone")
        }
        // A key names its job whatever becomes of the paths: the job may have made its output already.
        if let key = params.key, let known = try store.job(key: key, of: caller.uid) {
            try known.check(isAskedBy: try validator.request(params, like: known.request))
            return nil
        }
        return try validator.validate(params, access, taken: store.takenNumbers)
    }

    /// `job.retry`, first: proves the rights again, since what the paths name may be something else by now. On a lane of
    /// the caller's.
    func judgeRetry(
        _ id: Int64, _ caller: Caller, _ access: CallerAccess
    ) throws(MediaError) -> SubmissionValidator.Verdict {
        let job = try store.job(id, for: caller.viewer)
        // The table of states is asked before the source is: of a completed job it does not matter.
        guard job.state.isFinal, job.state.mayBecome(.waiting) else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is \(job.state.status.rawValue) and cannot be tried again",
                remedy: "only a job that failed or was cancelled can be")
        }
        let owner = Caller(uid: job.user, own: caller.own)
        guard caller.uid == job.user || owner.seesAll else {
            return try validator.validate(unchanged: job)
        }
        return try validator.validate(again: job.request, access)
    }

    /// `job.plan`: judged as a job that is submitted, and done by nobody.
    func plan(
        _ params: SubmitParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Inspection.Then
    ) throws(MediaError) {
        var verdict = try validator.validate(params, access, taken: store.takenNumbers)
        // The number that it would get now.
        if case .numbered(_, _, let free, _) = verdict.name { verdict.request.output.number = free.first }
        var work = Inspection.Work(
            method: .plan, params: verdict.request, file: verdict.file, path: params.input,
            user: access.peer.uid, client: client)
        work.companion = verdict.artwork
        inspection.ask(work, then: then)
    }

    /// `asset.probe`
    func probe(
        _ params: ProbeParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Inspection.Then
    ) throws(MediaError) {
        let question = WorkerProbe(
            name: try Service.name(of: params.path), keyframes: params.keyframes ?? false,
            properties: params.properties)
        try look(.probe, question, at: params.path, access, for: client, then: then)
    }

    /// `asset.check`
    func check(
        _ params: CheckParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Inspection.Then
    ) throws(MediaError) {
        let name = try Service.name(of: params.path)
        var presets: [Preset]
        if let reference = params.preset {
            presets = [try validator.resolve(reference)]
        } else {
            presets = validator.presets.presets
            for own in params.presets ?? [] {
                presets.removeAll { $0.id == own.id }
                presets.append(own)
            }
        }
        if let type = params.type, FileType(rawValue: type) == nil {
            let known = FileType.allCases.map(\.rawValue).joined(separator: ", ")
            throw MediaError(
                .outputTypeNotValid, "there is no file type '\(type)'", remedy: "known are \(known)")
        }
        var question = WorkerCheck(name: name, presets: presets, fileType: params.type)
        (question.start, question.end, question.duration) = (params.start, params.end, params.duration)
        question.options = params.options
        try look(.check, question, at: params.path, access, for: client, then: then)
    }

    private func look(
        _ method: WorkerMethod, _ question: some Encodable & Sendable, at path: String,
        _ access: CallerAccess,
        for client: ObjectIdentifier, then: @escaping Inspection.Then
    ) throws(MediaError) {
        let work = Inspection.Work(
            method: method, params: question, file: try access.source(path), path: path,
            user: access.peer.uid, client: client)
        inspection.ask(work, then: then)
    }

    private static func name(of path: String) throws(MediaError) -> String {
        try AbsolutePath.check(path, "the file")
        return FileName.split(path)?.name ?? path
    }
}

extension Result<JSONValue, MediaError> {
    /// A worker has read a stranger's file: its answer is passed on only where it is what it should be.
    func checked<Value: Codable>(as _: Value.Type) -> Self {
        flatMap { value in
            do throws(WireError) {
                return .success(try JSONValue(encoding: try value.decode(as: Value.self)))
            } catch {
                return .failure(MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)"))
            }
        }
    }
}

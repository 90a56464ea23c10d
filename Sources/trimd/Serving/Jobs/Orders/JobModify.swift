// job.modify: changes a job that has not ended: the priority of each, and of one that waits or is held any option. A changed request is
// validated as a new one, with the rights of its user.
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Text
internal import Wire

extension JobService {
    /// A job with a changed request.
    struct Modified: Sendable {
        let validated: SubmissionValidator.Validated
        let start: StartCondition
    }

    /// `job.modify`, first step: builds the changed request and validates it; nil: the request stays. Runs on a lane of the caller.
    func validateModify(
        _ params: ModifyParams, _ caller: Caller, _ access: CallerAccess
    ) throws(MediaError) -> Modified? {
        let job = try store.job(params.id, for: caller.viewer)
        if let priority = params.priority { try caller.check(priority: priority) }
        guard !params.changes.isEmpty else {
            guard params.priority != nil else {
                throw MediaError(
                    .invalidRequest, "nothing is named that is to be changed",
                    remedy: "name priority, or what else is to be another")
            }
            return nil
        }
        // Before its paths: of a job that runs nothing is opened.
        try job.checkModifiable()
        let submission = try JobService.submission(of: job, params.changes)
        for id in submission.after ?? [] {
            _ = try store.job(id, for: caller.viewer)
            // So no job waits for itself, by whatever others.
            guard id < job.id || job.after.contains(id) else {
                throw MediaError(
                    .invalidRequest, "job \(job.id) cannot run after job \(id), which was submitted later",
                    remedy: "submit it again with --after")
            }
        }
        let own = job.request.output
        var validated = try validator.validate(submission, access) { folder, stem throws(MediaError) in
            let taken = try store.takenNumbers(folder, stem)
            return folder == own.folder && stem == own.stem ? taken.subtracting([own.number ?? 1]) : taken
        }
        if caller.uid != job.user {
            // Whoever may change it has proved nothing in its user's name.
            validated.request.reader = job.request.reader
            guard validated.source.isUnchanged(since: job.source),
                validated.request.sourceIdentities == job.request.sourceIdentities
            else {
                throw MediaError(
                    .sourceChanged, "\(job.request.input) is not what it was when job \(job.id) was accepted",
                    remedy: "let its user (\(job.user)) change the job")
            }
        }
        return Modified(
            validated: validated,
            start: StartCondition(
                after: submission.after ?? [], notBefore: submission.notBefore, needs: submission.needs ?? [])
        )
    }

    /// `job.modify`, second step.
    func modify(
        _ params: ModifyParams, _ modified: Modified?, _ caller: Caller
    ) throws(MediaError) -> JobReport {
        guard let modified else {
            let priority = params.priority ?? JobReport.usualPriority
            return report(
                try scheduler.order("its priority is \(priority) now") { store throws(MediaError) in
                    try store.modify(params.id, priority: priority)
                })
        }
        let words = params.changes.keys.sorted() + (params.priority == nil ? [] : ["priority"])
        return report(
            try scheduler.order("changed: \(words.joined(separator: ", "))") {
                store throws(MediaError) in
                try store.modify(
                    params.id,
                    JobChange(
                        request: modified.validated.request, source: modified.validated.source,
                        name: modified.validated.name, priority: params.priority, start: modified.start))
            })
    }

    /// The request that a user would submit for a job as it is, with changes.
    static func submission(
        of job: Job, _ changes: [String: JSONValue]
    ) throws(MediaError) -> SubmitParams {
        let known = job.request
        var params = SubmitParams(input: known.input)
        params.sources = known.sources
        params.output =
            (known.output.folder == "/" ? "" : known.output.folder) + "/" + (known.output.name ?? "")
        params.overwrite = known.output.overwrite
        params.range = known.range
        // Without a named preset there is a fallback.
        params.preset = known.fallback == nil ? .preset(known.preset) : nil
        params.render = known.render
        params.strict = known.strict
        params.key = known.key
        (params.after, params.notBefore, params.needs) = (job.after, job.notBefore, job.needs.tags)
        params.toleranceBefore = known.toleranceBefore.map { $0.isNumeric ? .time($0) : .unlimited }
        params.toleranceAfter = known.toleranceAfter.map { $0.isNumeric ? .time($0) : .unlimited }
        params.noHidden = known.noHidden
        (params.options, params.chapters, params.metadata) = (known.options, known.chapters, known.metadata)
        // trimd sets it.
        params.metadata?.artworkPlace = nil
        do throws(WireError) {
            var all = try JSONValue(encoding: params).object ?? JSONObject()
            for name in replaced(by: changes) where changes[name] == nil { all[name] = nil }
            for (name, value) in changes {
                let isMerged = name == "options" || name == "metadata"
                guard isMerged, let parts = value.object, var old = all[name]?.object else {
                    all[name] = value.content == .null ? nil : value
                    continue
                }
                for (part, value) in parts.members { old[part] = value.content == .null ? nil : value }
                all[name] = JSONValue(.object(old))
            }
            return try JSONValue(.object(all)).decode(as: SubmitParams.self)
        } catch { throw MediaError(.invalidRequest, "\(error)") }
    }

    /// The keys of a range that others take the place of.
    private static func replaced(by changes: [String: JSONValue]) -> [String] {
        let whole = ["start", "end", "duration"]
        let isSet = { (name: String) in changes[name].map { $0.content != .null } ?? false }
        var replaced: [String] = []
        if isSet("end") { replaced.append("duration") }
        if isSet("duration") { replaced.append("end") }
        if isSet("keep") { replaced += whole + ["remove"] }
        if whole.contains(where: isSet) || isSet("remove") { replaced.append("keep") }
        return replaced
    }
}

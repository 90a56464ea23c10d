// job.plan: plans a job without running it.
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

extension JobService {
    /// `job.plan`: validated like a submission, but never queued.
    func plan(
        _ params: SubmitParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping ShortRequests.Then
    ) throws(MediaError) {
        var validated = try validator.validate(params, access, taken: store.takenNumbers)
        // The number that it would get now.
        if case .numbered(_, _, let free, _) = validated.name { validated.request.output.number = free.first }
        let request = validated.request
        var work = ShortRequests.Work(
            method: .plan,
            params: WorkerExport(
                request, alternatives: validator.presets.alternatives(to: request),
                division: scheduler.context.effort.division(of: request)),
            file: validated.file, path: params.input,
            user: access.peer.uid, client: client)
        work.companions = [validated.artwork, validated.subtitles].compactMap(\.self)
        shortRequests.ask(work, then: then)
    }
}

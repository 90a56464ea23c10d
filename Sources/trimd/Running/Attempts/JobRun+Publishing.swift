// The steps after the export: another worker verifies the output, which is synced meanwhile, and then it gets its name: as soon as that
// worker has answered, which has closed the output by then and may still end. On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Wire

extension JobRun {
    func verify(_ result: ExportResult) throws(MediaError) {
        note(
            "exported in \(JobRun.seconds(since: began)) s by \(result.render.rawValue): \(result.bytes) bytes"
        )
        for warning in result.warnings { note("warning: \(warning.word): \(warning.message)") }
        for found in result.notes ?? [] { note("note: \(found.word): \(found.message)") }
        for item in result.dropped { note("dropped: \(item.what): \(item.reason)") }
        report(meter.verify(0))
        let shared = result.clones
        var result = result
        try clone(&result)
        try checkSource()
        try output?.settle()
        result.bytes = try output?.size() ?? 0
        guard result.bytes > 0, FileType(rawValue: result.fileType) != nil else {
            throw MediaError(.verificationFailed, "the worker wrote nothing that could be an output")
        }
        guard let file = try output?.openForReading() else {
            throw MediaError(.verificationFailed, "there is no output to verify")
        }
        let verifier = try take()
        let whole = result
        verifier.serve(
            .verify,
            WorkerVerify(result, strict: job.request.strict, shared: shared, threads: threads),
            passing: [file.rawValue],
            client(isReader: true) { [self] answer throws(MediaError) in
                try publish(accepted(whole, try JobRun.result(Verified.self, answer).warnings))
            })
        if control.withLock({ $0.stop }) != nil { verifier.kill() }
        // Syncs while the verifier reads. Its answer waits for this queue.
        do throws(MediaError) {
            try output?.sync()
        } catch {
            verifier.kill()
            failure = error
        }
    }

    /// The result with the warnings of its verification that the export did not report.
    private func accepted(_ result: ExportResult, _ noted: [Warning]) -> ExportResult {
        var result = result
        for warning in noted
        where !result.warnings.contains(where: {
            $0.word == warning.word && $0.track == warning.track && $0.time == warning.time
        }) {
            note("warning: \(warning.word): \(warning.message)")
            result.warnings.append(warning)
        }
        return result
    }

    private func publish(_ result: ExportResult) throws(MediaError) {
        if let failure { throw failure }
        report(meter.verify(1))
        let isStopped = control.withLock { control in
            control.isCommitted = control.stop == nil
            return !control.isCommitted
        }
        guard !isStopped else { throw MediaError(.operationCancelled, "the job was stopped") }
        notify(.publishing)
        var unwritten: MediaError?
        do throws(MediaError) {
            _ = try output?.publish(fileType: result.fileType, mode: context.mode, source: job.source) {
                publication throws(MediaError) in
                do throws(MediaError) {
                    try context.store.publish(job.id, attempt: job.attempts, publication, result: result)
                    published = (publication, result)
                } catch {
                    if Patience.isWorthWhile(error) { unwritten = error }
                    throw error
                }
            }
        } catch {
            guard let unwritten else { throw error }
            // The output is complete. It keeps its temporary name until the queue can record its final one.
            control.withLock { $0.isCommitted = false }
            context.hub.foreseen(job, unwritten)
            return wait(unwritten) { [self] in
                attempt { [self] () throws(MediaError) in try publish(result) }
            }
        }
        conclude(.completed)
    }
}

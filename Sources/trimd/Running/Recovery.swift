// Recovery: what a daemon does first about jobs that one before it had begun: ends stray workers, decides by
// the inode whether an output got its name, removes temporary files, and lets the rest wait again. It runs
// once, before anything listens and before the scheduler starts, on the caller's thread.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// Putting the queue in order after a daemon ended.
struct Recovery {
    let store: any JobQueue
    let logs: JobLogs
    let log: Log
    let mode: mode_t

    /// Decides about every job that was begun; how many there were.
    func run() throws(MediaError) -> Int {
        let begun = try store.begun()
        for job in begun {
            if let worker = job.worker, worker.boot == ProcessTable.boot, !ProcessTable.end(worker) {
                log.warning("job \(job.id): its old worker \(worker.pid) does not end")
            }
            let after = try decide(job)
            logs.write(job.id, "trimd was started again; the job is \(after.state.rawValue)")
            log.info("job \(job.id) was \(job.state.rawValue) and is \(after.state.rawValue)", about: job)
        }
        return begun.count
    }

    private func decide(_ job: Job) throws(MediaError) -> Job {
        if job.state == .publishing, let done = try finish(job) { return done }
        removeTemporary(of: job)
        return try store.interrupt(job.id, attempt: job.attempts, counted: true)
    }

    /// Ends a publication that was begun; nil where its file is lost.
    private func finish(_ job: Job) throws(MediaError) -> Job? {
        guard let publication = job.publication, let result = job.result else { return nil }
        if try hasItsName(publication, job) {
            // A link may have given the name and the crash kept the other one.
            removeTemporary(of: job)
            return try store.complete(job.id, attempt: job.attempts)
        }
        let file = OutputFile(
            recovering: publication, job.request.output, job: job.id, attempt: job.attempts)
        guard let file else { return nil }
        do throws(MediaError) {
            // It was synced and verified before the row said `publishing`.
            _ = try file.publish(fileType: result.fileType, mode: mode, source: job.source) {
                publication throws(MediaError) in
                try store.publish(job.id, attempt: job.attempts, publication, result: result)
            }
            return try store.complete(job.id, attempt: job.attempts)
        } catch {
            try? file.discard()
            return try store.fail(job.id, attempt: job.attempts, error)
        }
    }

    private func hasItsName(_ publication: Publication, _ job: Job) throws(MediaError) -> Bool {
        guard let folder = try? OutputFolder(opening: job.request.output.folder),
            let found = try? FileStatus(of: publication.name, in: folder.descriptor),
            publication.isOf(found.identity)
        else { return false }
        try folder.sync()
        return true
    }

    private func removeTemporary(of job: Job) {
        let target = job.request.output
        guard let folder = try? OutputFolder(opening: target.folder) else { return }
        let name = FileName.temporary(for: target.name ?? target.stem, job: job.id, attempt: job.attempts)
        do throws(SystemError) { try folder.remove(name) } catch {
            log.warning("job \(job.id): its temporary file stays: \(error)")
        }
    }
}

// Recovery: handles the jobs that an earlier daemon had begun: kills stray workers, decides by the inode whether an output was
// published, removes temporary files, and requeues the rest. It runs once on the caller's thread, before the socket listens and
// the scheduler starts; where several daemons share the queue, also for what was taken over from those that are gone.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// Recovers the queue after a daemon ended.
struct Recovery {
    let store: any JobQueue
    let logs: JobLogs
    let log: Log
    let mode: mode_t

    /// Recovers every begun job; returns their number.
    func run() throws(MediaError) -> Int {
        let begun = try store.takeOver()
        let why = store.leaseTime == nil ? "trimd was started again" : Recovery.takenOver
        try recover(begun, counted: true, why: why) { _ in }
        return begun.count
    }

    /// Why a job is recovered whose owner has gone, for its log.
    static let takenOver = "taken over: the trimd that had it has ended, or its lease has"
    /// Why one is that this owner has and does not run.
    static let left = "begun here, and not gone on with"

    /// Recovers jobs of this owner that have no run; `counted`: the daemon that ran them ended. `done` gets each as it is then.
    func recover(_ begun: [Job], counted: Bool, why: String, done: (Job) -> Void) throws(MediaError) {
        for job in begun {
            // A worker that is stopped where it is may have outlived its daemon.
            for worker in try workers(of: job)
            where worker.boot == ProcessTable.boot && !ProcessTable.end(worker) {
                log.warning("job \(job.id): its old worker \(worker.pid) does not end")
            }
            let after = try decide(job, counted: counted)
            logs.write(job.id, "\(why); the job is \(after.state.rawValue)")
            log.info("job \(job.id) was \(job.state.rawValue) and is \(after.state.rawValue)", about: job)
            done(after)
        }
    }

    /// The workers that an attempt may have left; not those of units that other nodes make.
    private func workers(of job: Job) throws(MediaError) -> [ProcessIdentity] {
        let units = try store.units(job.id)?.units ?? []
        let left = units.filter { !$0.isDone && ($0.owner == nil || $0.owner == store.owner) }
        return ([job.worker] + left.map(\.worker)).compactMap(\.self)
    }

    private func decide(_ job: Job, counted: Bool) throws(MediaError) -> Job {
        if job.state == .publishing, let done = try finish(job) { return done }
        removeTemporary(of: job)
        return try store.interrupt(job.id, attempt: job.attempts, counted: counted)
    }

    /// Completes a publication that was begun; nil if its file is lost.
    private func finish(_ job: Job) throws(MediaError) -> Job? {
        guard let publication = job.publication, let result = job.result else { return nil }
        if try hasItsName(publication, job) {
            // The crash may have come between link and unlink, so that both names exist.
            removeTemporary(of: job)
            return try store.complete(job.id, attempt: job.attempts)
        }
        let file = OutputFile(
            recovering: publication, job.request.output, job: job.id, attempt: job.attempts)
        guard let file else { return nil }
        do throws(MediaError) {
            // It was synced and verified before the row's state became `publishing`.
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

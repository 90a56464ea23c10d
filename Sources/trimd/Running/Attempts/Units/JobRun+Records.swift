// What an attempt writes to the queue about its units. A write that fails for a reason that may pass (the disk is full, the
// database is away) is tried again with growing delays while other units go on: nothing that is made is made again for it.
// On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media

extension JobRun {
    /// Writes to the queue, and goes on with what is stored by then; `what` is written, for the log.
    func record(
        _ what: String, after patience: Patience? = nil,
        _ write: @escaping @Sendable () throws(MediaError) -> Void
    ) throws(MediaError) {
        do throws(MediaError) { try write() } catch {
            guard Patience.isWorthWhile(error) else { throw error }
            if patience == nil {
                context.log.warning(
                    "job \(job.id): \(what) cannot be written down, which is tried again until it can: \(error)",
                    about: job)
            }
            var patience = patience ?? Patience()
            let delay = patience.delay()
            let next = patience
            queue.asyncAfter(deadline: .now() + delay) { [weak self] in
                self?.attempt { [weak self] () throws(MediaError) in
                    try self?.record(what, after: next, write)
                }
            }
        }
    }
}

// server.drain: stops or resumes the start of jobs.
internal import JobQueue
internal import Media
internal import Wire

extension ServerService {
    /// `server.drain`
    func drain(
        _ params: DrainParams, then: @escaping @Sendable (Result<DrainResult, MediaError>) -> Void
    ) {
        let isOn = params.on ?? true
        scheduler.drain(isOn) { [store, scheduler, exit] result in
            do throws(MediaError) {
                try result.get()
                // Another caller may have resumed the queue meanwhile.
                let drains = scheduler.isDraining
                let exits = drains && params.exit == true
                let waiting = try store.counts()[.waiting] ?? 0
                then(.success(DrainResult(draining: drains, waiting: waiting, exiting: exits ? true : nil)))
                if exits { exit() }
            } catch { then(.failure(error)) }
        }
    }
}

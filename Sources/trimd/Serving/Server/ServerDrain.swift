// server.drain: stops or resumes the start of jobs.
internal import JobQueue
internal import Media
internal import Text
internal import Wire

extension ServerService {
    /// `server.drain`
    func drain(
        _ params: DrainParams, then: @escaping @Sendable (Result<DrainResult, MediaError>) -> Void
    ) {
        let isOn = params.on ?? true
        if let name = params.node, name != nodes.own.name {
            return then(drain(name, isOn, refuses: params.refuse ?? false))
        }
        scheduler.drain(isOn, refuses: params.refuse ?? false) { [store, scheduler, exit] result in
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

    /// Tells another node, which finds it out by itself.
    private func drain(_ name: String, _ isOn: Bool, refuses: Bool) -> Result<DrainResult, MediaError> {
        do throws(MediaError) {
            let known = try nodes.records(for: .user(.max)).map(\.node.name)
            guard known.contains(name) else {
                let near = nearestNames(to: name, in: known).first
                throw MediaError(
                    .invalidRequest, "there is no node '\(name)'",
                    remedy: (near.map { "perhaps '\($0)'; " } ?? "") + "`trimctl nodes` lists them")
            }
            try store.setRefusing(isOn && refuses, node: name)
            try store.setDraining(isOn, node: name)
            return .success(DrainResult(draining: isOn, waiting: try store.counts()[.waiting] ?? 0))
        } catch { return .failure(error) }
    }
}

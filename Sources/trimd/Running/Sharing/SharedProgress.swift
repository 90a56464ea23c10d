// SharedProgress: tells the other nodes how far the jobs are that run here, at most twice a second, and tells the watchers here how far
// those are that run elsewhere. Only the latest counts: what cannot be told now is not kept. It decides no state.
internal import CLinux
internal import Dispatch
internal import JobQueue
internal import Media
internal import MediaTime
internal import Synchronization

/// Progress between nodes.
///
/// `@unchecked Sendable`: variables that are in no Mutex are accessed on `receiving` only.
final class SharedProgress: @unchecked Sendable {
    private struct State {
        var latest: [Int64: AttemptProgress] = [:]
        /// Jobs whose latest progress is not told yet.
        var changed: Set<Int64> = []
        var isDue = false
        /// When it was told last, in nanoseconds of a monotonic clock.
        var told: Int64 = 0
    }

    private let store: any JobQueue
    private let hub: EventHub
    private let log: Log
    private let state = Mutex(State())
    private let sending = DispatchQueue(label: "trimd.progress.sending")
    private let receiving = DispatchQueue(label: "trimd.progress.receiving")
    /// When others told last what was seen here, and what it was.
    private var last = Moment(milliseconds: 0)
    private var seen: [Int64: Moment] = [:]

    /// Milliseconds between two times that a job's progress is told, and between two looks at that of others.
    private static let interval = 500
    /// Milliseconds by which looks overlap: changes become visible in another order than that of their times.
    private static let overlap: Int64 = 2000

    /// Nil if the daemon has the queue for itself.
    init?(_ store: any JobQueue, hub: EventHub, log: Log) {
        guard store.leaseTime != nil else { return nil }
        (self.store, self.hub, self.log) = (store, hub, log)
    }

    /// Takes the progress of an attempt. Never blocks.
    func report(_ job: Job, _ progress: Progress, from start: Time?) {
        change(job) {
            $0.live.progress = progress; $0.live.start = start
        }
    }

    /// An attempt makes these units now. Never blocks.
    func makes(_ job: Job, _ units: [UnitName]) { change(job) { $0.live.making = units.map(\.description) } }

    /// An attempt has ended.
    func forget(_ job: Job) {
        state.withLock { state in
            state.latest[job.id] = nil
            state.changed.remove(job.id)
        }
    }

    private func change(_ job: Job, _ body: (inout AttemptProgress) -> Void) {
        let delay = state.withLock { state -> Int64? in
            let before = state.latest[job.id].flatMap { $0.attempt == job.attempts ? $0 : nil }
            var now =
                before
                ?? AttemptProgress(
                    job: job.id, user: job.user, attempt: job.attempts,
                    LiveProgress(Progress(fraction: 0, phase: .preparing)))
            body(&now)
            guard now != before else { return nil }
            state.latest[job.id] = now
            state.changed.insert(job.id)
            defer { state.isDue = true }
            return state.isDue
                ? nil : state.told + Int64(SharedProgress.interval) * 1_000_000 - trim_monotonic_ns()
        }
        guard let delay else { return }
        sending.asyncAfter(deadline: .now() + .nanoseconds(Int(max(0, delay)))) { [self] in send() }
    }

    /// Tells it now.
    func flush() { sending.sync { send() } }

    private func send() {
        dispatchPrecondition(condition: .onQueue(sending))
        let told = state.withLock { state in
            defer { (state.changed, state.isDue, state.told) = ([], false, trim_monotonic_ns()) }
            return state.changed.compactMap { state.latest[$0] }
        }
        guard !told.isEmpty else { return }
        do throws(MediaError) { try store.tell(told) } catch {
            log.debug("progress cannot be told now: \(error)")
        }
    }

    /// Looks for the progress of others from now on, while anybody watches.
    func start() {
        receiving.asyncAfter(deadline: .now() + .milliseconds(SharedProgress.interval)) { [weak self] in
            guard let self else { return }
            if hub.isWatched { look() }
            start()
        }
    }

    private func look() {
        do throws(MediaError) {
            let since = Moment(milliseconds: max(0, last.milliseconds - SharedProgress.overlap))
            let told = try store.told(since: since)
            for each in told where seen[each.job] != each.at {
                hub.relay(each.job, of: each.user, each.live.progress, from: each.live.start)
            }
            seen = Dictionary(told.map { ($0.job, $0.at) }) { $1 }
            last = told.map(\.at).max() ?? last
        } catch { log.debug("the progress of others cannot be read now: \(error)") }
    }
}

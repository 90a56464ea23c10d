// SharedQueue: the life of this daemon among several that share a queue. It renews the leases of this daemon's attempts, ends the
// workers itself when they cannot be renewed in time, recovers what others that are gone had begun, and looks for changes that
// others have made. It decides nothing about a single job: `Recovery` and `Scheduler` do.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Synchronization

/// This daemon's leases, and its view of the others.
///
/// `@unchecked Sendable`: variables that are in no Mutex are accessed on `queue` only, but for those of `poll`.
final class SharedQueue: @unchecked Sendable {
    /// The leases as far as this daemon knows.
    private struct Leases {
        /// When the last renewal that succeeded was asked for, in milliseconds of the machine's uptime: they last from there.
        var renewed: Int64
        /// They may have ended: the workers were ended.
        var areLost = false
    }

    private let store: any JobQueue
    private let scheduler: Scheduler
    private let recovery: Recovery
    private let hub: EventHub
    private let log: Log
    private let leaseTime: Int64
    private let leases: Mutex<Leases>
    private let queue = DispatchQueue(label: "trimd.leases")
    /// Not blocked by calls to the database.
    private let watching = DispatchQueue(label: "trimd.leases.watch")
    private let polling = DispatchQueue(label: "trimd.queue.poll")
    private var calls = RepeatedCalls()
    private var lastEvent: Int64?
    /// A look at the queue is due, since others have changed something.
    private let isDue = Mutex(false)

    /// Milliseconds between two looks for changes of others.
    private static let pollInterval = 2000
    /// Milliseconds in which changes of others become one look.
    private static let burst = 100
    /// The most events that one look reads.
    private static let page = 1000

    /// Nil if the daemon has the queue for itself.
    init?(store: any JobQueue, scheduler: Scheduler, recovery: Recovery, hub: EventHub, log: Log) {
        guard let leaseTime = store.leaseTime else { return nil }
        self.store = store
        self.scheduler = scheduler
        self.recovery = recovery
        self.hub = hub
        self.log = log
        self.leaseTime = leaseTime
        leases = Mutex(Leases(renewed: SharedQueue.uptime))
    }

    /// Renews from now on, four times a lease; looks for those of others that have ended more often.
    func start() {
        calls.add(every: Int(leaseTime) / 4, on: queue) { [self] in renew() }
        calls.add(every: Int(leaseTime) / 12, on: queue) { [self] in recover() }
        calls.add(every: Int(min(leaseTime / 60, 1000)), on: watching) { [self] in watch() }
        calls.add(every: SharedQueue.pollInterval, on: polling) { [self] in poll() }
        store.listen { [weak self] in self?.pollSoon() }
    }

    /// Others have changed something. Any thread.
    private func pollSoon() {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        polling.asyncAfter(deadline: .now() + .milliseconds(SharedQueue.burst)) { [weak self] in
            self?.isDue.withLock { $0 = false }
            self?.poll()
        }
    }

    /// This daemon ends, and its attempts have ended: others need not wait for anything of it.
    func leave() {
        calls.cancel()
        try? store.leave(store.owner)
    }

    /// Ends the workers when two thirds of the lease are over without a renewal: in the last third they, or what they write, are
    /// certainly gone before another daemon may take over.
    private func watch() {
        let mustEnd = leases.withLock { leases in
            guard !leases.areLost, SharedQueue.uptime - leases.renewed > leaseTime / 3 * 2 else {
                return false
            }
            leases.areLost = true
            return true
        }
        guard mustEnd else { return }
        log.error(
            "the leases could not be renewed for \(leaseTime / 3 * 2 / 1000) s: all exports are ended here")
        scheduler.abandonRuns()
    }

    private func renew() {
        // After a time in which this process stood still, the workers end first.
        watching.sync { watch() }
        let asked = SharedQueue.uptime
        do throws(MediaError) {
            try store.renew()
            let wereLost = leases.withLock { leases in
                defer { leases = Leases(renewed: asked) }
                return leases.areLost
            }
            if wereLost { log.info("the queue can be reached again") }
        } catch { log.warning("the leases are not renewed now: \(error)") }
    }

    /// Recovers what others had begun that are gone, and what this daemon had to leave.
    private func recover() {
        do throws(MediaError) {
            let taken = try store.takeOver()
            for job in taken {
                log.warning("job \(job.id) is taken over: the lease of its daemon has ended", about: job)
            }
            let ids = Set(taken.map(\.id))
            let left = try scheduler.orphans().filter { !ids.contains($0.id) }
            let told: (Job) -> Void = { [hub] in hub.changed($0.report()) }
            try recovery.recover(taken, counted: true, why: Recovery.takenOver, done: told)
            try recovery.recover(left, counted: false, why: Recovery.left, done: told)
            if !taken.isEmpty || !left.isEmpty { scheduler.othersChanged([]) }
        } catch { log.debug("nothing can be taken over now: \(error)") }
    }

    /// Looks for what others have changed; also starts what has become ready.
    private func poll() {
        do throws(MediaError) {
            guard let last = lastEvent else { return lastEvent = try store.lastEvent() }
            let events = try store.events(for: .all, after: last, since: nil, limit: SharedQueue.page)
            lastEvent = events.last?.id ?? last
            scheduler.othersChanged(Set(events.map(\.job)))
        } catch { log.debug("no look at the queue now: \(error)") }
    }

    /// Milliseconds since the machine was booted, its sleep included.
    private static var uptime: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

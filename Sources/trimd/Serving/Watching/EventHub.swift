// EventHub: the watchers of jobs, and the progress of running jobs. Every watcher gets every change; progress is thinned to
// each watcher's interval, and a slow reader gets only the latest. It runs on its own queue, on which nothing is read; `latest`
// can be called from any thread. It decides no state.
internal import CLinux
internal import Dispatch
internal import JobQueue
internal import Media
internal import MediaTime
internal import Synchronization
internal import Wire

/// The watchers of jobs.
///
/// `@unchecked Sendable`: `watchers` is accessed on `queue` only.
final class EventHub: @unchecked Sendable {
    private struct Watcher {
        let subscriber: any Subscriber
        let viewer: Caller
        var ids: Set<Int64>?
        var interval: Int64
        var lastSent: [Int64: Int64] = [:]
        var pending: [Int64: Progress] = [:]
        var boundaries: Boundaries
        /// Changes that wait until the present state has been sent; nil: changes are sent at once.
        var held: [Message]?

        func sees(_ job: Int64, of user: UInt32) -> Bool {
            viewer.sees(jobsOf: user) && (ids?.contains(job) ?? true)
        }
    }

    private let queue = DispatchQueue(label: "trimd.events")
    private var watchers: [ObjectIdentifier: Watcher] = [:]
    private let progresses = Mutex<[Int64: Progress]>([:])
    /// The units that running jobs make now, by their names.
    private let making = Mutex<[Int64: [String]]>([:])
    /// Jobs whose last change is not stored yet, in their expected state.
    private let unwritten = Mutex<[Int64: JobReport]>([:])
    private let events: EventLongPoll?
    private let isDraining = Mutex(false)

    /// A hub without watchers; `events` is notified of changes.
    init(events: EventLongPoll? = nil) { self.events = events }

    /// The default interval between two progress notifications, in seconds.
    static let usualInterval = Time(1, 4)

    /// The progress of a job that has run or failed since the daemon started.
    func latest(_ job: Int64) -> Progress? { progresses.withLock { $0[job] } }

    /// A job as its user sees it now.
    func report(of job: Job) -> JobReport {
        var report = unwritten.withLock { $0[job.id] } ?? job.report(progress: latest(job.id))
        // Of a job that another node runs, that one says it.
        if job.live == nil { report.units?.making = making.withLock { $0[job.id] } }
        return withDraining(report)
    }

    /// Something was changed elsewhere that nobody watches: who waits for events is answered.
    func hear() { events?.poke() }

    /// Whether anybody watches. Waits for the hub's queue.
    var isWatched: Bool { queue.sync { !watchers.isEmpty } }

    /// A running job makes these units now.
    func makes(_ job: Int64, _ units: [UnitName]) {
        making.withLock { $0[job] = units.isEmpty ? nil : units.map(\.description) }
    }

    /// Adds jobs to a subscriber's watch (nil: all it may see). `present` reads and sends the present state on the caller's
    /// queue, so that a thousand rows block no other client. Changes that happen meanwhile are sent after it; none is lost.
    func watch(_ subscriber: any Subscriber, _ viewer: Caller, _ params: WatchParams, present: () -> Void) {
        let interval = EventHub.nanoseconds(params.interval ?? EventHub.usualInterval)
        let key = ObjectIdentifier(subscriber)
        queue.sync {
            let ids = params.ids.map(Set.init)
            if var known = watchers[key] {
                if let old = known.ids, let ids { known.ids = old.union(ids) } else { known.ids = nil }
                known.interval = interval
                known.boundaries.add(params.boundaries ?? [])
                known.held = []
                watchers[key] = known
            } else {
                var boundaries = Boundaries()
                boundaries.add(params.boundaries ?? [])
                watchers[key] = Watcher(
                    subscriber: subscriber, viewer: viewer, ids: ids, interval: interval,
                    boundaries: boundaries, held: [])
                // Keeps the connection open even if the client has closed its sending side.
                subscriber.hold()
            }
        }
        present()
        queue.async { [self] in
            let held = watchers[key]?.held ?? []
            watchers[key]?.held = nil
            for message in held { subscriber.send(message) }
        }
    }

    /// Removes a subscriber that has disconnected.
    func forget(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber)
        queue.async { self.watchers[key] = nil }
    }

    /// Removes jobs that were deleted.
    func forget(_ jobs: [Int64]) {
        progresses.withLock { known in for job in jobs { known[job] = nil } }
        events?.poke()
    }

    /// The report as it is sent: a waiting job says so if the daemon drains.
    private func withDraining(_ report: JobReport) -> JobReport {
        var report = report
        if report.status == .waiting, isDraining.withLock(\.self) { report.draining = true }
        return report
    }

    /// Sends the state of a job that cannot be stored yet, with the reason.
    func foreseen(_ job: Job, _ error: MediaError) {
        var report = job.report(progress: latest(job.id))
        report.warnings.append(
            Warning(
                .notRecorded,
                "this is not in the queue yet, and is written there as soon as that can be done: \(error)"))
        unwritten.withLock { $0[job.id] = report }
        changed(report)
    }

    /// The job's last change has been stored.
    func written(_ job: Job) {
        let before = unwritten.withLock { $0.removeValue(forKey: job.id) }
        changed(job.report(progress: latest(job.id)), again: before?.status.isFinal ?? false)
    }

    /// Sends a changed state to every watcher. `again`: the same state was sent as a foreseen one.
    func changed(_ report: JobReport, again: Bool = false) {
        let report = withDraining(report)
        if report.status != .exporting {
            progresses.withLock { known in
                // A failed job keeps its progress, so that its report says how far it came.
                if report.status != .failed && report.status != .cancelled { known[report.id] = nil }
            }
        }
        events?.poke()
        queue.async { [self] in
            // Most changes have no watcher; skip the JSON for those.
            guard !watchers.isEmpty,
                let message = try? Message.notification(Notification.jobChanged.rawValue, encoding: report)
            else { return }
            for (key, watcher) in watchers where watcher.sees(report.id, of: report.user) {
                watchers[key]?.pending[report.id] = nil
                if report.status.isFinal, !again {
                    watchers[key]?.lastSent[report.id] = nil
                    let range = report.status == .completed ? report.actual : nil
                    sendBoundaries(
                        watchers[key]?.boundaries.end(report.id, range) ?? [], of: report.id, to: key)
                }
                send(message, to: key)
            }
        }
    }

    /// Notifies every watcher that draining has begun or ended.
    func drains(_ isOn: Bool) {
        isDraining.withLock { $0 = isOn }
        queue.async { [self] in
            let notification = ServerDraining(draining: isOn)
            guard
                let message = try? Message.notification(
                    Notification.serverDraining.rawValue, encoding: notification)
            else { return }
            for watcher in watchers.values { watcher.subscriber.send(message) }
        }
    }

    /// Sends the progress of a running job; `start` is its in point, if known.
    func progressed(_ job: Int64, of user: UInt32, _ progress: Progress, from start: Time? = nil) {
        progresses.withLock { $0[job] = progress }
        relay(job, of: user, progress, from: start)
    }

    /// Sends the progress of a job that runs here or on another node.
    func relay(_ job: Int64, of user: UInt32, _ progress: Progress, from start: Time?) {
        queue.async { [self] in
            let now = trim_monotonic_ns()
            for (key, watcher) in watchers where watcher.sees(job, of: user) {
                if let time = progress.time {
                    let passed = watchers[key]?.boundaries.pass(job, from: start, to: time) ?? []
                    sendBoundaries(passed, of: job, to: key)
                }
                let wait = (watcher.lastSent[job] ?? .min / 2) + watcher.interval - now
                if wait <= 0 {
                    send(job, progress, to: key, at: now)
                } else {
                    let isFirst = watcher.pending[job] == nil
                    watchers[key]?.pending[job] = progress
                    if isFirst { sendLater(job, to: key, after: wait) }
                }
            }
        }
    }

    // MARK: on the hub's queue

    private func sendBoundaries(_ passed: [Time], of job: Int64, to key: ObjectIdentifier) {
        for time in passed {
            let boundary = JobBoundary(id: job, boundary: time)
            let method = Notification.jobBoundary.rawValue
            guard let message = try? Message.notification(method, encoding: boundary) else { continue }
            send(message, to: key)
        }
    }

    /// Sends a message that must not be dropped.
    private func send(_ message: Message, to key: ObjectIdentifier) {
        if watchers[key]?.held != nil {
            watchers[key]?.held?.append(message)
        } else {
            watchers[key]?.subscriber.send(message)
        }
    }

    private func sendLater(_ job: Int64, to key: ObjectIdentifier, after wait: Int64) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(wait))) { [self] in
            guard let progress = watchers[key]?.pending.removeValue(forKey: job) else { return }
            send(job, progress, to: key, at: trim_monotonic_ns())
        }
    }

    private func send(_ job: Int64, _ progress: Progress, to key: ObjectIdentifier, at now: Int64) {
        dispatchPrecondition(condition: .onQueue(queue))
        watchers[key]?.lastSent[job] = now
        watchers[key]?.pending[job] = nil
        let method = Notification.jobProgress.rawValue
        guard let message = try? Message.notification(method, encoding: JobProgress(id: job, progress)) else {
            return
        }
        watchers[key]?.subscriber.sendDroppable(message, key: "progress.\(job)")
    }

    /// An interval in nanoseconds, from 1/100 s to an hour.
    static func nanoseconds(_ interval: Time) -> Int64 {
        guard interval.isNumeric else { return 250_000_000 }
        return Int64(min(max(interval.seconds, 0.01), 3600) * 1_000_000_000)
    }
}

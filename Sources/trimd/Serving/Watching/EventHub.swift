// EventHub: who watches which jobs, and the present progress of those that run. Changes reach every watcher;
// progress is thinned to each watcher's interval, and only the latest waits for one that reads slowly. It
// lives on a queue of its own, on which nothing is read; `latest` may be asked from anywhere. It decides no state.
internal import CLinux
internal import Dispatch
internal import JobQueue
internal import Media
internal import MediaTime
internal import Synchronization
internal import Wire

/// The watchers of jobs.
///
/// `@unchecked Sendable`: `watchers` is touched on `queue` only.
final class EventHub: @unchecked Sendable {
    private struct Watcher {
        let subscriber: any Subscriber
        let viewer: Caller
        var ids: Set<Int64>?
        var interval: Int64
        var lastSent: [Int64: Int64] = [:]
        var pending: [Int64: Progress] = [:]
        var boundaries: Boundaries
        /// The present state is being read for it: changes wait until it has been told that; nil: they go at once.
        var held: [Message]?

        func sees(_ job: Int64, of user: UInt32) -> Bool {
            viewer.sees(jobsOf: user) && (ids?.contains(job) ?? true)
        }
    }

    private let queue = DispatchQueue(label: "trimd.events")
    private var watchers: [ObjectIdentifier: Watcher] = [:]
    private let progresses = Mutex<[Int64: Progress]>([:])
    /// Jobs whose last change is not in the queue yet, as they will be.
    private let unwritten = Mutex<[Int64: JobReport]>([:])
    private let events: EventLongPoll?
    private let isDraining = Mutex(false)

    /// A hub without watchers; `events` hears that there is something new to tell.
    init(events: EventLongPoll? = nil) { self.events = events }

    /// Seconds between two progress notifications where a watcher does not say.
    static let usualInterval = Time(1, 4)

    /// How far a job is, where it runs or failed in this life of the daemon.
    func latest(_ job: Int64) -> Progress? { progresses.withLock { $0[job] } }

    /// A job as its user sees it now.
    func report(of job: Job) -> JobReport {
        told(unwritten.withLock { $0[job.id] } ?? job.report(progress: latest(job.id)))
    }

    /// Adds jobs to what a subscriber watches (nil: all it may see). `present` reads and tells the present state, on the
    /// caller's queue: a thousand rows hold up nobody else. What happens meanwhile is told after it, and nothing is lost
    /// between.
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
                // It listens even where it has finished asking.
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

    /// A subscriber has gone.
    func forget(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber)
        queue.async { self.watchers[key] = nil }
    }

    /// Jobs are no longer on record.
    func forget(_ jobs: [Int64]) {
        progresses.withLock { known in for job in jobs { known[job] = nil } }
        events?.poke()
    }

    /// A job as it is told: one that waits while no job is started says so.
    private func told(_ report: JobReport) -> JobReport {
        var report = report
        if report.status == .waiting, isDraining.withLock(\.self) { report.draining = true }
        return report
    }

    /// A job has come to a state that cannot be written down yet: it is told, with why.
    func foreseen(_ job: Job, _ error: MediaError) {
        var report = job.report(progress: latest(job.id))
        report.warnings.append(
            Warning(
                .notRecorded,
                "this is not in the queue yet, and is written there as soon as that can be done: \(error)"))
        unwritten.withLock { $0[job.id] = report }
        changed(report)
    }

    /// A job's last change is in the queue.
    func written(_ job: Job) {
        let before = unwritten.withLock { $0.removeValue(forKey: job.id) }
        changed(job.report(progress: latest(job.id)), again: before?.status.isFinal ?? false)
    }

    /// A job's state has changed: every watcher hears of it. `again`: it was told as it would be.
    func changed(_ report: JobReport, again: Bool = false) {
        let report = told(report)
        if report.status != .exporting {
            progresses.withLock { known in
                // That of a failed job stays, so that its report says how far it came.
                if report.status != .failed && report.status != .cancelled { known[report.id] = nil }
            }
        }
        events?.poke()
        queue.async { [self] in
            // Most changes have nobody who watches; those cost no JSON.
            guard !watchers.isEmpty,
                let message = try? Message.notification(Notification.jobChanged.rawValue, encoding: report)
            else { return }
            for (key, watcher) in watchers where watcher.sees(report.id, of: report.user) {
                watchers[key]?.pending[report.id] = nil
                if report.status.isFinal, !again {
                    watchers[key]?.lastSent[report.id] = nil
                    let range = report.status == .completed ? report.actual : nil
                    tell(watchers[key]?.boundaries.end(report.id, range) ?? [], of: report.id, to: key)
                }
                send(message, to: key)
            }
        }
    }

    /// Whether jobs are started has changed: every watcher hears of it.
    func drains(_ isOn: Bool) {
        isDraining.withLock { $0 = isOn }
        queue.async { [self] in
            let told = ServerDraining(draining: isOn)
            guard
                let message = try? Message.notification(Notification.serverDraining.rawValue, encoding: told)
            else { return }
            for watcher in watchers.values { watcher.subscriber.send(message) }
        }
    }

    /// A running job is so far; `start` is its in point, where that is known.
    func progressed(_ job: Int64, of user: UInt32, _ progress: Progress, from start: Time? = nil) {
        progresses.withLock { $0[job] = progress }
        queue.async { [self] in
            let now = trim_monotonic_ns()
            for (key, watcher) in watchers where watcher.sees(job, of: user) {
                if let time = progress.time {
                    let passed = watchers[key]?.boundaries.pass(job, from: start, to: time) ?? []
                    tell(passed, of: job, to: key)
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

    private func tell(_ passed: [Time], of job: Int64, to key: ObjectIdentifier) {
        for time in passed {
            let boundary = JobBoundary(id: job, boundary: time)
            let method = Notification.jobBoundary.rawValue
            guard let message = try? Message.notification(method, encoding: boundary) else { continue }
            send(message, to: key)
        }
    }

    /// Sends what nobody may miss.
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

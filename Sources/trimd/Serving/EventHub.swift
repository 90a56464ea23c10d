// EventHub: who watches which jobs, and the present progress of those that run. Changes reach every watcher;
// progress is thinned to each watcher's interval, and only the latest waits for one that reads slowly. It
// lives on a queue of its own; `latest` may be asked from anywhere. It reads no database and decides no
// state.
internal import CLinux
internal import Dispatch
internal import Media
internal import MediaTime
internal import Synchronization
internal import Wire

/// The watchers of jobs.
///
/// `@unchecked Sendable`: `watchers` is touched on `queue` only.
final class EventHub: @unchecked Sendable {
    private struct Watcher {
        let connection: Connection
        let viewer: Caller
        var ids: Set<Int64>?
        var interval: Int64
        var lastSent: [Int64: Int64] = [:]
        var pending: [Int64: Progress] = [:]
        var boundaries: Boundaries

        func sees(_ job: Int64, of user: UInt32) -> Bool {
            viewer.sees(jobsOf: user) && (ids?.contains(job) ?? true)
        }
    }

    private let queue = DispatchQueue(label: "trimd.events")
    private var watchers: [ObjectIdentifier: Watcher] = [:]
    private let progresses = Mutex<[Int64: Progress]>([:])
    private let events: EventLine?
    private let isDraining = Mutex(false)

    /// A hub without watchers; `events` hears that there is something new to tell.
    init(events: EventLine? = nil) { self.events = events }

    /// Seconds between two progress notifications where a watcher does not say.
    static let usualInterval = Time(1, 4)

    /// How far a job is, where it runs or failed in this life of the daemon.
    func latest(_ job: Int64) -> Progress? { progresses.withLock { $0[job] } }

    /// Adds jobs to what a connection watches (nil: all it may see). `answer` runs before anything that
    /// happens from now on is told; what it throws undoes nothing.
    func watch(_ connection: Connection, _ viewer: Caller, _ params: WatchParams, answer: () -> Void) {
        let interval = EventHub.nanoseconds(params.interval ?? EventHub.usualInterval)
        queue.sync {
            let key = ObjectIdentifier(connection)
            let ids = params.ids.map(Set.init)
            if var known = watchers[key] {
                if let old = known.ids, let ids { known.ids = old.union(ids) } else { known.ids = nil }
                known.interval = interval
                known.boundaries.add(params.boundaries ?? [])
                watchers[key] = known
            } else {
                var boundaries = Boundaries()
                boundaries.add(params.boundaries ?? [])
                watchers[key] = Watcher(
                    connection: connection, viewer: viewer, ids: ids, interval: interval,
                    boundaries: boundaries)
                // It listens even where it has finished asking.
                connection.hold()
            }
            answer()
        }
    }

    /// A connection has ended.
    func forget(_ connection: Connection) {
        queue.async { self.watchers[ObjectIdentifier(connection)] = nil }
    }

    /// Jobs are no longer on record.
    func forget(_ jobs: [Int64]) {
        progresses.withLock { known in for job in jobs { known[job] = nil } }
        events?.poke()
    }

    /// A job as it is told: one that waits while no job is started says so.
    func told(_ report: JobReport) -> JobReport {
        var report = report
        if report.status == .waiting, isDraining.withLock(\.self) { report.draining = true }
        return report
    }

    /// A job's state has changed: every watcher hears of it.
    func changed(_ report: JobReport) {
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
                if report.status.isFinal {
                    watchers[key]?.lastSent[report.id] = nil
                    let range = report.status == .completed ? report.actual : nil
                    tell(watchers[key]?.boundaries.end(report.id, range) ?? [], of: report.id, to: key)
                }
                watcher.connection.send(message)
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
            for watcher in watchers.values { watcher.connection.send(message) }
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
            watchers[key]?.connection.send(message)
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
        watchers[key]?.connection.sendDroppable(message, key: "progress.\(job)")
    }

    /// An interval in nanoseconds, from 1/100 s to an hour.
    static func nanoseconds(_ interval: Time) -> Int64 {
        guard interval.isNumeric else { return 250_000_000 }
        return Int64(min(max(interval.seconds, 0.01), 3600) * 1_000_000_000)
    }
}

// Follows jobs to their end, also through a restart of the daemon: a lost connection is made anew for some seconds, and
// the jobs are watched again by their numbers. It prints nothing itself but that; what a change means, the command
// decides in its closures.
internal import Media
internal import MediaTime
internal import Wire

/// Follows jobs until all have ended.
final class JobFollower {
    /// What to do when the user wants to stop.
    enum Decision {
        /// Go on following.
        case follow
        /// Cancel the jobs and go on following; also after a new connection.
        case cancel
        /// Follow no longer.
        case stop
    }

    /// A job's state is new or has changed.
    var onChange: (JobReport) -> Void = { _ in }
    /// A job has moved on.
    var onProgress: (JobProgress) -> Void = { _ in }
    /// The user has asked to stop, so many times by now.
    var onInterrupt: (_ count: Int) -> Decision = { _ in .stop }
    /// Something that a user should know while waiting.
    var onNotice: (String) -> Void = { _ in }
    /// Nobody reads any more.
    var isAbandoned: () -> Bool = { false }

    /// Seconds for which a lost daemon is waited for.
    var patience = 30.0

    /// The jobs' latest states.
    private(set) var jobs: [Int64: JobReport] = [:]
    private let daemon: DaemonConnection
    private let ids: [Int64]?
    private let interval: Time?
    private var isCancelling = false
    private var isWatching = false

    /// A follower of some jobs, or of all and for ever.
    init(_ daemon: DaemonConnection, _ ids: [Int64]?, interval: Time? = nil) {
        self.daemon = daemon
        self.ids = ids
        self.interval = interval
    }

    /// All jobs have ended; never, where all jobs are followed.
    var isDone: Bool { ids.map { $0.allSatisfy { jobs[$0]?.status.isFinal == true } } ?? false }

    /// Follows; true when all have ended, false where the user stopped it.
    func run() throws(MediaError) -> Bool {
        while true {
            do throws(MediaError) {
                if !isWatching { try watch() }
                while !isDone {
                    if isAbandoned() { return false }
                    if try !daemon.waitForEvent(), try !interrupted() { return false }
                    takeEvents()
                }
                return true
            } catch {
                // Ctrl-C may also come while an answer is awaited.
                if error.code == .operationCancelled {
                    if try !interrupted() { return false }
                } else if error.code == .noDaemon, daemon.mayReturn, isWatching {
                    guard try reconnect() else { return false }
                } else {
                    throw error
                }
            }
        }
    }

    private func watch() throws(MediaError) {
        let present = try daemon.watch(ids, interval: interval)
        isWatching = true
        for job in present { take(job) }
        takeEvents()
        if isCancelling { try cancel() }
    }

    private func takeEvents() {
        for event in daemon.takeEvents() {
            switch event {
            case .changed(let job): take(job)
            case .progress(let progress):
                if jobs[progress.id]?.status.isFinal != true { onProgress(progress) }
            case .draining(let isOn): for job in jobs.values { take(job.draining(isOn)) }
            }
        }
    }

    private func take(_ job: JobReport) {
        if let ids, !ids.contains(job.id) { return }
        if jobs.updateValue(job, forKey: job.id) != job { onChange(job) }
    }

    /// Asks what the wish to stop means; false where it means to stop.
    private func interrupted() throws(MediaError) -> Bool {
        switch onInterrupt(daemon.interrupts.drain()) {
        case .follow: return true
        case .stop: return false
        case .cancel:
            isCancelling = true
            do throws(MediaError) {
                try cancel()
            } catch {
                // Without a connection it is said again after the next one.
                if error.code != .noDaemon { throw error }
            }
            return true
        }
    }

    private func cancel() throws(MediaError) {
        for id in ids ?? [] where jobs[id]?.status.isFinal != true {
            do throws(MediaError) {
                take(try daemon.commit(.jobCancel, JobParams(id: id)))
            } catch {
                // It ended before the wish came.
                if error.code == .noDaemon || error.code == .jobNotFound { throw error }
            }
        }
    }

    /// Waits for the daemon to come back; false where the user stopped it.
    private func reconnect() throws(MediaError) -> Bool {
        isWatching = false
        onNotice("the connection to trimd was lost; connecting again")
        let limit = Terminal.now + patience
        while Terminal.now < limit {
            do throws(MediaError) {
                try daemon.connect()
                return true
            } catch {
                if error.code != .noDaemon, error.code != .operationCancelled { throw error }
            }
            if !daemon.pause(milliseconds: 200), try !interrupted() { return false }
        }
        let names = (ids ?? []).map(String.init).joined(separator: " ")
        throw MediaError(
            .noDaemon,
            "the connection to trimd was lost, and it did not come back within \(Units.duration(patience))",
            remedy: names.isEmpty
                ? DaemonError.remedy : "its queue is kept: `trimctl wait \(names)` when it runs again")
    }
}

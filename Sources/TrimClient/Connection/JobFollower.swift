// Follows jobs to their end, also through a restart of the daemon: it reconnects for some seconds, and watches the jobs again
// by ID. It prints nothing: its user handles changes in its closures.
package import Media
package import MediaTime
package import Wire

/// Follows jobs until all have ended.
package final class JobFollower {
    /// The reaction to a stop request.
    package enum Decision {
        /// Continue.
        case follow
        /// Cancel the jobs and continue; also after reconnecting.
        case cancel
        /// Watch the jobs again: the interval or the boundaries have changed.
        case watchAgain
        /// Stop following.
        case stop
    }

    /// Called with a job's new or changed state.
    package var onChange: (JobReport) -> Void = { _ in }
    /// Called with a job's progress.
    package var onProgress: (JobProgress) -> Void = { _ in }
    /// Called when a job has passed one of the boundaries.
    package var onBoundary: (JobBoundary) -> Void = { _ in }
    /// Called on a stop request, with the number of requests so far.
    package var onInterrupt: (_ count: Int) -> Decision = { _ in .stop }
    /// Called with a message for the user while waiting.
    package var onNotice: (String) -> Void = { _ in }
    /// Whether the reader of the output is gone.
    package var isAbandoned: () -> Bool = { false }

    /// How long to wait for a lost daemon.
    package var patience = DaemonConnection.patienceWithLost
    /// The least time between two progress notifications of a job; nil: the daemon's own.
    package var interval: Time?
    /// Times of the source; each is reported when a job passes it.
    package var boundaries: [Time]?

    /// The latest state of each job.
    package private(set) var jobs: [Int64: JobReport] = [:]
    private let daemon: DaemonConnection
    private let ids: [Int64]?
    private var isCancelling = false
    private var isWatching = false

    /// Creates a follower of some jobs, or of all jobs without end.
    package init(_ daemon: DaemonConnection, _ ids: [Int64]?, interval: Time? = nil) {
        self.daemon = daemon
        self.ids = ids
        self.interval = interval
    }

    /// Whether all jobs have ended; always false when following all jobs.
    package var isDone: Bool { ids.map { $0.allSatisfy { jobs[$0]?.status.isFinal == true } } ?? false }

    /// Follows; true when all have ended, false if the user stopped it.
    package func run() throws(MediaError) -> Bool {
        while true {
            do throws(MediaError) {
                if !isWatching { try watch() }
                while !isDone {
                    if isAbandoned() { return false }
                    if !isWatching { try watch() }
                    if try !daemon.waitForEvent(), try !interrupted() { return false }
                    takeEvents()
                }
                return true
            } catch {
                // Ctrl-C may also come while waiting for a response.
                if error.code == .operationCancelled {
                    if try !interrupted() { return false }
                } else if error.code == .noDaemon, daemon.mayReturn, daemon.descriptor != nil {
                    // The job is on record, whether or not this connection had begun to watch it.
                    guard try reconnect() else { return false }
                } else {
                    throw error
                }
            }
        }
    }

    private func watch() throws(MediaError) {
        let present = try daemon.watch(ids, interval: interval, boundaries: boundaries)
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
            case .boundary(let passed): onBoundary(passed)
            case .draining(let isOn): for job in jobs.values { take(job.draining(isOn)) }
            }
        }
    }

    private func take(_ job: JobReport) {
        if let ids, !ids.contains(job.id) { return }
        if jobs.updateValue(job, forKey: job.id) != job { onChange(job) }
    }

    /// Handles a stop request; false to stop.
    private func interrupted() throws(MediaError) -> Bool {
        switch onInterrupt(daemon.interrupts.drain()) {
        case .follow: return true
        case .watchAgain:
            isWatching = false
            return true
        case .stop: return false
        case .cancel:
            isCancelling = true
            do throws(MediaError) {
                try cancel()
            } catch {
                // Without a connection it is repeated after reconnecting.
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
                // The job ended before the request.
                if error.code == .noDaemon || error.code == .jobNotFound { throw error }
            }
        }
    }

    /// Waits for the daemon to return; false if the user interrupts.
    private func reconnect() throws(MediaError) -> Bool {
        isWatching = false
        onNotice(DaemonError.losing)
        let answer = try daemon.awaitReturn(within: patience) { () throws(MediaError) in try !interrupted() }
        switch answer {
        case .connected: return true
        case .stopped: return false
        case .away: break
        }
        let names = (ids ?? []).map(String.init).joined(separator: " ")
        throw MediaError(
            .noDaemon,
            "the connection to trimd was lost, and it did not come back within \(patience.components.seconds) s",
            remedy: names.isEmpty
                ? daemon.remedy : "its queue is kept: `trimctl wait \(names)` when it runs again")
    }
}

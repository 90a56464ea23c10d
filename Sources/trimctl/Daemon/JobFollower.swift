// Follows jobs to their end, also through a restart of the daemon: it reconnects for some seconds, and watches the jobs again
// by ID. It prints only that; the command handles changes in its closures.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// Follows jobs until all have ended.
final class JobFollower {
    /// The reaction to a stop request.
    enum Decision {
        /// Continue.
        case follow
        /// Cancel the jobs and continue; also after reconnecting.
        case cancel
        /// Stop following.
        case stop
    }

    /// Called with a job's new or changed state.
    var onChange: (JobReport) -> Void = { _ in }
    /// Called with a job's progress.
    var onProgress: (JobProgress) -> Void = { _ in }
    /// Called on a stop request, with the number of requests so far.
    var onInterrupt: (_ count: Int) -> Decision = { _ in .stop }
    /// Called with a message for the user while waiting.
    var onNotice: (String) -> Void = { _ in }
    /// Whether the reader of the output is gone.
    var isAbandoned: () -> Bool = { false }

    /// Seconds to wait for a lost daemon.
    var patience = 30.0

    /// The latest state of each job.
    private(set) var jobs: [Int64: JobReport] = [:]
    private let daemon: DaemonConnection
    private let ids: [Int64]?
    private let interval: Time?
    private var isCancelling = false
    private var isWatching = false

    /// Creates a follower of some jobs, or of all jobs without end.
    init(_ daemon: DaemonConnection, _ ids: [Int64]?, interval: Time? = nil) {
        self.daemon = daemon
        self.ids = ids
        self.interval = interval
    }

    /// Whether all jobs have ended; always false when following all jobs.
    var isDone: Bool { ids.map { $0.allSatisfy { jobs[$0]?.status.isFinal == true } } ?? false }

    /// Follows; true when all have ended, false if the user stopped it.
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

    /// Handles a stop request; false to stop.
    private func interrupted() throws(MediaError) -> Bool {
        switch onInterrupt(daemon.interrupts.drain()) {
        case .follow: return true
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
                ? daemon.remedy : "its queue is kept: `trimctl wait \(names)` when it runs again")
    }
}

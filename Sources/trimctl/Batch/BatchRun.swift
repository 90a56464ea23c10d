// Runs a batch: submits as many exports as may wait or run at once, follows them to their end, even across a restart of the
// daemon, and cancels the rest after a failure if requested, or when the user stops. One thread. The display decides what to
// show.
internal import Glibc
internal import Media
internal import TrimClient
internal import Wire

/// Runs planned exports.
final class BatchRun {
    /// All exports, with their outcomes.
    private(set) var items: [BatchItem]
    /// The user stopped it.
    private(set) var isInterrupted = false
    /// Why it ended before its exports did.
    private(set) var failure: MediaError?

    private let daemon: DaemonConnection
    private let display: BatchDisplay
    /// Maximum number of unfinished jobs of the batch.
    private var limit: Int
    private let failsFast: Bool
    private let shard: ShardRun?
    private var itemIndices: [Int64: Int] = [:]
    private var next = 0
    private var active = 0
    private var isEnding = false
    private var isDraining = false
    private var needsRefresh = false
    private var hasGivenUp = false

    /// Seconds to wait for a lost daemon.
    private static let patience = 30.0

    init(
        _ items: [BatchItem], _ daemon: DaemonConnection, _ display: BatchDisplay, limit: Int?,
        failsFast: Bool, shard: ShardRun? = nil
    ) {
        self.shard = shard
        self.items = items
        self.daemon = daemon
        self.display = display
        self.limit = limit ?? .max
        self.failsFast = failsFast
    }

    /// Runs until all have ended, the daemon is lost for good, or the user stops waiting.
    func run() {
        do throws(MediaError) {
            try runAll()
        } catch {
            failure = error
        }
        for index in items.indices where items[index].outcome == .waiting {
            if items[index].job == nil {
                items[index].outcome = .notStarted
            } else {
                items[index].outcome = hasGivenUp ? .cancelled : .failed
                items[index].error = failure
            }
        }
    }

    private func runAll() throws(MediaError) {
        for index in items.indices {
            guard let job = items[index].job, items[index].outcome == .waiting else { continue }
            itemIndices[job.id] = index
            active += 1
        }
        // Other hosts know nothing of what only this daemon has on record.
        for item in items where item.outcome == .completed && item.recorded == nil { record(item) }
        try watch()
        for index in items.indices where items[index].outcome == .waiting {
            guard let job = items[index].job else { continue }
            if job.status == .held { _ = try? daemon.commit(.jobRelease, JobParams(id: job.id)) as JobReport }
        }
        if active > 0 { needsRefresh = true }
        while true {
            do throws(MediaError) {
                if needsRefresh { try refresh() }
                try submit()
                takeEvents()
                if active == 0, next >= items.count || isEnding { break }
                // An ended job made room.
                if next < items.count, active < limit, !isEnding { continue }
                if try !daemon.waitForEvent() { try interrupted() }
                takeEvents()
            } catch {
                if error.code == .operationCancelled, !hasGivenUp {
                    try interrupted()
                } else if error.code == .noDaemon, daemon.mayReturn {
                    try reconnect()
                } else {
                    throw error
                }
            }
        }
    }

    private func givingUp() -> MediaError {
        hasGivenUp = true
        return MediaError(.operationCancelled, "not waiting any longer; what runs goes on being cancelled")
    }

    private func watch() throws(MediaError) {
        // All jobs of this user: jobs submitted later need no separate call.
        let _: [JobReport] = try daemon.call(.jobWatch, WatchParams())
        _ = daemon.takeEvents()
    }

    /// Submits while there is room and no stop was requested.
    private func submit() throws(MediaError) {
        while next < items.count, active < limit, !isEnding {
            guard items[next].outcome == .waiting, items[next].job == nil else {
                next += 1
                continue
            }
            guard daemon.pause(milliseconds: 0) else { return try interrupted() }
            do throws(MediaError) {
                try shard?.check()
            } catch {
                try end()
                throw error
            }
            do throws(MediaError) {
                let job = try submit(items[next])
                itemIndices[job.id] = next
                active += 1
                take(job)
                next += 1
            } catch {
                if error.code == .noDaemon || error.code == .operationCancelled { throw error }
                if error.code == .limitReached, active > 0 {
                    // The daemon accepts no more jobs of this user for now.
                    limit = active
                    return
                }
                (items[next].outcome, items[next].error) = (.failed, error)
                display.ended(items[next])
                next += 1
                if failsFast { try end() }
            }
        }
    }

    private func submit(_ item: BatchItem) throws(MediaError) -> JobReport {
        if let stale = item.stale {
            do throws(MediaError) {
                let _: JobReport = try daemon.commit(.jobRemove, JobParams(id: stale))
            } catch {
                if error.code != .jobNotFound { throw error }
            }
        }
        try shard?.journal.begin(item)
        var request = item.request
        let left = items[next...].lazy.filter { $0.outcome == .waiting && $0.job == nil }
        request.concurrency = left.prefix(min(limit, SubmitParams.concurrencies.upperBound)).count
        return try daemon.submit(request)
    }

    private func takeEvents() {
        for event in daemon.takeEvents() {
            switch event {
            case .changed(let job): take(job)
            case .progress(let progress):
                if itemIndices[progress.id] != nil { display.show(progress, at: Terminal.now) }
            case .boundary: break  // none is asked for
            case .draining(let isOn): report(draining: isOn)
            }
        }
    }

    /// Reports once why the batch does not progress.
    private func report(draining isOn: Bool) {
        guard isOn != isDraining else { return }
        isDraining = isOn
        display.say("trimctl: " + (isOn ? JobReport.drainingWords : "trimd starts jobs again"))
    }

    /// Updates a job's state; a failure may end the batch.
    private func take(_ job: JobReport) {
        guard let index = itemIndices[job.id], items[index].outcome == .waiting else { return }
        if job.draining == true { report(draining: true) }
        items[index].job = job
        guard job.status.isFinal else { return display.show(job, at: Terminal.now) }
        active -= 1
        items[index].outcome =
            job.status == .completed ? .completed : job.status == .failed ? .failed : .cancelled
        if items[index].outcome == .completed { record(items[index]) }
        display.ended(items[index])
        if failsFast, job.status == .failed, !isEnding {
            do throws(MediaError) {
                try end()
            } catch {
                needsRefresh = true
            }
        }
    }

    /// Records what is completed, for other runs of the shard.
    private func record(_ item: BatchItem) {
        do throws(MediaError) {
            try shard?.journal.complete(item)
        } catch {
            display.say("trimctl: \(ErrorText.line(error))")
        }
    }

    /// Queries jobs believed unfinished: events during the disconnection were lost.
    private func refresh() throws(MediaError) {
        for (id, index) in itemIndices where items[index].outcome == .waiting {
            take(try daemon.call(.jobGet, JobParams(id: id)))
        }
        needsRefresh = false
        if isEnding { try cancel() }
    }

    private func interrupted() throws(MediaError) {
        let count = daemon.interrupts.drain()
        if !isEnding, let shard {
            do throws(MediaError) { try shard.check() } catch {
                display.say("trimctl: \(ErrorText.line(error))")
            }
        }
        isInterrupted = true
        guard count < 2 else { throw givingUp() }
        display.say("trimctl: cancelling what is left; Ctrl-C again stops waiting for that")
        try end()
    }

    /// Stops submitting and cancels submitted jobs.
    private func end() throws(MediaError) {
        isEnding = true
        try cancel()
    }

    /// Cancels from the last job on, so that none starts because an earlier one ended.
    private func cancel() throws(MediaError) {
        for (id, index) in itemIndices.sorted(by: { $0.value > $1.value })
        where items[index].outcome == .waiting {
            do throws(MediaError) {
                take(try daemon.commit(.jobCancel, JobParams(id: id)))
            } catch {
                // It ended before the request arrived.
                if error.code == .noDaemon { throw error }
            }
        }
    }

    private func reconnect() throws(MediaError) {
        display.say("trimctl: \(DaemonError.losing)")
        let limit = Terminal.now + BatchRun.patience
        while Terminal.now < limit {
            do throws(MediaError) {
                try daemon.connect()
                try watch()
                needsRefresh = true
                return
            } catch {
                if error.code != .noDaemon, error.code != .operationCancelled { throw error }
            }
            if !daemon.pause(milliseconds: 200), daemon.interrupts.drain() > 1 { throw givingUp() }
        }
        throw MediaError(
            .noDaemon,
            "the connection to trimd was lost, and it did not come back within \(Units.duration(BatchRun.patience))",
            remedy: "its queue is kept: the same command with --resume goes on when it runs again")
    }
}

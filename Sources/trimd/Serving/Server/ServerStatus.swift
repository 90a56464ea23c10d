// server.status: the daemon's state in numbers.
internal import Glibc
internal import JobQueue
internal import Media
internal import Wire

extension ServerService {
    /// `server.status`
    func status(_ caller: Caller) throws(MediaError) -> StatusResult {
        var counts: [String: Int] = [:]
        for (status, count) in try store.counts(for: caller.viewer) { counts[status.rawValue] = count }
        var status = StatusResult(
            version: trimdVersion, pid: getpid(), user: geteuid(), since: since,
            workers: configuration.workers, jobs: counts, state: configuration.state,
            freeBytes: try freeState(), socket: configuration.socket.description)
        status.busy = scheduler.busy
        status.processors = configuration.processors
        let budget = scheduler.presentBudget
        status.busyProcessors = budget.usedProcessors
        (status.memoryBytes, status.reservedMemoryBytes) = (budget.memory, budget.usedMemory)
        status.draining = scheduler.isDraining
        if scheduler.isRefusing { status.refusing = true }
        status.oldestWaiting = try store.oldestWaiting()
        status.damagedQueue = loss.damaged
        status.lostJobs = loss.jobs.isEmpty ? nil : loss.jobs
        status.protocolVersion = HelloResult.currentProtocol
        status.queueVersion = store.version
        // It names a host and a user of the database.
        status.queue = configuration.queue == nil || !caller.seesAll ? nil : store.place
        status.sandbox = SandboxStatus(policy: configuration.sandbox.rawValue, pool.seal)
        return status
    }
}

// StateFolder: the folder of the queue and the logs, created if missing, and locked by one daemon at a time. The kernel
// releases the lock when the process ends. The value owns the lock.
internal import FoundationEssentials
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The state directory, locked.
struct StateFolder: ~Copyable, Sendable {
    let path: String
    private let lock: Descriptor

    /// The queue's database.
    var queueFile: String { path + "/queue.db" }
    /// The folder of the jobs' logs.
    var logs: String { path + "/logs" }
    /// The folder of the records of temporary files.
    var unfinished: String { path + "/unfinished" }

    /// The folder of files that clients pipe in or out.
    var spool: SpoolRoot { SpoolRoot(path: path + "/spool") }

    /// Opens the records of temporary files.
    func unfinishedFiles() throws(MediaError) -> UnfinishedFiles {
        try forUser(unfinished) { () throws(SystemError) in try UnfinishedFiles(folder: unfinished) }
    }

    /// Creates the folder if missing and locks it; throws if another daemon has locked it.
    init(_ path: String) throws(MediaError) {
        try StateFolder.make(path, mode: 0o700)
        for folder in ["/logs", "/unfinished", "/spool"] { try StateFolder.make(path + folder, mode: 0o700) }
        let lock = try StateFolder.locked(path)
        self.path = path
        self.lock = lock
    }

    /// Opens the queue that several daemons share. The owner before this one has ended, since its lock on the folder is gone: what it
    /// had begun need not wait for the end of its lease.
    func openShared(
        _ setting: String, node: QueueNode, owner: String, limits: Limits
    ) throws(MediaError) -> any JobQueue {
        let store = try JobStore(
            postgresql: setting, node: node, owner: owner, policy: limits.policy,
            leaseTime: Int64(limits.leaseSeconds) * 1000)
        if let before = StateFolder.text(of: ownerFile), !before.isEmpty { try store.leave(before) }
        try forUser(ownerFile) { () throws(SystemError) in
            let file = try Descriptor(opening: ownerFile, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
            Kernel.write(owner, to: file.rawValue)
        }
        return store
    }

    /// The name of this host.
    static var hostName: String { text(of: "/proc/sys/kernel/hostname") ?? "localhost" }

    private static func text(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }?
            .split(separator: "\n").first.map(String.init)
    }

    /// Who owns the attempts of the daemon that runs, or ran last.
    private var ownerFile: String { path + "/owner" }

    /// Opens the queue. A damaged database is moved aside and a new queue created. Job IDs are never reused: the logs and the
    /// records of temporary files give the highest one, even if a damaged or removed write-ahead log silently took jobs from
    /// the tables. The loss is returned, and logged as an error.
    func openQueue(
        owner: String, policy: QueuePolicy, logs: JobLogs, log: Log
    ) throws(MediaError) -> (any JobQueue, QueueLoss) {
        var loss = QueueLoss()
        let store: any JobQueue
        do throws(MediaError) {
            store = try JobStore(file: queueFile, owner: owner, policy: policy)
        } catch {
            guard error.code == .queueDamaged else { throw error }
            let aside = "\(queueFile).damaged-\(Moment.now.milliseconds)"
            // The WAL first: SQLite would apply it to the new database.
            for ending in ["-wal", "-shm", ""] where Kernel.mayAccess(queueFile + ending, F_OK) {
                try forUser(queueFile + ending) { () throws(SystemError) in
                    try Kernel.rename(queueFile + ending, to: aside + ending)
                }
            }
            log.error("THE QUEUE IS DAMAGED: \(error.message)")
            log.error(
                "it was moved to \(aside), and a new, empty queue is begun; jobs that waited must be submitted again"
            )
            loss.damaged = aside
            store = try JobStore(file: queueFile, owner: owner, policy: policy)
        }
        let last = try store.lastJob()
        let known = max(logs.lastJob, try unfinishedFiles().lastJob)
        guard known > last || loss.damaged != nil else { return (store, loss) }
        loss.jobs = logs.jobs.filter { $0 > last }
        if let words = loss.words { log.error("THE QUEUE HAS LOST JOBS: \(words)") }
        // Clients ask for events after the last one they saw. That number is lost; there were fewer events than milliseconds.
        try store.skipNumbers(jobs: known, events: Moment.now.milliseconds)
        return (store, loss)
    }

    private static func locked(_ path: String) throws(MediaError) -> Descriptor {
        let lock = try forUser(path) { () throws(SystemError) in
            try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
        }
        guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            throw MediaError(
                .limitReached, "another trimd has its state in \(path)",
                remedy: "end it, or give another --state")
        }
        return lock
    }

    /// Creates a folder and its missing parents.
    static func make(_ path: String, mode: mode_t) throws(MediaError) {
        do throws(SystemError) {
            _ = try Kernel.makeFolder(path, mode: mode)
        } catch {
            guard error.code == ENOENT, let (parent, _) = FileName.split(path), parent != "/" else {
                throw MediaError(error, path)
            }
            try make(parent, mode: 0o755)
            _ = try forUser(path) { () throws(SystemError) in try Kernel.makeFolder(path, mode: mode) }
        }
    }
}

// StateFolder: the folder of the queue and the logs, made where it is missing, and held by one daemon at a
// time. The lock goes with the process, however that ends. Whoever holds the value holds the folder.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The folder of the state, locked.
struct StateFolder: ~Copyable, Sendable {
    let path: String
    private let lock: Descriptor

    /// The queue's file.
    var queueFile: String { path + "/queue.db" }
    /// The folder of the jobs' logs.
    var logs: String { path + "/logs" }
    /// The folder of the notes of temporary files.
    var unfinished: String { path + "/unfinished" }

    /// Makes the folder where it is missing and locks it; throws where another daemon has it.
    init(_ path: String) throws(MediaError) {
        try StateFolder.make(path, mode: 0o700)
        for folder in ["/logs", "/unfinished"] { try StateFolder.make(path + folder, mode: 0o700) }
        let lock = try StateFolder.locked(path)
        self.path = path
        self.lock = lock
    }

    /// Opens the queue. Where its file is damaged, that is moved aside, and a new queue begun. In either case jobs get
    /// numbers nobody had before: the logs and the notes of temporary files tell the highest, also where a damaged or removed
    /// write-ahead log took jobs from the tables without an error. What was lost is in the answer, and said as loudly as can
    /// be.
    func openQueue(
        daemon: String, policy: QueuePolicy, logs: JobLogs, log: Log
    ) throws(MediaError) -> (any JobQueue, QueueLoss) {
        var loss = QueueLoss()
        let store: any JobQueue
        do throws(MediaError) {
            store = try JobStore(file: queueFile, daemon: daemon, policy: policy)
        } catch {
            guard error.code == .queueDamaged else { throw error }
            let aside = "\(queueFile).damaged-\(Moment.now.milliseconds)"
            // The log first: SQLite would take it for that of the new file.
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
            store = try JobStore(file: queueFile, daemon: daemon, policy: policy)
        }
        let last = try store.lastJob()
        let known = max(logs.lastJob, UnfinishedFiles(folder: unfinished).lastJob)
        guard known > last || loss.damaged != nil else { return (store, loss) }
        loss.jobs = logs.jobs.filter { $0 > last }
        if let words = loss.words { log.error("THE QUEUE HAS LOST JOBS: \(words)") }
        // Who follows events asks for what comes after the last it saw. Nobody knows that number any more; there were not as
        // many events as milliseconds.
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

    /// Makes a folder and those above it.
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

// Checkpoints: moves the WAL's pages into the database concurrently with the changes instead of between them, so that no client
// waits for it. While changes come without a pause none of these reaches the end of the WAL, so that it would only grow: where it
// has become larger than the database, whoever makes the changes empties the file between two of them, since another connection would
// hardly ever find their lock free. Once no change comes any more, a last one empties it. It has its
// own connection on its own queue; after a failed checkpoint the next one catches up, and only disk space is lost until then.
//
// `unsafe` here: stat fills a struct, gone when the call returns.
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import Text

/// The checkpoints of a database.
///
/// `@unchecked Sendable`: variables are accessed on `queue` only.
final class Checkpoints: @unchecked Sendable {
    private let queue = DispatchQueue(label: "trimd.store.checkpoint", qos: .utility)
    private let database: Database
    private var changes = 0
    private var last = DispatchTime.now()
    /// The WAL is to be emptied once no change comes any more.
    private var isDue = false
    /// The WAL has become too large, and is to be emptied between two changes.
    private let isTooLarge = Mutex(false)

    /// Changes between two checkpoints.
    private static let interval = 125
    /// The pages up to which the WAL may be larger than the database: 1 MiB.
    private static let smallest: Int64 = 256
    /// How long no change has come when the WAL is emptied, and the bytes that it may keep then.
    private static let pause = DispatchTimeInterval.seconds(5), spared = 512 << 10
    /// How long the end of the daemon waits for a disk.
    private static let patience = DispatchTimeInterval.seconds(5)
    private static let emptying = "PRAGMA wal_checkpoint(TRUNCATE)"

    /// Checkpoints of a file that another connection keeps open.
    init(file: String) throws(DatabaseError) {
        let queue = queue
        database = try queue.sync {
            Result { () throws(DatabaseError) in try Database(reading: file, on: queue) }
        }.get()
    }

    /// Closes the connection until `connect`.
    func disconnect() { queue.sync { database.disconnect() } }

    /// Reopens the connection.
    func connect() throws(DatabaseError) {
        let failure = queue.sync { () -> DatabaseError? in
            do throws(DatabaseError) { try database.connect() } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Counts committed changes.
    func count(_ number: Int) {
        queue.async { [self] in
            changes += number
            last = .now()
            if changes >= Checkpoints.interval { checkpoint() }
            emptyLater()
        }
    }

    /// Empties the WAL: no change comes any more. It waits some seconds at most.
    func finish() {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { [self] in
            empty()
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + Checkpoints.patience)
    }

    private func checkpoint() {
        changes = 0
        guard let pages = try? database.rows("PRAGMA wal_checkpoint(PASSIVE)", []).first?.integer(1),
            let all = try? database.integer("PRAGMA page_count"), pages > max(all, Checkpoints.smallest)
        else { return }
        isTooLarge.withLock { $0 = true }
    }

    /// Empties the WAL if it has become too large.
    /// - Parameter database: the connection that makes the changes; on its queue, between two of them.
    func empty(betweenChangesOf database: Database) {
        let isTime = isTooLarge.withLock { isTooLarge in
            defer { isTooLarge = false }
            return isTooLarge
        }
        guard isTime else { return }
        _ = try? database.rows(Checkpoints.emptying, [])
    }

    private func emptyLater() {
        guard !isDue else { return }
        isDue = true
        queue.asyncAfter(deadline: .now() + Checkpoints.pause) { [weak self] in
            guard let self else { return }
            isDue = false
            guard .now() >= last + Checkpoints.pause else { return emptyLater() }
            // Readers may be in the way.
            if size > Checkpoints.spared, !empty() { emptyLater() }
        }
    }

    /// The bytes of the WAL. It opens nothing, which would drop SQLite's locks.
    private var size: Int {
        var status = stat()
        return unsafe stat((database.file + "-wal").nameBytes, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Moves what is left and truncates the file; false if a reader or the disk was in the way.
    @discardableResult
    private func empty() -> Bool {
        changes = 0
        return (try? database.rows(Checkpoints.emptying, []).first?.integer(0)) == 0
    }
}

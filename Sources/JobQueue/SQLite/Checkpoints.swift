// Checkpoints: moves the WAL's pages into the database concurrently with the changes instead of between them, so that no client
// waits for it. It has its own connection on its own queue; after a failed checkpoint the next one catches up, and only disk
// space is lost until then.
internal import Dispatch

/// The checkpoints of a database.
///
/// `@unchecked Sendable`: variables are accessed on `queue` only.
final class Checkpoints: @unchecked Sendable {
    private let queue = DispatchQueue(label: "trimd.store.checkpoint", qos: .utility)
    private let database: Database
    private var changes = 0

    /// Changes between two checkpoints.
    private static let interval = 250

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
            guard changes >= Checkpoints.interval else { return }
            changes = 0
            _ = try? database.run("PRAGMA wal_checkpoint(PASSIVE)")
        }
    }
}

// Checkpoints: the write-ahead log's pages go into the database beside the changes and not between them, so that no
// client waits for that. It has a connection of its own on a queue of its own; where a checkpoint fails, the next one
// does its work too, and nothing is lost but some disk space until then.
internal import Dispatch

/// The checkpoints of a database.
///
/// `@unchecked Sendable`: everything but the constants is touched on `queue` only.
final class Checkpoints: @unchecked Sendable {
    private let queue = DispatchQueue(label: "trimd.store.checkpoint", qos: .utility)
    private let database: Database
    private var changes = 0

    /// So many changes come between two checkpoints.
    private static let interval = 250

    /// Checkpoints of a file that another connection keeps open.
    init(file: String) throws(DatabaseError) {
        let queue = queue
        database = try queue.sync {
            Result { () throws(DatabaseError) in try Database(reading: file, on: queue) }
        }.get()
    }

    /// Closes the connection, for `connect` to open it again.
    func disconnect() { queue.sync { database.disconnect() } }

    /// Opens the connection again.
    func connect() throws(DatabaseError) {
        let failure = queue.sync { () -> DatabaseError? in
            do throws(DatabaseError) { try database.connect() } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// So many changes were committed.
    func count(_ number: Int) {
        queue.async { [self] in
            changes += number
            guard changes >= Checkpoints.interval else { return }
            changes = 0
            _ = try? database.run("PRAGMA wal_checkpoint(PASSIVE)")
        }
    }
}

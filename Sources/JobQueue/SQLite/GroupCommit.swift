// GroupCommit: commits many changes in one transaction. A caller enqueues its change, has the store's queue perform all
// enqueued ones, and waits for its own. Each change has its own savepoint, so that one that fails rolls back no other. A COMMIT
// costs a disk sync; concurrent clients share it. Each caller returns after the COMMIT of its change, or with its error.
internal import Dispatch
internal import Synchronization

/// The changes enqueued for a database.
final class GroupCommit: Sendable {
    /// One change: its body and its outcome.
    ///
    /// `@unchecked Sendable`: `failure` is written on the store's queue, and read by the caller after that.
    fileprivate final class Change: @unchecked Sendable {
        let body: (Database) throws -> Void
        var failure: (any Error)?
        let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping (Database) throws -> Void) { self.body = body }
    }

    /// An enqueued change.
    struct PendingChange {
        fileprivate let change: Change

        /// Waits until the change is on the disk; throws its error.
        func conclude() throws {
            change.done.wait()
            if let failure = change.failure { throw failure }
        }
    }

    private let line = Mutex<[Change]>([])

    /// Enqueues a change.
    func add(_ body: @escaping (Database) throws -> Void) -> PendingChange {
        let change = Change(body)
        line.withLock { $0.append(change) }
        return PendingChange(change: change)
    }

    /// Performs the enqueued changes and returns their number. On the store's queue.
    func perform(in database: Database) -> Int {
        let changes = line.withLock { line in
            defer { line = [] }
            return line
        }
        guard !changes.isEmpty else { return 0 }
        do {
            try database.transaction {
                for change in changes { try perform(change, in: database) }
            }
        } catch {
            // None of them is on the disk.
            for change in changes where change.failure == nil { change.failure = error }
        }
        for change in changes { change.done.signal() }
        return changes.count
    }

    private func perform(_ change: Change, in database: Database) throws {
        try database.execute("SAVEPOINT change")
        do {
            try change.body(database)
        } catch {
            // Some errors (a full disk) roll back the whole transaction; then the savepoint is gone.
            guard database.isInTransaction else { throw error }
            try database.execute("ROLLBACK TO change")
            change.failure = error
        }
        try database.execute("RELEASE change")
    }
}

// Writing: changes of the queue, many to a COMMIT. Whoever wants a change puts it into the line, has the store's
// queue do what stands there, and waits for its own; all that stand in the line are done in one transaction, each in
// a savepoint of its own, so that one that fails takes no other with it. A COMMIT costs a sync of the disk; with many
// clients at once they share it. Each caller returns after the COMMIT of its own change, or with its error.
internal import Dispatch
internal import Synchronization

/// The line of changes before a database.
final class GroupCommit: Sendable {
    /// One change: what to do, and how it went.
    ///
    /// `@unchecked Sendable`: `failure` is written on the store's queue, and read by the caller after it was there.
    fileprivate final class Change: @unchecked Sendable {
        let body: (Database) throws -> Void
        var failure: (any Error)?
        let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping (Database) throws -> Void) { self.body = body }
    }

    /// A place in the line.
    struct Place {
        fileprivate let change: Change

        /// Waits until the change is on the disk; throws what went wrong.
        func conclude() throws {
            change.done.wait()
            if let failure = change.failure { throw failure }
        }
    }

    private let line = Mutex<[Change]>([])

    /// Takes a place in the line.
    func add(_ body: @escaping (Database) throws -> Void) -> Place {
        let change = Change(body)
        line.withLock { $0.append(change) }
        return Place(change: change)
    }

    /// Does what stands in the line, and says how much that was. On the store's queue.
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
            // Some errors (a full disk) end the whole transaction; then there is no savepoint to go back to.
            guard database.isInTransaction else { throw error }
            try database.execute("ROLLBACK TO change")
            change.failure = error
        }
        try database.execute("RELEASE change")
    }
}

// A connection and its statements end the program where they are used off their queue: in a process of its own, each.
import Dispatch
import Testing

@testable import JobQueue

/// A connection, and a statement of it, that were made on their queue.
private final class Opened {
    let queue = DispatchQueue(label: "test.database")
    let database: Database
    let statement: Statement

    /// Opened, and deleted: a process that is ended at once deletes nothing.
    init() throws {
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let queue = queue
        database = try queue.sync { try Database(file: scratch.file, on: queue) }
        let database = database
        var made: Statement?
        try queue.sync { made = try Statement(database, "SELECT 1", []) }
        guard let made = made.take() else { preconditionFailure("it was made above") }
        statement = made
    }
}

@Suite struct WatchdogTests {
    /// That the others end is not for another reason.
    @Test func onItsQueueAConnectionWorks() async {
        await #expect(processExitsWith: .success) {
            let opened = try Opened()
            try opened.queue.sync {
                guard try opened.statement.step(), opened.statement.integer(0) == 1,
                    try opened.database.integer("SELECT 2") == 2
                else { preconditionFailure("SQLite does not answer") }
            }
        }
    }

    @Test func offItsQueueAConnectionEndsTheProgram() async {
        await #expect(processExitsWith: .failure) { try Opened().database.execute("SELECT 1") }
        await #expect(processExitsWith: .failure) { _ = try Opened().database.isInTransaction }
        await #expect(processExitsWith: .failure) { try Opened().database.disconnect() }
    }

    @Test func offItsQueueAStatementEndsTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = try Opened().statement.step() }
        await #expect(processExitsWith: .failure) { _ = try Opened().statement.integer(0) }
        await #expect(processExitsWith: .failure) { _ = try Opened().statement.text(0) }
    }
}

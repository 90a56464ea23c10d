// Statements are prepared once and used again, with nothing left of their last use.
import Dispatch
import Foundation
import Testing

@testable import JobQueue

struct StatementTests {
    private let queue = DispatchQueue(label: "statements")

    /// A database with one table of texts.
    private func withDatabase(_ body: (Database) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/statements-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try queue.sync {
            let database = try Database(file: folder + "/a.db", on: queue)
            try database.execute("CREATE TABLE t (a TEXT, b INTEGER UNIQUE) STRICT")
            try body(database)
        }
    }

    @Test func aTextIsPreparedOnce() throws {
        try withDatabase { database in
            let before = database.statements.count
            for number in 0..<5 {
                try database.run("INSERT INTO t VALUES (?, ?)", [.text("a"), .integer(Int64(number))])
            }
            #expect(database.statements.count == before + 1)
            #expect(try database.integer("SELECT count(*) FROM t") == 5)
            #expect(try database.integer("SELECT count(*) FROM t") == 5)
            #expect(database.statements.count == before + 2)
        }
    }

    @Test func nothingStaysBound() throws {
        try withDatabase { database in
            try database.run("INSERT INTO t VALUES (?, ?)", [.text("a"), .integer(1)])
            try database.run("INSERT INTO t VALUES (?, ?)", [.text("b")])
            #expect(try database.integer("SELECT count(*) FROM t WHERE b IS NULL") == 1)
        }
    }

    @Test func aStatementThatIsInUseIsNotShared() throws {
        try withDatabase { database in
            for number: Int64 in 0..<3 {
                try database.run("INSERT INTO t VALUES ('a', ?)", [.integer(number)])
            }
            let outer = try Statement(database, "SELECT b FROM t ORDER BY b", [])
            var seen: [Int64?] = []
            while try outer.step() {
                let inner = try Statement(database, "SELECT b FROM t ORDER BY b", [])
                #expect(try inner.step() && inner.integer(0) == 0)
                seen.append(outer.integer(0))
            }
            #expect(seen == [0, 1, 2])
        }
    }

    @Test func oneThatFailedWorksAgain() throws {
        try withDatabase { database in
            try database.run("INSERT INTO t VALUES ('a', ?)", [.integer(1)])
            #expect(throws: DatabaseError.self) {
                try database.run("INSERT INTO t VALUES ('a', ?)", [.integer(1)])
            }
            try database.run("INSERT INTO t VALUES ('a', ?)", [.integer(2)])
            #expect(try database.integer("SELECT count(*) FROM t") == 2)
        }
    }

    @Test func theyEndWithTheirConnection() throws {
        try withDatabase { database in
            try database.run("INSERT INTO t VALUES ('a', ?)", [.integer(1)])
            let open = try Statement(database, "SELECT a FROM t", [])
            #expect(try open.step())
            database.disconnect()
            #expect(database.statements.count == 0)
            try database.connect()
            #expect(try database.integer("SELECT count(*) FROM t") == 1)
        }
    }

    @Test func thereIsALimit() throws {
        try withDatabase { database in
            for number in 0..<1000 { _ = try database.integer("SELECT \(number)") }
            #expect(database.statements.count <= 128)
        }
    }
}

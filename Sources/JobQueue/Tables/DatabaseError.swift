// DatabaseError: the one error of the database layer, made from SQLite's result codes in Database.swift only.
// What a user sees of it is the MediaError made here; nothing is logged, nothing is tried again.
internal import CSQLite
internal import Media

/// A call to SQLite that failed: what was done, to which file, and why.
struct DatabaseError: Error, Hashable, CustomStringConvertible {
    /// SQLite's extended result code.
    let code: Int32
    /// What was being done.
    let act: String
    /// SQLite's own words.
    let cause: String
    /// The database file.
    let file: String

    /// The act, the file and the cause, as one sentence.
    var description: String { "\(file): \(act): \(cause)" }

    /// The primary result code.
    var primary: Int32 { code & 0xff }

    /// What a user is told.
    var media: MediaError {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            MediaError(
                .queueDamaged, "the queue's file is damaged: \(self)",
                remedy: "move the file aside (with its -wal and -shm) and start trimd again")
        case SQLITE_FULL:
            MediaError(.diskFull, "the queue cannot be written: \(self)", remedy: "make room there")
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            MediaError(.notWritable, "the queue cannot be opened for writing: \(self)")
        default: MediaError(.inputOutput, "the queue cannot be used: \(self)")
        }
    }
}

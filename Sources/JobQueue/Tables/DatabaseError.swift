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

    /// SQLite's own code for a file that is not where it was opened (SQLITE_READONLY_DBMOVED; the macro is not imported).
    static let moved = SQLITE_READONLY | 4 << 8

    /// The connection may not get over it by itself: an error in the middle of a lock leaves SQLite with one that nobody gives
    /// back. After one of reading or writing the connection is as it was; opened again, it would take a change for committed
    /// that was written and could not be synced.
    var breaksConnection: Bool {
        switch primary {
        case SQLITE_PROTOCOL, SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_MISUSE: true
        // Of the extended codes those of locks and of what is shared: UNLOCK 8, RDLOCK 9, CHECKRESERVEDLOCK 14, LOCK 15,
        // CLOSE 16, SHMOPEN 18, SHMSIZE 19, SHMLOCK 20, SHMMAP 21.
        case SQLITE_IOERR: [8, 9, 14, 15, 16, 18, 19, 20, 21].contains(code >> 8)
        default: false
        }
    }

    /// The primary result code.
    var primary: Int32 { code & 0xff }

    /// What a user is told.
    var media: MediaError {
        if code == DatabaseError.moved {
            return MediaError(
                .queueUnavailable, "the queue cannot be written: \(self)",
                remedy: "put it back where it was, or restart trimd: what is not there then is lost")
        }
        return switch primary {
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

// DatabaseError: the only error of the database layer, made from SQLite's result codes in Database.swift only. Users see the
// MediaError made here; nothing is logged or retried.
internal import CSQLite
internal import Media

/// A failed SQLite call: the act, the file and the cause.
struct DatabaseError: Error, Hashable, CustomStringConvertible {
    /// SQLite's extended result code.
    let code: Int32
    /// The act that failed.
    let act: String
    /// SQLite's message.
    let cause: String
    /// The database file.
    let file: String

    /// The act, the file and the cause, as one sentence.
    var description: String { "\(file): \(act): \(cause)" }

    /// SQLite's code for a file that was moved since it was opened (SQLITE_READONLY_DBMOVED; the macro is not imported).
    static let moved = SQLITE_READONLY | 4 << 8

    /// Whether the connection may not recover by itself: an error during a lock operation can leave SQLite with a lock that is
    /// never released. After a read or write error the connection is unchanged; reopened, it would treat a change as committed
    /// that was written but not synced.
    var breaksConnection: Bool {
        switch primary {
        case SQLITE_PROTOCOL, SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_MISUSE: true
        // The extended codes of locks and shared memory: UNLOCK 8, RDLOCK 9, CHECKRESERVEDLOCK 14, LOCK 15, CLOSE 16, SHMOPEN
        // 18, SHMSIZE 19, SHMLOCK 20, SHMMAP 21.
        case SQLITE_IOERR: [8, 9, 14, 15, 16, 18, 19, 20, 21].contains(code >> 8)
        default: false
        }
    }

    /// The primary result code.
    var primary: Int32 { code & 0xff }

    /// The error that users see.
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

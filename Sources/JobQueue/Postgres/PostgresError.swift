// PostgresError: the only error of the PostgreSQL layer, made from libpq's answers in PostgresConnection and Libpq only. Users see the
// MediaError made here; nothing is logged or retried. No error has the password in it.
internal import Media

/// A failed call to PostgreSQL.
struct PostgresError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure, and so what may help.
    enum Kind: Hashable {
        /// libpq is not installed.
        case noLibrary
        /// The setting cannot be read.
        case setting
        /// The server did not answer, or refused the connection.
        case unreachable
        /// The server knows the user or the password not.
        case authentication
        /// The server has no such database.
        case noDatabase
        /// The connection broke; whether a COMMIT that was under way succeeded is unknown.
        case lost
        /// The server refused a statement; with its SQLSTATE.
        case refused(String)
    }

    /// The kind of failure.
    let kind: Kind
    /// The act that failed.
    let act: String
    /// The cause, in the words of libpq or of the server.
    let cause: String
    /// The database, without the password.
    let place: String

    /// The place, the act and the cause, as one sentence.
    var description: String { "\(place): \(act): \(cause)" }

    /// Whether the connection is of no more use.
    var breaksConnection: Bool {
        switch kind {
        case .refused(let state): PostgresError.isOutage(state)
        default: true
        }
    }

    /// Whether the same change may succeed at once: it lost against another one, and nothing of it is stored.
    var isConflict: Bool {
        // Serialization failure, deadlock, time-out of a lock, and a key that another change has inserted at the same time.
        if case .refused(let state) = kind {
            ["40001", "40P01", "55P03", "23505"].contains(state)
        } else {
            false
        }
    }

    /// Whether a state of the server says that it can do nothing at the moment: it stops or starts, is a standby, or is out of space
    /// or connections.
    private static func isOutage(_ state: String) -> Bool {
        ["08", "53", "57", "58"].contains(state.prefix(2)) || state == "25006"
    }

    /// Sorts a connection that could not be made by the server's words, for which libpq has no code.
    static func connectionKind(_ message: String) -> Kind {
        let words = message.lowercased()
        func says(_ any: String...) -> Bool { any.contains { words.contains($0) } }
        if says("authentication failed", "no password supplied", "no pg_hba.conf entry")
            || says("role \"") && says("does not exist") || says("certificate", "ssl error")
        {
            return .authentication
        }
        if says("database \"") && says("does not exist") { return .noDatabase }
        return .unreachable
    }

    /// The error that users see.
    var media: MediaError {
        let message = "the queue cannot be reached: \(self)"
        switch kind {
        case .noLibrary: return MediaError(.queueUnavailable, message, remedy: "apt install libpq5")
        case .setting:
            return MediaError(
                .invalidRequest, "the setting 'queue': \(self)",
                remedy: "give \"postgresql://USER@HOST/DATABASE\" or \"service=NAME\"")
        case .authentication:
            return MediaError(
                .queueUnavailable, message,
                remedy:
                    "give the user's password in ~/.pgpass, and the user's right in the server's pg_hba.conf")
        case .noDatabase:
            return MediaError(
                .queueUnavailable, message, remedy: "create it with `createdb`, or name another in 'queue'")
        case .unreachable:
            return MediaError(
                .queueUnavailable, message,
                remedy: "see that PostgreSQL runs there and that the network lets trimd in")
        case .lost:
            return MediaError(.queueUnavailable, message, remedy: "try again: trimd connects again by itself")
        case .refused(let state) where PostgresError.isOutage(state):
            return MediaError(
                .queueUnavailable, message, remedy: "see the server's log; trimd tries again by itself")
        case .refused("42501"):
            return MediaError(
                .queueUnavailable, message,
                remedy: "let the user own the database, or the schema of the tables")
        case .refused("42P01"), .refused("42703"), .refused("XX001"), .refused("XX002"):
            return MediaError(.queueDamaged, "the queue's tables are damaged: \(self)")
        case .refused:
            return MediaError(.inputOutput, "the queue cannot be used: \(self)")
        }
    }
}

// Why a playlist is not taken. A value; the caller turns it into the error of its users.

/// Why a playlist is not taken, and where.
public struct PlaylistError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public enum Reason: Hashable, Sendable {
        /// It does not follow the rules of its format.
        case malformed
        /// It asks for what is refused on principle: live streams, encryption, files elsewhere.
        case refused
        /// It is larger than any real one.
        case tooLarge
    }

    /// The kind of reason.
    public var reason: Reason
    /// The line, counted from 1; nil: the whole playlist.
    public var line: Int?
    /// The cause, as a clause.
    public var message: String
    /// The remedy.
    public var remedy: String?

    /// Creates an error.
    public init(_ reason: Reason, line: Int? = nil, _ message: String, remedy: String? = nil) {
        self.reason = reason
        self.line = line
        self.message = message
        self.remedy = remedy
    }

    /// The line, then the cause.
    public var description: String { line.map { "line \($0): \(message)" } ?? message }
}

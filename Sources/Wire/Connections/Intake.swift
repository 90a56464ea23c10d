// How much has been read of a connection within the present second, and how long something has lasted. Pure values; their
// owner's queue is theirs, and it says what time it is.
internal import CLinux

/// What has come in within the present second.
struct Intake {
    private var began: Int64 = .min / 2
    private var messages = 0
    private var bytes = 0
    /// Somebody goes on reading later.
    var isResting = false

    private static let second: Int64 = 1_000_000_000

    /// Counts what was read.
    mutating func count(messages: Int = 0, bytes: Int = 0, at now: Int64 = trim_monotonic_ns()) {
        if now - began >= Intake.second { (began, self.messages, self.bytes) = (now, 0, 0) }
        self.messages += messages
        self.bytes += bytes
    }

    /// Nanoseconds until more may be read; nil: it may be now.
    func wait(under limits: Connection.Limits, at now: Int64 = trim_monotonic_ns()) -> Int64? {
        let left = began + Intake.second - now
        guard left > 0 else { return nil }
        return messages >= limits.messageRate ?? .max || bytes >= limits.byteRate ?? .max ? left : nil
    }
}

/// How long something has lasted that should not last for ever.
struct Stopwatch {
    /// When it began; nil: it is not so now.
    private(set) var since: Int64?
    /// Somebody looks again later.
    var isWatched = false

    /// It is so, and was perhaps before.
    mutating func start(at now: Int64 = trim_monotonic_ns()) { if since == nil { since = now } }

    /// It is not so any more.
    mutating func stop() { since = nil }

    /// Nanoseconds until it has lasted too long; nil where it is not so.
    func left(of milliseconds: Int, at now: Int64 = trim_monotonic_ns()) -> Int64? {
        since.map { $0 + Int64(milliseconds) * 1_000_000 - now }
    }
}

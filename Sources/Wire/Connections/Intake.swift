// Rates and timeouts of a connection: input in the current second, and the age of a condition. Pure values used on their
// owner's queue; the owner passes the time.
internal import CLinux

/// Input of the current second.
struct Intake {
    private var began: Int64 = .min / 2
    private var messages = 0
    private var bytes = 0
    /// Whether a later read is scheduled.
    var isResting = false

    private static let second: Int64 = 1_000_000_000

    /// Counts input.
    mutating func count(messages: Int = 0, bytes: Int = 0, at now: Int64 = trim_monotonic_ns()) {
        if now - began >= Intake.second { (began, self.messages, self.bytes) = (now, 0, 0) }
        self.messages += messages
        self.bytes += bytes
    }

    /// Nanoseconds until more may be read; nil: now.
    func wait(under limits: Connection.Limits, at now: Int64 = trim_monotonic_ns()) -> Int64? {
        let left = began + Intake.second - now
        guard left > 0 else { return nil }
        return messages >= limits.messageRate ?? .max || bytes >= limits.byteRate ?? .max ? left : nil
    }
}

/// Measures how long a condition has lasted, against a limit.
struct Stopwatch {
    /// When the condition began; nil: it does not hold.
    private(set) var since: Int64?
    /// Whether a later check is scheduled.
    var isWatched = false

    /// Starts, unless already running.
    mutating func start(at now: Int64 = trim_monotonic_ns()) { if since == nil { since = now } }

    /// Stops.
    mutating func stop() { since = nil }

    /// Nanoseconds until the limit; nil if it is not running.
    func left(of milliseconds: Int, at now: Int64 = trim_monotonic_ns()) -> Int64? {
        since.map { $0 + Int64(milliseconds) * 1_000_000 - now }
    }
}

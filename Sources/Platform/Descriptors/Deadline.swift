// Deadline: when a wait must end, on the monotonic clock, which changes of the date do not affect. A value.
internal import CLinux

/// A deadline on the monotonic clock.
public enum Deadline: Sendable {
    /// No deadline.
    case never
    /// Monotonic time in nanoseconds.
    case at(nanoseconds: Int64)

    /// The deadline after a duration from now; never, if nil.
    public init(after duration: Duration?) {
        guard let duration else {
            self = .never
            return
        }
        let parts = duration.components
        let seconds = min(max(parts.seconds, 0), 1_000_000_000)
        self = .at(
            nanoseconds: trim_monotonic_ns() + seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    }

    /// Whether it has passed.
    public var hasPassed: Bool {
        guard case .at(let moment) = self else { return false }
        return trim_monotonic_ns() >= moment
    }

    /// For poll: rounded up, at most an hour, -1 for no deadline.
    public var milliseconds: Int32 {
        guard case .at(let moment) = self else { return -1 }
        let left = max(moment - trim_monotonic_ns(), 0)
        return Int32(min((left + 999_999) / 1_000_000, 3_600_000))
    }
}

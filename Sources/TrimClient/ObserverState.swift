// One who observes the times of an export: when it is called. A value; the run keeps it.
internal import MediaTime

/// The state of an observer of times.
struct ObserverState {
    /// The least time between two calls; nil: it is not called periodically.
    let interval: Time?
    /// The times that were not passed yet.
    private(set) var boundaries: Set<Time>
    private let call: @Sendable (Time) -> Void
    private var told: ContinuousClock.Instant?
    /// The time told last. Of an export in chunks the daemon may report one that lies a little before it.
    private var reached: Time?

    /// Creates a periodic observer, or one of boundaries.
    init(interval: Time? = nil, boundaries: Set<Time> = [], call: @escaping @Sendable (Time) -> Void) {
        (self.interval, self.boundaries, self.call) = (interval, boundaries, call)
    }

    /// The call to make now that the export has reached a time; nil: none, or not yet.
    mutating func passing(_ time: Time, at now: ContinuousClock.Instant) -> (@Sendable (Time) -> Void)? {
        guard let interval, reached.map({ $0 < time }) ?? true else { return nil }
        if let told, Time(now - told) < interval { return nil }
        (told, reached) = (now, time)
        return call
    }

    /// The call to make now that the export has passed a boundary; nil: none.
    mutating func passing(boundary: Time) -> (@Sendable (Time) -> Void)? {
        boundaries.remove(boundary) == nil ? nil : call
    }
}

extension Time {
    /// A length of Swift's clocks, to the microsecond.
    init(_ duration: Duration) {
        let parts = duration.components
        let seconds = min(max(parts.seconds, -1_000_000_000), 1_000_000_000)
        self.init(seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000, 1_000_000)
    }
}

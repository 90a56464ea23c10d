// Observers of a running export, as a player has them.
public import MediaTime

/// An observer of an export's times, to remove it with.
public struct TimeObserver: Hashable, Sendable {
    let id: Int
}

extension ExportSession {
    /// Calls a closure with the source time that the export has reached, each time when that has grown.
    ///
    /// The closure runs on the session's own thread, and must return soon.
    /// - Parameters:
    ///   - interval: The least time between two calls, from 1/100 s to an hour.
    ///   - body: Called with the time.
    @discardableResult
    public func addPeriodicTimeObserver(
        forInterval interval: Time, using body: @escaping @Sendable (Time) -> Void
    ) -> TimeObserver {
        run.add(ObserverState(interval: interval, call: body))
    }

    /// Calls a closure once for each of these times of the source when the export passes it. Times outside the range are never
    /// passed.
    ///
    /// The closure runs on the session's own thread, and must return soon.
    /// - Parameters:
    ///   - times: At most 1000, those of all observers of the session together.
    ///   - body: Called with the time that was passed.
    @discardableResult
    public func addBoundaryTimeObserver(
        forTimes times: [Time], using body: @escaping @Sendable (Time) -> Void
    ) -> TimeObserver {
        run.add(ObserverState(boundaries: Set(times), call: body))
    }

    /// Removes an observer.
    public func removeTimeObserver(_ observer: TimeObserver) { run.remove(observer) }
}

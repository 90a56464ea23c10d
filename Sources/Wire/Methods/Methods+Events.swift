// Parameters and result of `events.since`. Pure values.
public import Media
public import MediaTime
public import Text

/// The parameters of `events.since`.
public struct EventsParams: Hashable, Codable, StrictDecodable, Sendable {
    /// Only events with larger IDs; nil: from the oldest kept.
    public var after: Int64?
    /// Only events of this moment and later.
    public var since: Moment?
    /// Maximum number of events, up to 1000; nil: 1000.
    public var limit: Int?
    /// Seconds to wait if there is no event yet, up to 300; nil: 0.
    @SpelledTimeIfAny public var wait: Time? = nil

    /// Creates parameters.
    public init(after: Int64? = nil, since: Moment? = nil, limit: Int? = nil, wait: Time? = nil) {
        self.after = after
        self.since = since
        self.limit = limit
        self.wait = wait
    }
}

/// The answer of `events.since`.
public struct EventsResult: Hashable, Codable, Sendable {
    /// The events, oldest first.
    public var events: [JobEvent]
    /// The `after` of the next call; no event is missed in between.
    public var last: Int64

    /// Creates an answer.
    public init(events: [JobEvent], last: Int64) {
        self.events = events
        self.last = last
    }
}

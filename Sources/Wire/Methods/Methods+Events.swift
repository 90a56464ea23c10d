// Parameters and result of `events.since`. Pure values.
public import Media
public import MediaTime

/// The parameters of `events.since`.
public struct EventsParams: Hashable, Codable, Sendable {
    /// Only events with larger IDs; nil: from the oldest kept.
    public var after: Int64?
    /// Only events of this moment and later.
    public var since: Moment?
    /// Maximum number of events, up to 1000; nil: 1000.
    public var limit: Int?
    /// Seconds to wait if there is no event yet, up to 300; nil: 0.
    public var wait: Time?

    /// Creates parameters.
    public init(after: Int64? = nil, since: Moment? = nil, limit: Int? = nil, wait: Time? = nil) {
        self.after = after
        self.since = since
        self.limit = limit
        self.wait = wait
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case after, since, limit, wait }

    /// Decodes; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        after = try values.may(.after, Int64.self)
        since = try values.may(.since, Moment.self)
        limit = try values.may(.limit, Int.self)
        guard let spelling = try values.may(.wait, TimeSpelling.self) else { return }
        guard let time = spelling.assetTime else {
            throw values.wrong(.wait, "is '\(spelling)', and must be a length of time")
        }
        wait = time
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

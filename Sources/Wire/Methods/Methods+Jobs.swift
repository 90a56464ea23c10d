// Parameters, results and notifications of the methods about jobs. Pure values.
public import Media
public import MediaTime
public import Text

/// The parameters of the methods about one job.
public struct JobParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The job ID.
    public var id: Int64

    /// Creates parameters.
    public init(id: Int64) { self.id = id }
}

/// The parameters of `job.modify`: what is left out stays as it is. Beside the priority, each key of `job.submit` but `input`, `key`
/// and `concurrency` is taken for a job that waits or is held; null is as if it had been left out when the job was submitted. Of `options`
/// and `metadata` each key replaces its own. It returns a `JobReport`.
public struct ModifyParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The job ID.
    public var id: Int64
    /// From 0 to 100; nil: unchanged.
    public var priority: Int?
    /// The other keys, with their new values.
    public var changes: [String: JSONValue]

    /// Creates parameters.
    public init(id: Int64, priority: Int? = nil, changes: [String: JSONValue] = [:]) {
        self.id = id
        self.priority = priority
        self.changes = changes
    }

    private enum CodingKeys: String, CodingKey { case id, priority }

    /// The keys of `changes`.
    public static let changeable = JSONValue.object(["input": "/"]).keys(knownTo: SubmitParams.self)
        .filter { !["input", "sources", "key", "concurrency", "priority"].contains($0) }

    /// Decodes; every key of `changes` is known.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(Int64.self, forKey: .id)
        priority = try values.decodeIfPresent(Int.self, forKey: .priority)
        changes = [:]
        let others = try decoder.container(keyedBy: JSONKey.self)
        for key in ModifyParams.changeable.map(JSONKey.init) where others.contains(key) {
            changes[key.stringValue] = try others.decode(JSONValue.self, forKey: key)
        }
    }

    /// Throws if the priority is out of its range.
    public func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.priority, priority, in: 0...100)
    }

    /// Encodes, with the changes among the other keys.
    public func encode(to encoder: any Encoder) throws {
        var all = JSONObject(changes)
        all["id"] = .int(id)
        all["priority"] = priority.map { .int(Int64($0)) }
        try JSONValue(.object(all)).encode(to: encoder)
    }
}

/// The parameters of `job.log`.
public struct LogParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The job ID.
    public var id: Int64
    /// Only what follows this many bytes of the log, at most 512 KiB: `next` of the answer before; nil: the log's end.
    public var from: Int64?

    /// Creates parameters.
    public init(id: Int64, from: Int64? = nil) {
        self.id = id
        self.from = from
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        if let from, from < 0 {
            throw InvalidValue(CodingKeys.from, "is \(from), and must not be negative")
        }
    }
}

/// The parameters of `job.list`. It returns an array of `JobReport`, newest first.
public struct ListParams: Hashable, Codable, StrictDecodable, Sendable {
    /// Maximum number of jobs, up to 1000; nil: 100.
    public var limit: Int?
    /// Only jobs older than this one (with smaller IDs): the next page.
    public var after: Int64?
    /// Only the caller's job submitted with this key; nil: any key.
    public var key: String?
    /// Only jobs with one of these statuses; nil: any.
    public var statuses: [JobStatus]?
    /// Only this user's jobs; nil: those of all users whose jobs the caller may see.
    public var user: UInt32?
    /// Only jobs accepted at this moment or later; nil: any.
    public var since: Moment?

    /// Creates parameters.
    public init(limit: Int? = nil, after: Int64? = nil, key: String? = nil) {
        self.limit = limit
        self.after = after
        self.key = key
    }
}

/// The parameters of `job.watch`. It returns an array with the current `JobReport` of each watched job; then notifications
/// follow until the connection ends.
public struct WatchParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The jobs to watch; nil: all of this user's, including later ones.
    public var ids: [Int64]?
    /// Minimum seconds between two progress notifications of a job; nil: 1/4.
    @SpelledTimeIfAny public var interval: Time? = nil
    /// Source times to report once per job when passed; at most 1000.
    @SpelledTimesIfAny public var boundaries: [Time]? = nil

    /// Creates parameters.
    public init(ids: [Int64]? = nil, interval: Time? = nil, boundaries: [Time]? = nil) {
        self.ids = ids
        self.interval = interval
        self.boundaries = boundaries
    }
}

/// The notification `job.boundary`.
public struct JobBoundary: Hashable, Codable, Sendable {
    /// The job ID.
    public var id: Int64
    /// The requested time.
    public var boundary: Time

    /// Creates a notification.
    public init(id: Int64, boundary: Time) {
        self.id = id
        self.boundary = boundary
    }
}

/// The notification `job.progress`.
public struct JobProgress: Hashable, Codable, Sendable {
    /// The job ID.
    public var id: Int64
    /// From 0 to 1; never decreases.
    public var progress: Double
    /// The current phase.
    public var phase: ExportPhase
    /// Seconds of media per second.
    public var speed: Double?
    /// Estimated seconds until done.
    public var remaining: Double?
    /// The source time reached.
    public var time: Time?

    /// Creates a notification from a job ID and progress.
    public init(id: Int64, _ progress: Progress) {
        self.id = id
        self.progress = progress.fraction
        phase = progress.phase
        speed = progress.speed
        remaining = progress.remaining
        time = progress.time
    }
}

/// The answer of `job.log`.
public struct LogResult: Hashable, Codable, Sendable {
    /// The job's log, in whole lines; the last 512 KiB if it is longer.
    public var text: String
    /// The bytes of the log up to the end of the text: what is added follows them.
    public var next: Int64?

    /// Creates an answer.
    public init(text: String, next: Int64? = nil) {
        self.text = text
        self.next = next
    }
}

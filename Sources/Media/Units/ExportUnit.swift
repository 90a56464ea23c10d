// The parts of an export that are made each in a process of its own: chunks of a video track, encoded audio tracks. Values that
// the worker makes, the daemon keeps, and another worker reads: what they mean is known in the worker only.
public import Text

/// A part of an export that one worker makes, in a file of its own.
public struct ExportUnit: Hashable, Codable, Sendable {
    /// The kinds of units.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// An interval of the output's video.
        case video
        /// An audio track.
        case audio
        /// An interval of the video in the first of two passes.
        case statistics
    }

    /// Its number; a later unit with the same number replaces it.
    public var number: Int
    /// Its kind.
    public var kind: Kind
    /// The number of its chunk, or the index of its audio track.
    public var index: Int
    /// The description of the work, for the worker.
    public var work: JSONValue
    /// Its share of the export, in seconds of the output.
    public var seconds: Double
    /// An estimate of the memory that its worker takes, in bytes.
    public var memory: Int64
    /// Whether more than one thread may encode: its bytes then differ from run to run.
    public var mayUseThreads: Bool
    /// The numbers of the units whose files its worker reads: they are made before it.
    public var inputs: [Int] = []
    /// Its work is decided when all units that can be made are made: until then it is only counted.
    @FalseIfMissing public var isPending = false

    /// The name that people are told.
    public var name: UnitName { UnitName(kind, index) }

    /// Creates a unit; without an index, that is its number.
    public init(
        number: Int, kind: Kind, index: Int? = nil, work: JSONValue, seconds: Double, memory: Int64,
        mayUseThreads: Bool = false
    ) {
        self.number = number
        self.kind = kind
        self.index = index ?? number
        self.work = work
        self.seconds = seconds
        self.memory = memory
        self.mayUseThreads = mayUseThreads
    }

    /// Creates a unit from its stored form, which may be that of a version without inputs and indices.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        number = try values.decode(Int.self, forKey: .number)
        kind = try values.decode(Kind.self, forKey: .kind)
        index = try values.decodeIfPresent(Int.self, forKey: .index) ?? number
        work = try values.decode(JSONValue.self, forKey: .work)
        seconds = try values.decode(Double.self, forKey: .seconds)
        memory = try values.decode(Int64.self, forKey: .memory)
        mayUseThreads = try values.decode(Bool.self, forKey: .mayUseThreads)
        inputs = try values.decodeIfPresent([Int].self, forKey: .inputs) ?? []
        _isPending = try values.decode(FalseIfMissing.self, forKey: .isPending)
    }
}

/// The report of a worker about the unit it made.
public struct UnitReport: Hashable, Codable, Sendable {
    /// The number of its unit.
    public var number: Int
    /// The size of its file in bytes.
    public var bytes: Int64
    /// The facts that the join must know, for the worker.
    public var details: JSONValue

    /// Creates a report.
    public init(number: Int, bytes: Int64, details: JSONValue) {
        self.number = number
        self.bytes = bytes
        self.details = details
    }
}

/// An export that is made in units and joined.
public struct UnitPlan: Hashable, Codable, Sendable {
    /// The part that all units and the join have in common, for the worker.
    public var plan: JSONValue
    /// Equal for plans whose units are interchangeable: it covers the request, the source, and the builds of trimd and of the
    /// codecs.
    public var fingerprint: String
    /// The units to make, or to make again.
    public var units: [ExportUnit]

    /// Creates a plan.
    public init(plan: JSONValue, fingerprint: String, units: [ExportUnit]) {
        self.plan = plan
        self.fingerprint = fingerprint
        self.units = units
    }
}

/// How a step of an export ended.
public enum ExportOutcome: Hashable, Codable, Sendable {
    /// The output is written.
    case finished(ExportResult)
    /// These units must be made before it is joined.
    case units(UnitPlan)
    /// It cannot be made in units, for this reason; it must be made as one.
    case whole(String)
}

/// How many units an export has.
public struct UnitCounts: Hashable, Codable, Sendable {
    /// All.
    public var total: Int
    /// Those that are made.
    public var done: Int
    /// Those that the last start of the job found made.
    public var kept: Int
    /// The names of those that are being made now; nil: not known here.
    public var making: [String]?

    /// Creates counts.
    public init(total: Int, done: Int, kept: Int) {
        self.total = total
        self.done = done
        self.kept = kept
    }
}

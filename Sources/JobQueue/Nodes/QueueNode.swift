// QueueNode: what one of the daemons that share a queue is and has, as it says itself. A value.
public import Media

/// One of several daemons that share a queue; or the only one.
public struct QueueNode: Hashable, Sendable {
    /// Its name, the same after each of its starts.
    public var name: String
    /// Its version of trimd.
    public var version: String
    /// The name of its host.
    public var host = ""
    /// The number of the user that it runs as.
    public var user: UInt32 = 0
    /// The processors that its exports share.
    public var processors = 0
    /// How many of them they use.
    public var busyProcessors = 0
    /// The bytes of memory that its exports share.
    public var memory: Int64 = 0
    /// The most exports that run there at once.
    public var workers = 0
    /// The tags that its settings give it.
    public var tags: [String] = []
    /// The named roots that are there now, with the right markers.
    public var roots: [String] = []
    /// It starts no more jobs, and says so itself.
    public var isDraining = false
    /// Where its named roots are; this is not stored.
    public var paths = RootNames()

    /// A node from its parts.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// Its abilities: those words that jobs may need.
    public var abilities: Set<String> {
        Set(tags + roots.map(Needs.root) + [Needs.node(name)])
    }
}

/// A node as the queue knows it.
public struct NodeRecord: Hashable, Sendable {
    /// Its own description when it was last heard.
    public var node: QueueNode
    /// When it started, by the clock of the queue.
    public var started: Moment
    /// When it was last heard, by the same clock.
    public var heard: Moment
    /// The time of the queue when this was read.
    public var now: Moment
    /// Its lease has ended, or it said that it ends.
    public var isGone: Bool
    /// It is ordered to start no more jobs.
    public var isDraining: Bool
    /// It is the one that answers.
    public var isThis: Bool
    /// The jobs of its attempts, those with the lowest IDs.
    public var jobs: [Int64]

    /// The most jobs that `jobs` names.
    public static let mostJobs = 50
    /// The most nodes that are listed.
    public static let most = 1000

    /// A record from its parts.
    public init(
        _ node: QueueNode, started: Moment, heard: Moment, now: Moment, isGone: Bool = false,
        isDraining: Bool = false, isThis: Bool = false, jobs: [Int64] = []
    ) {
        self.node = node
        (self.started, self.heard, self.now) = (started, heard, now)
        (self.isGone, self.isDraining, self.isThis) = (isGone, isDraining, isThis)
        self.jobs = jobs
    }
}

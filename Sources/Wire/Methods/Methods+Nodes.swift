// The result of `server.nodes`: the daemons that share a queue. Pure values.
public import Media

/// The answer of `server.nodes`.
public struct NodesResult: Hashable, Codable, Sendable {
    /// The nodes, by their names.
    public var nodes: [NodeReport]

    /// Creates an answer.
    public init(_ nodes: [NodeReport]) { self.nodes = nodes }
}

/// A daemon that shares the queue, or the only one.
public struct NodeReport: Hashable, Codable, Sendable {
    /// The activity of a node.
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// It starts jobs.
        case active
        /// It starts no more jobs.
        case draining
        /// It has ended, or cannot reach the queue: its jobs are taken over.
        case gone
    }

    /// Its name.
    public var name: String
    /// Its state.
    public var state: State
    /// Whether it is the one that answers.
    public var answers: Bool?
    /// Its version of trimd.
    public var version: String
    /// The name of its host.
    public var host: String
    /// The most exports that run there at once.
    public var workers: Int
    /// The processors that they share.
    public var processors: Int
    /// How many of them are used.
    public var busyProcessors: Int
    /// The bytes of memory that they share.
    public var memoryBytes: Int64
    /// Its tags.
    public var tags: [String]
    /// The named roots that are there.
    public var roots: [String]
    /// The caller's jobs that run there, for root and the daemon's own user those of all; the first 50.
    public var jobs: [Int64]
    /// When it started.
    public var since: Moment
    /// When it was last heard, by the clock of the queue.
    public var heard: Moment
    /// Seconds since then.
    public var silence: Double

    /// Creates a report; the rest is set as needed.
    public init(name: String, state: State, version: String, since: Moment, heard: Moment) {
        (self.name, self.state, self.version) = (name, state, version)
        (self.since, self.heard) = (since, heard)
        (host, workers, processors, busyProcessors, memoryBytes) = ("", 0, 0, 0, 0)
        (tags, roots, jobs, silence) = ([], [], [], 0)
    }
}

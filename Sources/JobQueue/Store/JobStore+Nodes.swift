// JobStore, nodes: which daemons share the queue, what they have, and what they tell each other of the jobs that they run.
public import Media

extension JobStore {
    /// The state and abilities of this node from now on.
    public func describe(_ node: QueueNode) throws(MediaError) { try storage.describe(node, owner) }

    /// The nodes that share the queue.
    public func nodes(for viewer: Viewer = .all) throws(MediaError) -> [NodeRecord] {
        try storage.nodes(for: viewer, owner)
    }

    /// The ID on record of a root that nodes share.
    public func marker(of root: String, proposing id: String?) throws(MediaError) -> String? {
        try storage.marker(of: root, proposing: id)
    }

    /// Adds lines to the logs of jobs.
    public func add(_ lines: LogBatch) throws(MediaError) { try storage.add(lines, owner) }

    /// Part of a job's log.
    public func log(of id: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogPart {
        try storage.log(of: id, from: offset, limit: limit)
    }

    /// Tells the other nodes how far running attempts of this owner are.
    public func tell(_ progress: [AttemptProgress]) throws(MediaError) { try storage.tell(progress, owner) }

    /// How far the running attempts of other owners are.
    public func told(since moment: Moment) throws(MediaError) -> [AttemptProgress] {
        try storage.told(since: moment, owner)
    }
}

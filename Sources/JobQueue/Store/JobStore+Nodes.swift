// JobStore, nodes: which daemons share the queue, and what they have.
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
}

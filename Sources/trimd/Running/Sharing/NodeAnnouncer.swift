// NodeAnnouncer: tells the queue what this node is and has: when it starts, when that changes, and with every renewal of its leases.
// It looks at the named roots, and finds out whether another node has ordered this one to drain. It starts and ends no job itself.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

/// Announces this node.
///
/// `@unchecked Sendable`: variables are accessed on `queue` only.
final class NodeAnnouncer: @unchecked Sendable {
    private let store: any JobQueue
    private let roots: RootMarkers
    private let log: Log
    private let configuration: Configuration
    /// The scheduler that starts jobs here, once it is there.
    private let scheduler = Mutex<Scheduler?>(nil)
    private let queue = DispatchQueue(label: "trimd.node")
    /// Looking at roots may take long.
    private let looking = DispatchQueue(label: "trimd.node.roots")
    private var calls = RepeatedCalls()
    /// The last announcement.
    private var announced: QueueNode?

    /// Milliseconds between two looks at the roots, and at the order to drain.
    private static let lookInterval = 2000

    /// An announcer of the node that these settings make.
    init(_ configuration: Configuration, store: any JobQueue, roots: RootMarkers, log: Log) {
        self.configuration = configuration
        self.store = store
        self.roots = roots
        self.log = log
    }

    /// This node as it is now, with its roots.
    var node: QueueNode {
        var node = QueueNode(configuration, scheduler.withLock(\.self))
        node.roots = roots.present
        node.paths.paths = roots.paths
        return node
    }

    /// Looks at the roots, and announces this node for the first time: from now on it may claim what they allow.
    func announce() throws(MediaError) {
        if store.leaseTime != nil { roots.look() }
        try store.describe(node)
    }

    /// Throws if another node that is there runs as another user: the jobs of that user would be trusted here as anybody's.
    func checkUser() throws(MediaError) {
        let own = node
        let other = try store.nodes(for: .user(.max)).first {
            !$0.isGone && !$0.isThis && $0.node.user != own.user && !$0.node.host.isEmpty
        }
        guard let other else { return }
        throw MediaError(
            .operationNotSupported,
            "this trimd runs as user \(own.user), and node \(other.node.name) as user \(other.node.user)",
            remedy: "users have the same numbers on all nodes: run it as user \(other.node.user)")
    }

    /// Announces from now on, and lets the scheduler drain where another node has ordered it.
    func start(_ scheduler: Scheduler) {
        self.scheduler.withLock { $0 = scheduler }
        guard let leaseTime = store.leaseTime else { return }
        // Before the job that found it waits again, so that this node does not claim it.
        roots.whenLost { [self] in queue.sync { tell() } }
        calls.add(every: Int(leaseTime) / 4, on: queue) { [self] in tell() }
        calls.add(every: NodeAnnouncer.lookInterval, on: queue) { [self] in
            _ = try? scheduler.followDraining()
            if isChanged { tell() }
        }
        calls.add(every: NodeAnnouncer.lookInterval, on: looking) { [self] in roots.look() }
    }

    private var isChanged: Bool {
        var now = node
        // How busy it is changes often: only that it works at all is told at once.
        let before = announced?.busyProcessors ?? 0
        if (now.busyProcessors > 0) == (before > 0) { now.busyProcessors = before }
        return now != announced
    }

    private func tell() {
        let node = node
        do throws(MediaError) {
            try store.describe(node)
            announced = node
        } catch { log.debug("this node cannot be announced now: \(error)") }
    }
}

// NodeList: the daemons that share the queue, as clients see them, and what no node has of what jobs need. Where the queue is not
// shared, the one node is this daemon. Any thread.
internal import Glibc
internal import JobQueue
internal import Media
internal import Synchronization
internal import Wire

/// The nodes of the queue.
final class NodeList: Sendable {
    private let store: any JobQueue
    /// The named roots of this daemon; nil: none.
    private let markers: RootMarkers?
    /// This daemon as it is now.
    private let present: @Sendable () -> QueueNode
    private let since = Moment.now
    /// The nodes as they were read last, for the reports of many jobs.
    private let known = Mutex<(read: Moment, nodes: [NodeRecord])?>(nil)

    /// Milliseconds for which they are kept.
    private static let memory: Int64 = 1000

    init(
        _ store: any JobQueue, markers: RootMarkers? = nil, present: @escaping @Sendable () -> QueueNode
    ) {
        self.store = store
        self.markers = markers
        self.present = present
    }

    /// This daemon as it is now.
    var own: QueueNode { present() }

    /// The nodes, with those of their jobs that the viewer sees.
    func records(for viewer: Viewer) throws(MediaError) -> [NodeRecord] {
        guard store.leaseTime == nil else { return try store.nodes(for: viewer) }
        let jobs = try store.attempts().filter { viewer == .all || viewer == .user($0.user) }
        let node = own
        return [
            NodeRecord(
                node, started: since, heard: .now, now: .now, isDraining: node.isDraining, isThis: true,
                jobs: jobs.prefix(NodeRecord.mostJobs).map(\.id))
        ]
    }

    /// `server.nodes`
    func reports(for viewer: Viewer) throws(MediaError) -> [NodeReport] {
        let own = own
        return try records(for: viewer).map { record in
            // The state known here is newer than the one on record.
            let node = record.isThis ? own : record.node
            var report = NodeReport(
                name: node.name, state: record.isGone ? .gone : node.isDraining ? .draining : .active,
                version: node.version, since: record.started, heard: record.heard)
            report.answers = record.isThis ? true : nil
            report.host = node.host
            (report.workers, report.processors) = (node.workers, node.processors)
            (report.busyProcessors, report.memoryBytes) = (node.busyProcessors, node.memory)
            (report.tags, report.roots, report.jobs) = (node.tags.sorted(), node.roots.sorted(), record.jobs)
            report.silence = Double(max(0, record.now.milliseconds - record.heard.milliseconds)) / 1000
            return report
        }
    }

    /// Whether the named roots are there, for the doctor.
    var rootChecks: [DoctorResult.Check] {
        (markers?.problems ?? []).map { name, path, problem in
            guard let problem else {
                return DoctorResult.Check("marker", ok: true, "root \(name) is \(path)")
            }
            return DoctorResult.Check(
                "marker", ok: false, "root \(name), \(path), is not there: \(problem)",
                remedy: "mount it there; trimd-fleet(7) says what the marker is")
        }
    }

    /// A report that says what a waiting job needs and no node has; and that draining keeps it from starting only where no other node
    /// starts it.
    func with(_ job: Job, _ report: JobReport) -> JobReport {
        let mayGoElsewhere = report.draining == true && store.leaseTime != nil
        guard job.state == .waiting, mayGoElsewhere || !job.needs.words.isEmpty else { return report }
        let nodes = known.withLock { known in
            if let known, abs(Moment.now.milliseconds - known.read.milliseconds) < NodeList.memory {
                return known.nodes
            }
            guard let nodes = try? records(for: .user(.max)) else { return [] }
            known = (.now, nodes)
            return nodes
        }
        // Without an answer nothing is said.
        guard !nodes.isEmpty else { return report }
        var report = report
        let unmet = job.needs.unmet(among: nodes)
        report.unmet = unmet.isEmpty || job.needs.words.isEmpty ? nil : unmet
        let others = nodes.filter { !$0.isThis && !$0.isGone && !$0.isDraining && !$0.node.isDraining }
        if mayGoElsewhere, others.contains(where: { job.needs.areMet(by: $0.node.abilities) }) {
            report.draining = nil
        }
        return report
    }
}

extension QueueNode {
    /// This daemon, by its settings and what it does.
    init(_ configuration: Configuration, _ scheduler: Scheduler?) {
        let host = StateFolder.hostName
        self.init(name: configuration.node ?? host, version: trimdVersion)
        self.host = host
        user = geteuid()
        (processors, memory, workers) = (
            configuration.processors, configuration.memory, configuration.workers
        )
        tags = configuration.tags
        let named = configuration.queue == nil ? [:] : configuration.roots.named.mapValues { [$0] }
        paths = RootNames(
            named, own: configuration.queue == nil ? [] : [configuration.state], node: name)
        guard let scheduler else { return }
        busyProcessors = scheduler.usedProcessors
        isDraining = scheduler.isDraining
    }
}

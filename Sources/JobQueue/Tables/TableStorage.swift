// TableStorage: where the tables of a queue are. A storage knows how to read and change them atomically, and what its database alone
// can say; the rows, and all that becomes of them, are the same in each.
internal import Media

/// A database with the tables of a queue. Any thread; the calls block.
protocol TableStorage: AnyObject, Sendable {
    /// The schema version of the tables.
    var version: Int { get }
    /// As `JobQueue.leaseTime`.
    var leaseTime: Int64? { get }
    /// The name of the switch that keeps jobs from starting, here and on a node.
    var drainSwitch: String { get }
    func drainSwitch(of node: String) -> String
    /// Where this node has the roots that nodes share.
    var paths: RootNames { get }
    /// The abilities of this node: those words that jobs may need.
    var abilities: Set<String> { get }
    /// As `JobQueue.describe`, for this owner.
    func describe(_ node: QueueNode, _ owner: String) throws(MediaError)
    /// As `JobQueue.nodes`, seen by this owner.
    func nodes(for viewer: Viewer, _ owner: String) throws(MediaError) -> [NodeRecord]
    /// As `JobQueue.marker`.
    func marker(of root: String, proposing id: String?) throws(MediaError) -> String?
    /// As `JobQueue.add`, for this owner.
    func add(_ lines: LogBatch, _ owner: String) throws(MediaError)
    /// As `JobQueue.log`.
    func log(of id: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogPart
    /// As `JobQueue.tell`, for this owner.
    func tell(_ progress: [AttemptProgress], _ owner: String) throws(MediaError)
    /// As `JobQueue.told`, to this owner.
    func told(since moment: Moment, _ owner: String) throws(MediaError) -> [AttemptProgress]
    /// The jobs, with how far those are that other owners run.
    func withProgress(_ jobs: [Job], in table: JobTable) throws -> [Job]

    /// Reads; `body` sees one state of the tables.
    func read<Result>(_ body: (any TableConnection, Moment) throws -> Result) throws(MediaError) -> Result
    /// Performs `body` atomically; it is on the disk when this returns, and visible to every later read. `body` may be called
    /// again, if what it changed was rolled back.
    func change<Result>(
        _ body: @escaping (any TableConnection, Moment) throws -> Result
    ) throws(MediaError) -> Result

    /// As `JobQueue.place`.
    var place: String { get }
    /// As `JobQueue.leave`.
    func leave(_ owner: String) throws(MediaError)
    /// As `JobQueue.renew`.
    func renew(_ owner: String) throws(MediaError)
    /// As `JobQueue.takeOver`.
    func takeOver(by owner: String) throws(MediaError) -> [Job]
    /// Within the change that gives a job to this owner.
    func willClaim(_ table: JobTable) throws
    /// As `JobQueue.lastJob`.
    func lastJob() throws(MediaError) -> Int64
    /// As `JobQueue.lastEvent`.
    func lastEvent() throws(MediaError) -> Int64
    /// Before events are read: those that were stored have their numbers.
    func numberEvents() throws(MediaError)
    /// As `JobQueue.skipNumbers`.
    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError)
    /// Tells the other owners of something that was changed. Never blocks.
    func announce()
    /// As `JobQueue.listen`.
    func listen(_ onChange: @escaping @Sendable () -> Void)
    /// As `JobQueue.checkFiles`.
    func checkFiles() throws(MediaError)
    /// As `JobQueue.checkIntegrity`.
    func checkIntegrity() throws(MediaError)
}

extension TableStorage {
    /// Nobody else has it open.
    func announce() {}

    /// Nobody else changes it.
    func listen(_ onChange: @escaping @Sendable () -> Void) {}
}

// Only queues of several nodes have this.
extension TableStorage {
    func drainSwitch(of node: String) -> String { drainSwitch }
    var paths: RootNames { RootNames() }
    var abilities: Set<String> { [] }
    func describe(_ node: QueueNode, _ owner: String) throws(MediaError) {}
    func nodes(for viewer: Viewer, _ owner: String) throws(MediaError) -> [NodeRecord] { [] }
    func marker(of root: String, proposing id: String?) throws(MediaError) -> String? { id }
    func add(_ lines: LogBatch, _ owner: String) throws(MediaError) {}
    func log(of id: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogPart {
        LogPart("", next: 0)
    }
    func tell(_ progress: [AttemptProgress], _ owner: String) throws(MediaError) {}
    func told(since moment: Moment, _ owner: String) throws(MediaError) -> [AttemptProgress] { [] }
    func withProgress(_ jobs: [Job], in table: JobTable) throws -> [Job] { jobs }
}

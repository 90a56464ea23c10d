// UnitAttempt: one beginning of one unit, by whoever has its claim: the job's own attempt, or another node. A worker makes the unit in
// a file of its own; its report is checked against the file, which is on the disk before it is recorded. It decides nothing and
// records nothing. A value; `sync` may wait for the disk.
internal import JobQueue
internal import Media
internal import Platform
internal import Text
internal import Wire

/// One beginning of a unit: its worker and its file.
struct UnitAttempt: Sendable {
    /// The unit as it was begun.
    let unit: JobUnit
    let claim: UnitClaim
    let worker: Worker
    let file: OpenUnitFile
    private let files: UnitFolder

    /// Creates the file of a unit that was begun for a worker.
    init(_ unit: JobUnit, of job: Int64, by worker: Worker, in files: UnitFolder) throws(MediaError) {
        self.unit = unit
        claim = UnitClaim(job, unit)
        self.worker = worker
        self.files = files
        file = try files.create(unit.number, claim: unit.claim)
    }

    /// The line about it in a log when its worker gets its request.
    func started(threads: Int) -> String {
        "\(unit.unit.name) started: \(unit.unit.kind.rawValue), attempt \(unit.attempts), worker \(worker.identity.pid), "
            + "threads \(threads)"
    }

    /// Asks the worker to make the unit.
    /// - Parameters:
    ///   - plan: the common part of the job's plan.
    ///   - source: the descriptor of the job's source.
    ///   - subtitles: that of the file of subtitles that the job draws, if there is one.
    ///   - inputs: the files that the worker reads, in the order of the unit's inputs.
    func serve(
        _ request: ExportRequest, plan: JSONValue, source: Int32?, subtitles: Int32?,
        inputs: [OpenUnitFile], threads: Int, _ client: Worker.Client
    ) {
        worker.serve(
            .unit, WorkerUnit(request, plan: plan, unit: unit.unit, threads: threads),
            passing: [source, file.raw, subtitles].compactMap(\.self) + inputs.map(\.raw), client)
        withExtendedLifetime(inputs) {}
    }

    /// The files of a unit's inputs; nil if one of them is not the one on record.
    static func open(_ inputs: [JobUnit], in files: UnitFolder) -> [OpenUnitFile]? {
        let open = inputs.compactMap(files.open)
        return open.count == inputs.count ? open : nil
    }

    /// The report of a worker that has answered; throws if it does not fit its file.
    func report(_ answer: JSONValue) throws(MediaError) -> UnitReport {
        let report = try JobRun.result(UnitReport.self, answer)
        guard report.number == unit.number, try file.identity().size == report.bytes else {
            throw MediaError(.workerCrashed, "the worker's report of \(unit.unit.name) does not fit its file")
        }
        return report
    }

    /// Makes the file survive a power loss; its identity from then on, for all nodes.
    func sync() throws(MediaError) -> FileIdentity {
        try file.sync()
        try files.syncFolder()
        return try file.sharedIdentity()
    }

    /// Removes the file. Not once it may be on record.
    func discard() { files.remove(unit.number, claim: unit.claim) }
}

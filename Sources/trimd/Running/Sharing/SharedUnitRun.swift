// SharedUnitRun: makes one unit of a job whose attempt another node has, from its claim to its record. It opens the source by what is
// recorded, as an attempt does, and never ends the job: what fails here is given back, and the job's own attempt makes it. It runs on
// its own serial queue, where it may wait for the disk. `stop` may be called from any thread. The scheduler decides what is claimed.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Wire

/// One unit that was claimed of another node's job.
///
/// `@unchecked Sendable`: state that is neither constant nor in the Mutex is accessed on `queue` only.
final class SharedUnitRun: @unchecked Sendable {
    /// How it ended.
    enum End: Sendable {
        /// The unit is on record, or another's.
        case done
        /// It was given back, and can be claimed.
        case returned
        /// It is to be given back, which could not be written.
        case owed
        /// It was given back; no other unit of the job can be made here, for this reason.
        case unable(MediaError)
    }

    private struct Control {
        var isStopped = false
        /// trimd ends: nothing is waited for.
        var isLast = false
        var worker: Worker?
    }

    let claimed: ClaimedUnit
    let claim: UnitClaim
    private let context: JobRun.Context
    private let threads: Int
    private let queue: DispatchQueue
    private let control: Mutex<Control>
    private let onEnd: @Sendable (End, _ peak: Int64) -> Void
    private var source: InputFile?
    private var subtitles: InputFile?
    /// Opens the files that the source names.
    private var sourceFiles: SourceFiles?
    private var unit: UnitAttempt?
    private var patience = JobRun.Patience()
    private var isOver = false

    /// A unit that was claimed for a worker; `onEnd` is called once.
    init(
        _ claimed: ClaimedUnit, on worker: Worker, threads: Int, _ context: JobRun.Context,
        onEnd: @escaping @Sendable (End, _ peak: Int64) -> Void
    ) {
        self.claimed = claimed
        claim = UnitClaim(claimed.job.id, claimed.unit)
        self.context = context
        self.threads = min(threads, context.effort.threads ?? threads)
        self.onEnd = onEnd
        control = Mutex(Control(worker: worker))
        queue = DispatchQueue(label: "trimd.unit.\(claim.job).\(claim.number)")
    }

    /// Starts.
    func start() { queue.async { self.begin() } }

    /// Ends the worker, and gives the unit back unless it is made; `isLast`: trimd ends, and waits for no database.
    func stop(isLast: Bool = false) {
        let worker = control.withLock { control in
            control.isStopped = true
            control.isLast = control.isLast || isLast
            return control.worker
        }
        worker?.kill()
        if isLast { queue.async { self.giveUp() } }
    }

    // MARK: on its queue

    private var isStopped: Bool { control.withLock(\.isStopped) }

    private func begin() {
        let job = claimed.job
        guard let worker = control.withLock({ $0.worker }) else { return }
        do throws(MediaError) {
            guard claimed.fingerprint.hasSuffix(JobRun.release) else {
                throw MediaError(.operationInterrupted, "another release of trimd has planned it")
            }
            try checkRoots()
            try context.lanes.checkDisks(of: job) { !isStopped }
            let source = try InputFile(opening: job.request.input)
            try source.check(against: job.source)
            subtitles = try SubtitlesInput.open(job)
            try context.roots.check(job)
            context.unfinished.addUnits(of: job)
            let files = try UnitFolder(of: job)
            guard let inputs = UnitAttempt.open(claimed.inputs, in: files) else {
                throw MediaError(
                    .inputOutput,
                    "read the inputs of \(claimed.unit.unit.name): they are not in \(job.request.output.folder)"
                )
            }
            let unit = try UnitAttempt(claimed.unit, of: job.id, by: worker, in: files)
            self.unit = unit
            note(unit.started(threads: threads) + ", for another node")
            worker.limit(by: context, job)
            sourceFiles = SourceFiles(
                of: job.request, source.identity, for: ReadingUser(of: job, roots: context.roots),
                lanes: context.lanes, lister: .workers(of: context.pool))
            unit.serve(
                job.request, plan: claimed.plan, source: source.descriptor.rawValue,
                subtitles: subtitles?.descriptor.rawValue, inputs: inputs, threads: threads, client)
            self.source = consume source
            if isStopped { worker.kill() }
        } catch {
            worker.kill()
            giveBack(.unable(error))
        }
    }

    /// Throws if a root of the job is not there any more: an empty folder is not taken for the media.
    private func checkRoots() throws(MediaError) {
        guard let markers = context.markers else { return }
        let found = Mutex<String?>(nil)
        _ = context.lanes.wait(for: claimed.job.user, while: { !isStopped }) { [needs = claimed.job.needs] in
            let problem = markers.problem(of: needs)
            found.withLock { $0 = problem }
        }
        if let problem = found.withLock(\.self) { throw MediaError(.inputOutput, problem) }
    }

    private var client: Worker.Client {
        Worker.Client(
            inbox: WorkerInbox(
                on: queue, onLine: { [self] line in note("\(claimed.unit.unit.name): \(line)") }),
            files: sourceFiles,
            then: { [self] outcome in queue.async { self.gone(outcome) } })
    }

    /// The worker has gone.
    private func gone(_ outcome: Worker.Outcome) {
        guard let unit, !isOver else { return }
        control.withLock { $0.worker = nil }
        do throws(MediaError) {
            let report = try unit.report(try outcome.get())
            // All that is made of a source that was changed is thrown away in the end.
            try source?.check(against: claimed.job.source)
            try sourceFiles?.check()
            try SubtitlesInput.check(subtitles, claimed.job)
            record(unit, try unit.sync(), report)
        } catch {
            // Without its media no unit is at fault.
            if isStopped || context.markers?.absence(of: claimed.job.needs) != nil {
                return giveBack(.returned)
            }
            note("\(claimed.unit.unit.name) failed: \(error.code.rawValue): \(error)")
            switch error.code {
            // Other libraries than those of the plan, or another source than it is there.
            case .operationInterrupted, .sourceChanged: giveBack(.unable(error))
            default: giveBack(.returned, isFailed: true)
            }
        }
    }

    /// Records the unit, however long the database is away. Whether an attempt at it succeeded may be unknown: the file stays until it
    /// is known that it is not on record.
    private func record(_ unit: UnitAttempt, _ file: FileIdentity, _ report: UnitReport) {
        guard !isOver else { return }
        do throws(MediaError) {
            try context.store.finishUnit(claim, file: file, report: report, progress: 0)
            note("\(claimed.unit.unit.name) made: \(report.bytes) bytes")
            end(.done)
        } catch {
            guard JobRun.Patience.isWorthWhile(error) else {
                note("\(claimed.unit.unit.name) is thrown away: \(error)")
                unit.discard()
                return end(.done)
            }
            if control.withLock(\.isLast) { return end(.done) }
            queue.asyncAfter(deadline: .now() + patience.delay()) { [self] in record(unit, file, report) }
        }
    }

    /// Gives the unit back. Where that cannot be written now, the scheduler does it later.
    private func giveBack(_ end: End, isFailed: Bool = false) {
        guard !isOver else { return }
        unit?.discard()
        if !isFailed { note("\(claimed.unit.unit.name) is given back") }
        do throws(MediaError) { try context.store.returnUnit(claim, isFailed: isFailed) } catch {
            context.log.warning("job \(claim.job): unit \(claim.number) is given back later: \(error)")
            return self.end(.owed)
        }
        self.end(end)
    }

    /// trimd ends; a worker that still runs ends the rest.
    private func giveUp() {
        if control.withLock({ $0.worker == nil }) { end(.done) }
    }

    private func end(_ how: End) {
        guard !isOver else { return }
        isOver = true
        source = nil
        subtitles = nil
        onEnd(how, unit?.worker.peakMemory ?? 0)
    }

    private func note(_ line: String) { context.logs.write(claim.job, line) }
}

extension Worker {
    /// Limits the output of a worker that makes a unit, and lowers its priority, as the settings say.
    fileprivate func limit(by context: JobRun.Context, _ job: Job) {
        let most = context.pool.setup.limits.outputMiB.map { Int64($0) << 20 } ?? OutputBound.bytes(job)
        do throws(SystemError) {
            try limitOutput(to: most)
            try Kernel.lower(identity.pid, nice: context.effort.nice, isIdle: context.effort.isIdle)
        } catch { context.log.warning("job \(job.id): \(error)", about: job) }
    }
}

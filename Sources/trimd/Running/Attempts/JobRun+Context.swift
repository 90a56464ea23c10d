// The context of a JobRun: the parts that all attempts share, and the reasons to stop one from outside. Values only; the parts
// have their own queues.
internal import Glibc
internal import JobQueue
internal import Media

extension JobRun {
    /// Why an attempt is stopped from outside.
    enum Stop: Sendable {
        /// Its user cancelled it.
        case cancelled
        /// The attempt ends here, not the job, which waits again.
        case interrupted(Cause)

        var isInterruption: Bool {
            if case .interrupted = self { true } else { false }
        }
    }

    /// Why an attempt ends here that may go on later or elsewhere.
    enum Cause: Sendable {
        /// trimd ends.
        case ending
        /// This node drains, and others go on.
        case draining
        /// The lease could not be renewed.
        case leaseLost
        /// A root of the job is not there.
        case rootLost
        /// Its work could not be written to the queue.
        case queueLost

        /// The line of the job's log.
        func words(isShared: Bool) -> String {
            switch self {
            case .ending where isShared: "interrupted: trimd is ending here; the job goes on with any node"
            case .ending: "interrupted: trimd is ending; the job starts again with it"
            case .draining: "given back: this node drains; the job goes on with another"
            case .leaseLost:
                "interrupted: the lease of this node could not be renewed; the job goes on with any node"
            case .queueLost: "interrupted: the queue cannot be reached; the job starts again when it can"
            case .rootLost: "given back: the job goes on with a node that has its roots"
            }
        }
    }

    /// The parts that every attempt shares.
    struct Context: Sendable {
        let store: any JobQueue
        let hub: EventHub
        let pool: WorkerPool
        let logs: JobLogs
        let log: Log
        /// Records temporary files.
        let unfinished: UnfinishedFiles
        /// Opens paths for the first time.
        let lanes: PathLanes
        /// The roots beneath which trimd acts for other users.
        let roots: Roots
        /// The presets that errors may name.
        let presets: PresetCatalogue
        /// The mode of finished outputs.
        let mode: mode_t
        /// How exports are divided, and how their workers run.
        var effort = Effort()
        /// Gives outputs blocks of their sources.
        var cloner = BlockCloner.off
        /// The roots that nodes share; nil: none.
        var markers: RootMarkers?
        /// Tells other nodes of progress; nil: there are none.
        var progress: SharedProgress?
    }

    /// How exports are divided, and how their workers run.
    struct Effort: Hashable, Sendable {
        /// Seconds of the output in a chunk; nil: by its length.
        var chunkSeconds: Double?
        /// The most threads of a worker; nil: as many as there are processors for.
        var threads: Int?
        /// The nice value of workers.
        var nice = 0
        /// Whether workers run only while others leave processors idle.
        var isIdle = false

        /// How an export is divided; nil: it is made as one. Exports and their plans ask alike.
        func division(of request: ExportRequest) -> UnitDivision? {
            request.render == .copy ? nil : UnitDivision(seconds: chunkSeconds)
        }
    }
}

extension PathLanes {
    /// Throws if the disks of a job do not respond, so that they do not block the job's queue and its worker forever. Other
    /// errors of the paths are reported later.
    func checkDisks(of job: Job, while isWanted: () -> Bool) throws(MediaError) {
        let request = job.request
        let answers = wait(for: job.user, while: isWanted) {
            for path in [request.input] + (request.sources ?? []).map(\.path) {
                _ = try? OpenedFile(opening: path).descriptor
            }
            _ = try? OutputFolder(opening: request.output.folder).checkSpace()
        }
        guard !answers, isWanted() else { return }
        throw MediaError(
            .inputOutput,
            "opening \(request.input) or \(request.output.folder) does not end: the disk or server does not answer",
            remedy: "see to that disk, then try again")
    }
}

// The files of an attempt other than its output: the artwork, and errors that name the full disk. On the run's queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization

extension JobRun {
    /// Throws if a root of the job is not there any more, such as a share that was unmounted: the job waits again, for a node that has
    /// it, and does not take the empty folder for the media.
    func checkRoots() throws(MediaError) {
        guard let markers = context.markers else { return }
        let found = Mutex<String?>(nil)
        _ = context.lanes.wait(for: job.user, while: { control.withLock { $0.stop == nil } }) {
            [needs = job.needs] in
            let problem = markers.problem(of: needs)
            found.withLock { $0 = problem }
        }
        guard let problem = found.withLock(\.self) else { return }
        note("not begun here: \(problem)")
        _ = stop(.interrupted(.rootLost))
        throw MediaError(.inputOutput, problem)
    }

    /// The artwork for the output, if the request names one; throws if the file is not the one that was passed.
    func artwork() throws(MediaError) -> InputFile? {
        guard let path = job.request.metadata?.artwork else { return nil }
        let picture = try InputFile(opening: path)
        guard let shown = job.request.metadata?.artworkPlace,
            picture.identity.storedIdentity.isSame(asShown: shown)
        else {
            throw MediaError(
                .sourceChanged, "\(path) is another file than when the job was accepted",
                remedy: "submit it again")
        }
        return picture
    }

    /// Throws if the source, a file that it names, or the file of subtitles was changed.
    func checkSource() throws(MediaError) {
        try checkOpenFiles()
        try sourceFiles?.check()
    }

    /// Throws if the source or the file of subtitles was changed.
    func checkOpenFiles() throws(MediaError) {
        try source?.check(against: job.source)
        try SubtitlesInput.check(subtitles, job)
    }

    /// The largest output that the job may write, in bytes: the settings' limit or trimd's own.
    var mostBytes: Int64 {
        context.pool.setup.limits.outputMiB.map { Int64($0) << 20 } ?? OutputBound.bytes(job)
    }

    /// Completes a worker's error, since a worker knows neither the folder nor who limits it: names the disk, or whose limit
    /// the file reached.
    func located(_ error: MediaError) -> MediaError {
        if error.code == .maximumFileSizeReached { return explained(error) }
        var error = error
        switch error.code {
        // No worker knows the queue; only this side may say so, since such a failure is not counted.
        case .queueUnavailable: error.code = .workerCrashed
        case .diskFull:
            error.message = "the disk is full in \(job.request.output.folder): \(error.message)"
            error.remedy = "make room there"
        case .notWritable:
            error.message = "the disk cannot be written in \(job.request.output.folder): \(error.message)"
            error.remedy = MediaError.readOnlyRemedy
        default: break
        }
        return error
    }

    private func explained(_ error: MediaError) -> MediaError {
        let asked = job.request.options?.limitSize ?? .max
        guard let inherited = Kernel.hardLimit(RLIMIT_FSIZE),
            inherited < min(UInt64(clamping: asked), UInt64(mostBytes))
        else { return error }
        var error = error
        error.message += ": trimd was started with a limit of \(inherited) bytes a file (RLIMIT_FSIZE)"
        error.remedy = "start trimd with a higher limit: LimitFSIZE= in its unit, or ulimit -f"
        return error
    }
}

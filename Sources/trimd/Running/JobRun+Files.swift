// The files of an attempt beside its output: a picture that goes into it, and the words for a disk that is full. On the run's
// queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform

extension JobRun {
    /// The picture that is to be put into the output, where one is asked for: still the file that was shown.
    func artwork() throws(MediaError) -> InputFile? {
        guard let path = job.request.metadata?.artwork else { return nil }
        let picture = try InputFile(opening: path)
        guard let shown = job.request.metadata?.artworkPlace, picture.identity.place.isSame(asShown: shown)
        else {
            throw MediaError(
                .sourceChanged, "\(path) is another file than when the job was accepted",
                remedy: "submit it again")
        }
        return picture
    }

    /// The largest output that the job may have: the settings' or trimd's own bound, in bytes.
    var mostBytes: Int64 {
        context.pool.setup.limits.outputMiB.map { Int64($0) << 20 } ?? OutputBound.bytes(job)
    }

    /// A worker knows no folder, and not who limits it: where the disk is full, this says which; where a file may have no more
    /// bytes, this says whose limit that is.
    func located(_ error: MediaError) -> MediaError {
        if error.code == .maximumFileSizeReached { return explained(error) }
        let folder = job.request.output.folder
        guard error.code == .diskFull, !error.message.contains(folder) else { return error }
        var error = error
        error.message = "the disk is full where \(folder) lies: \(error.message)"
        error.remedy = "make room there"
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

// SubtitlesInput: the file of subtitles that a job draws, opened by its path as it was accepted. An attempt owns what it opens. Nothing
// here reads it: its descriptor goes to a worker.
internal import JobQueue
internal import Media
internal import Platform

/// Opens the subtitles of jobs.
enum SubtitlesInput {
    /// The file of subtitles of a job, if its request names one; throws if it is not the one that was accepted, or was changed since.
    static func open(_ job: Job) throws(MediaError) -> InputFile? {
        guard let path = job.request.options?.burnedFile else { return nil }
        let file = try InputFile(opening: path, "the subtitles", wanted: CallerAccess.subtitleFile)
        try file.check(against: try version(job, path))
        return file
    }

    /// Throws if the file that an attempt has opened was changed.
    static func check(_ file: borrowing InputFile?, _ job: Job) throws(MediaError) {
        guard let path = job.request.options?.burnedFile else { return }
        let version = try version(job, path)
        switch file {
        case .some(let file): try file.check(against: version)
        case .none: break
        }
    }

    private static func version(_ job: Job, _ path: String) throws(MediaError) -> FileIdentity {
        guard let version = job.request.subtitlesIdentity.flatMap(StoredVersion.init) else {
            throw MediaError(
                .sourceChanged, "\(path) was accepted without its identity", remedy: "submit it again")
        }
        return version.identity
    }
}

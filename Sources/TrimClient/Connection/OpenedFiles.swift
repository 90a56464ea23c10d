// Opens the files of a request as the calling user: a daemon of another user needs the descriptors to access them. It opens
// them for one call, reads nothing, and leaves all checks to the daemon.
internal import Glibc
package import Media
internal import Platform
internal import Text
package import Wire

/// Opens the files of a request.
package enum OpenedFiles {
    /// Calls the body with descriptors of the input, the output folder, the artwork and the subtitles, of those that there are;
    /// without descriptors if the daemon runs as this user.
    package static func passing<Result>(
        _ input: String, output: String? = nil, artwork: String? = nil, subtitles: String? = nil,
        to daemon: DaemonConnection,
        _ body: ([Int32]) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        guard daemon.wantsDescriptors else { return try body([]) }
        // The daemon needs no proof for its own files; the root folder keeps their positions.
        func isSpooled(_ path: String) -> Bool { daemon.spool.map(path.hasPrefix) ?? false }
        // A FIFO without a writer must not block, nor a terminal become the controlling one.
        let source =
            isSpooled(input)
            ? try open("/", O_RDONLY | O_DIRECTORY) : try open(input, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        guard let output, let slash = output.lastSlash else { return try body([source.rawValue]) }
        let path = slash == output.startIndex || isSpooled(output) ? "/" : String(output[..<slash])
        let folder = try open(path, O_RDONLY | O_DIRECTORY)
        return try opening(artwork) { picture throws(MediaError) in
            try opening(subtitles) { text throws(MediaError) in
                try body([source.rawValue, folder.rawValue, picture, text].compactMap(\.self))
            }
        }
    }

    /// Calls a method on a job. A retry passes its files again, as on submission.
    package static func order(_ method: Method, _ id: Int64, to daemon: DaemonConnection) throws(MediaError)
        -> JobReport
    {
        guard method == .jobRetry, daemon.wantsDescriptors else {
            return try daemon.commit(method, JobParams(id: id))
        }
        let job: JobReport = try daemon.call(.jobGet, JobParams(id: id))
        // For any other status the daemon explains why there is no retry.
        guard job.status == .failed || job.status == .cancelled else {
            return try daemon.commit(method, JobParams(id: id))
        }
        return try passing(
            job.input, output: job.output, artwork: job.artwork, subtitles: job.subtitles, to: daemon
        ) {
            files throws(MediaError) in
            try daemon.commit(method, JobParams(id: id), passing: files)
        }
    }

    /// Changes a job. Where it has another request then, its files are passed again, as on submission.
    /// - Parameter wanted: the same changes; the paths that it does not name are the job's.
    package static func modify(
        _ params: ModifyParams, _ wanted: SubmitParams, to daemon: DaemonConnection
    ) throws(MediaError) -> JobReport {
        guard !params.changes.isEmpty, daemon.wantsDescriptors else {
            return try daemon.commit(.jobModify, params)
        }
        let job: JobReport = try daemon.call(.jobGet, JobParams(id: params.id))
        // For any other status the daemon explains why it cannot be changed.
        guard job.status == .waiting || job.status == .held else {
            return try daemon.commit(.jobModify, params)
        }
        return try passing(
            job.input, output: wanted.output ?? job.output,
            artwork: wanted.metadata?.artwork ?? job.artwork,
            subtitles: wanted.options?.burnedFile ?? job.subtitles, to: daemon
        ) { files throws(MediaError) in
            try daemon.commit(.jobModify, params, passing: files)
        }
    }

    /// Opens a file, if there is one, for the length of a call.
    private static func opening<Result>(
        _ path: String?, _ body: (Int32?) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        guard let path else { return try body(nil) }
        let file = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        return try body(file.rawValue)
    }

    private static func open(_ path: String, _ flags: Int32) throws(MediaError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor(opening: path, flags)
        } catch {
            let code: ErrorCode =
                switch error.code {
                case ENOENT, ELOOP: .fileNotFound
                case ENOTDIR: .notAFolder
                case EACCES, EPERM: .permissionDenied
                case ENXIO, EISDIR: .notARegularFile
                default: .inputOutput
                }
            throw MediaError(code, "\(error)")
        }
    }
}

// AssetService: the methods about files; each one has a file named after its method. It checks paths and access, opens the
// worker's files, and names the images. Images and comparisons have their own slots: probes and checks need not wait for them,
// and a worker may take as long as it shows progress. Runs on a lane of the caller.
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// The methods about files.
struct AssetService: Sendable {
    /// Runs probes and checks.
    let shortRequests: ShortRequests
    /// Runs images and comparisons.
    let drawing: ShortRequests
    let validator: SubmissionValidator
    let unfinished: UnfinishedFiles
    /// The mode of finished images.
    let mode: mode_t

    /// Receives the result.
    typealias Then<Report> = @Sendable (Result<Report, MediaError>) -> Void

    /// Ends all workers that draw or compare.
    func close() { drawing.close() }

    /// Ends the work of a client that has disconnected.
    func forget(_ client: ObjectIdentifier) {
        shortRequests.forget(client)
        drawing.forget(client)
    }

    /// Asks a worker about one file.
    func look(
        _ method: WorkerMethod, _ question: some Encodable & Sendable, at path: String,
        _ access: CallerAccess, for client: ObjectIdentifier, then: @escaping ShortRequests.Then
    ) throws(MediaError) {
        let work = ShortRequests.Work(
            method: method, params: question, file: try access.source(path), path: path,
            user: access.peer.uid, client: client)
        shortRequests.ask(work, then: then)
    }

    /// The file name that the worker is given.
    static func name(of path: String) -> String { FileName.split(path)?.name ?? path }

    /// The name of a file; throws if its path is relative.
    static func checkedName(of path: String) throws(MediaError) -> String {
        try AbsolutePath.check(path, "the file")
        return name(of: path)
    }
}

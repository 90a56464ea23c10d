// AssetService: what trimd does about files: each verb is a file of its own, named as its method. It judges paths and rights, opens
// what a worker gets, and gives pictures their names. Pictures and comparisons have places of their own, beside probes and checks,
// which need not wait for them: a worker has as long as it shows signs of work. On a lane of the user who asks.
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// What trimd does about files.
struct AssetService: Sendable {
    /// Where probes and checks are asked for.
    let inspection: Inspection
    /// Where pictures and comparisons are asked for.
    let drawing: Inspection
    let validator: SubmissionValidator
    let unfinished: UnfinishedFiles
    /// The mode of finished pictures.
    let mode: mode_t

    /// Who is told what came of it.
    typealias Then<Report> = @Sendable (Result<Report, MediaError>) -> Void

    /// Ends all that is drawn or compared.
    func close() { drawing.close() }

    /// A client has gone: nobody takes what is looked at or drawn for it.
    func forget(_ client: ObjectIdentifier) {
        inspection.forget(client)
        drawing.forget(client)
    }

    /// Asks a worker about one file.
    func look(
        _ method: WorkerMethod, _ question: some Encodable & Sendable, at path: String,
        _ access: CallerAccess, for client: ObjectIdentifier, then: @escaping Inspection.Then
    ) throws(MediaError) {
        let work = Inspection.Work(
            method: method, params: question, file: try access.source(path), path: path,
            user: access.peer.uid, client: client)
        inspection.ask(work, then: then)
    }

    /// The name of a file, as its worker is told it.
    static func name(of path: String) -> String { FileName.split(path)?.name ?? path }

    /// The name of a file whose path is absolute.
    static func checkedName(of path: String) throws(MediaError) -> String {
        try AbsolutePath.check(path, "the file")
        return name(of: path)
    }
}

// FrameService: pictures of assets and comparisons, for whoever waits for the answer: judges paths and rights, opens what
// the worker gets, and gives pictures their names. As many at once as there are workers, and one more of each further user, beside
// probes and checks, which need not wait for them. A worker has as long as it shows signs of work; it is ended when its
// client goes. On a lane of the user who asks.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Wire

/// What trimd does to show and compare.
struct FrameService: Sendable {
    private let inspection: Inspection
    private let unfinished: UnfinishedFiles
    private let mode: mode_t

    /// Who is told what came of it.
    typealias Then<Report> = @Sendable (Result<Report, MediaError>) -> Void

    /// A service of so many at once.
    init(pool: WorkerPool, places: Int, unfinished: UnfinishedFiles, mode: mode_t) {
        inspection = Inspection(pool: pool, places: places, timeLimit: nil)
        self.unfinished = unfinished
        self.mode = mode
    }

    /// Ends all that runs.
    func close() { inspection.close() }

    /// A client has gone: nobody takes what is drawn for it.
    func forget(_ client: ObjectIdentifier) { inspection.forget(client) }

    /// `asset.frame`
    func frame(
        _ params: FrameParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<FrameReport>
    ) throws(MediaError) {
        let wanted = (output: params.output, suffix: "-frame", overwrite: params.overwrite)
        try draw(.frame, of: params.path, to: wanted, access, for: client, then: then) { name, type in
            WorkerFrame(name: name, at: params.at, width: params.width, type: type)
        }
    }

    /// `asset.sheet`
    func sheet(
        _ params: SheetParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<SheetReport>
    ) throws(MediaError) {
        let wanted = (output: params.output, suffix: "-sheet", overwrite: params.overwrite)
        try draw(.sheet, of: params.path, to: wanted, access, for: client, then: then) { name, type in
            var question = WorkerSheet(name: name, range: PictureRange(params), type: type)
            (question.columns, question.rows, question.width) = (params.columns, params.rows, params.width)
            return question
        }
    }

    /// Has a picture of one film drawn, and gives it its name.
    private func draw<Report: DrawnReport>(
        _ method: WorkerMethod, of path: String,
        to wanted: (output: String?, suffix: String, overwrite: Bool?), _ access: CallerAccess,
        for client: ObjectIdentifier, then: @escaping Then<Report>,
        asking question: (_ name: String, _ type: ImageType) -> some Encodable & Sendable
    ) throws(MediaError) {
        let source = try access.source(path)
        let (target, type) = try FrameService.target(
            wanted.output, beside: path, wanted.suffix, overwrite: wanted.overwrite)
        let picture = try picture(target, type, source: source.identity, access)
        var work = Inspection.Work(
            method: method, params: question(FrameService.name(path), type), file: source, path: path,
            user: access.peer.uid, client: client)
        work.beside = [picture.descriptor]
        inspection.ask(work) { outcome in
            picture.conclude(outcome.read(as: Report.self)) { result in
                then(
                    result.map { report, place in
                        var report = report
                        (report.output, report.bytes) = (place.path, place.bytes)
                        return report
                    })
            }
        }
    }

    /// `asset.verify`
    func verify(
        _ params: VerifyParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<ComparisonReport>
    ) throws(MediaError) {
        let source = try access.source(params.path)
        let judged = try access.judged(params.output)
        var picture: ImageOutput?
        var type: ImageType?
        if let path = params.picture {
            let (target, kind) = try FrameService.target(
                path, beside: params.path, "", overwrite: params.overwrite)
            type = kind
            picture = try self.picture(
                target, kind, source: source.identity, access, sparing: judged.identity)
        }
        let question = WorkerComparison(
            source: FrameService.name(params.path), output: FrameService.name(params.output),
            range: PictureRange(params), type: type)
        var work = Inspection.Work(
            method: .compare, params: question, file: source, path: params.path, user: access.peer.uid,
            client: client)
        work.companion = judged
        work.beside = picture.map { [$0.descriptor] } ?? []
        inspection.ask(work) { [picture] outcome in
            let report = outcome.read(as: ComparisonReport.self)
            guard let picture else { return then(report) }
            picture.conclude(report) { result in
                then(
                    result.map { report, place in
                        var report = report
                        report.picture = place.path
                        return report
                    })
            }
        }
    }

    // MARK: judging

    private func picture(
        _ target: OutputTarget, _ type: ImageType, source: FileIdentity, _ access: CallerAccess,
        sparing other: FileIdentity? = nil
    ) throws(MediaError) -> ImageOutput {
        var target = target
        let folder = try access.folder(target.folder)
        try SubmissionValidator.validate(target, in: folder, source: source)
        if let other { try SubmissionValidator.validate(target, in: folder, source: other) }
        if access.peer.uid != access.own {
            target.place = try folder.place().text
            if target.overwrite, let name = target.name { try folder.checkReplacing(name) }
        }
        return try ImageOutput(
            target, type: target.name.map(FileName.fileExtension) ?? type.rawValue, source: source,
            mode: mode,
            unfinished: unfinished)
    }

    /// Where a picture goes, as named or beside the source, and its kind.
    static func target(
        _ output: String?, beside input: String, _ suffix: String, overwrite: Bool?
    ) throws(MediaError) -> (OutputTarget, ImageType) {
        if let output { try AbsolutePath.check(output, "the picture") }
        if let (folder, stem) = try FileName.unnamed(output, input: input, suffix: suffix) {
            return (OutputTarget(folder: folder, name: nil, stem: stem, overwrite: false), .png)
        }
        let output = output ?? ""
        guard let (folder, name) = FileName.split(output) else {
            throw MediaError(
                .invalidRequest, "the path of the picture has no name: '\(output)'",
                remedy: "add a file's name, or a slash for a name like the input's")
        }
        guard name.nameLength <= FileName.limit else {
            throw MediaError(
                .invalidRequest,
                "the picture's name has \(name.nameLength) bytes, and a name may have \(FileName.limit)")
        }
        guard let type = ImageType(fileExtension: FileName.fileExtension(of: name)) else {
            throw MediaError(
                .outputTypeNotValid, "the picture is named '\(name)', and pictures are .png, .jpg or .jpeg",
                remedy: "name it '\(FileName.stem(of: name)).png'")
        }
        let stem = FileName.stem(of: name)
        return (OutputTarget(folder: folder, name: name, stem: stem, overwrite: overwrite ?? false), type)
    }

    private static func name(_ path: String) -> String { FileName.split(path)?.name ?? path }
}

/// What is told of a picture that was drawn; the worker does not know where it ends up.
private protocol DrawnReport: Decodable, Sendable {
    var output: String { get set }
    var bytes: Int64 { get set }
}

extension FrameReport: DrawnReport {}
extension SheetReport: DrawnReport {}

extension Result<JSONValue, MediaError> {
    /// A worker has read a stranger's file: its answer counts only where it is what it should be.
    func read<Value: Decodable>(as _: Value.Type) -> Result<Value, MediaError> {
        flatMap { value in
            do throws(WireError) { return .success(try value.decode(as: Value.self)) } catch {
                return .failure(MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)"))
            }
        }
    }
}

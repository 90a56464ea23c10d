// Images that a worker draws: their paths, the access checks, and the report to the client once the image has its name.
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

extension AssetService {
    /// Has a worker draw an image of a file, then renames it to its final name.
    /// - Parameter suffix: added to the file's name for an image that the caller does not name.
    func draw<Report: DrawnReport>(
        _ method: WorkerMethod, _ params: some PictureParams, suffix: String, _ access: CallerAccess,
        for client: ObjectIdentifier, then: @escaping Then<Report>,
        asking question: (_ name: String, _ type: ImageType) -> some Encodable & Sendable
    ) throws(MediaError) {
        let path = params.path
        let source = try access.source(path)
        let (target, type) = try AssetService.target(
            params.picture, beside: path, suffix, overwrite: params.overwrite)
        let picture = try picture(target, type, source: source.identity, access)
        var work = ShortRequests.Work(
            method: method, params: question(AssetService.name(of: path), type), file: source, path: path,
            user: access.peer.uid, client: client)
        work.beside = [picture.descriptor]
        drawing.ask(work) { outcome in
            picture.conclude(outcome.read(as: Report.self)) { result in
                then(
                    result.map { report, written in
                        var report = report
                        (report.output, report.bytes) = (written.path, written.bytes)
                        return report
                    })
            }
        }
    }

    /// The file that the image is drawn into, after the access check.
    func picture(
        _ target: OutputTarget, _ type: ImageType, source: FileIdentity, _ access: CallerAccess,
        sparing other: FileIdentity? = nil
    ) throws(MediaError) -> ImageOutput {
        var target = target
        let folder = try access.folder(target.folder)
        try SubmissionValidator.validate(target, in: folder, source: source)
        if let other { try SubmissionValidator.validate(target, in: folder, source: other) }
        if access.peer.uid != access.own {
            target.place = try folder.storedIdentity().text
            if target.overwrite, let name = target.name { try folder.checkReplacing(name) }
        }
        return try ImageOutput(
            target, type: target.name.map(FileName.fileExtension) ?? type.rawValue, source: source,
            mode: mode,
            unfinished: unfinished)
    }

    /// The path of the image, as named or beside the source, and its type.
    static func target(
        _ output: String?, beside input: String, _ suffix: String, overwrite: Bool?
    ) throws(MediaError) -> (OutputTarget, ImageType) {
        if let output { try AbsolutePath.check(output, "the image") }
        if let (folder, stem) = try FileName.unnamed(output, input: input, suffix: suffix) {
            return (OutputTarget(folder: folder, name: nil, stem: stem, overwrite: false), .png)
        }
        let output = output ?? ""
        guard let (folder, name) = FileName.split(output) else {
            throw MediaError(
                .invalidRequest, "the path of the image has no name: '\(output)'",
                remedy: "add a file's name, or a slash for a name like the input's")
        }
        guard name.nameLength <= FileName.limit else {
            throw MediaError(
                .invalidRequest,
                "the image's name has \(name.nameLength) bytes, and a name may have \(FileName.limit)")
        }
        guard let type = ImageType(fileExtension: FileName.fileExtension(of: name)) else {
            throw MediaError(
                .outputTypeNotValid, "the image is named '\(name)', and images are .png, .jpg or .jpeg",
                remedy: "name it '\(FileName.stem(of: name)).png'")
        }
        let stem = FileName.stem(of: name)
        return (OutputTarget(folder: folder, name: name, stem: stem, overwrite: overwrite ?? false), type)
    }
}

/// The report of an image; the worker does not know its final path.
protocol DrawnReport: Decodable, Sendable {
    var output: String { get set }
    var bytes: Int64 { get set }
}

extension FrameReport: DrawnReport {}
extension SheetReport: DrawnReport {}

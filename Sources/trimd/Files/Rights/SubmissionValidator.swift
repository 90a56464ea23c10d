// SubmissionValidator: whether a job is accepted, from its syntax, its paths and the rights of this process, before it has an
// ID. The worker checks what depends on the asset (its duration, its tracks). It changes nothing on the disk and queues
// nothing. Any queue.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Text
internal import Wire

/// Validates submissions.
struct SubmissionValidator: Sendable {
    let presets: PresetCatalogue
    /// Whether other nodes may do the job: they know the source by a hash too.
    var isShared = false

    /// A valid request and its files, open, as they are now.
    struct Validated: Sendable {
        var request: ExportRequest
        var file: OpenedFile
        var artwork: OpenedFile?
        var subtitles: OpenedFile?
        /// The name that the queue is to reserve for the output; nil: the job has it already.
        var name: OutputName?

        /// The source's identity now.
        var source: FileIdentity

        init(_ request: ExportRequest, _ file: OpenedFile, isShared: Bool) throws(MediaError) {
            (self.request, self.file) = (request, file)
            source = isShared ? try file.sharedIdentity() : file.identity
        }
    }

    /// Validates a submission; throws the first error.
    /// - Parameter taken: the numbers of a stem in a folder that are reserved for other jobs' outputs.
    func validate(
        _ params: SubmitParams, _ access: CallerAccess,
        taken: (_ folder: String, _ stem: String) throws(MediaError) -> Set<Int> = { _, _ in [] }
    ) throws(MediaError) -> Validated {
        var request = try self.request(params)
        if let key = params.key, !(1...256 ~= key.utf8.count) {
            throw MediaError(.invalidRequest, "a key has 1 to 256 bytes, this one \(key.utf8.count)")
        }
        try request.sources?.check(params.input, params.range)
        let source = try source(&request, access)
        let folder = try prove(&request, source: source.identity, access)
        var validated = try self.validated(request, source, access)
        validated.name = try folder.name(
            for: request.output, fileType: request.preset.likelyFileType(of: request.input),
            of: request.preset.allFileTypes, taken: taken)
        return validated
    }

    /// Builds the request from the parameters alone, without looking at any path.
    /// - Parameter known: the request that was accepted before with the same key: a preset named by its ID resolves to the one
    ///   accepted then.
    func request(_ params: SubmitParams, like known: ExportRequest? = nil) throws(MediaError) -> ExportRequest
    {
        let chosen = try presets(of: params, like: known)
        try SubmissionValidator.checkTimes(params)
        try params.options?.check(params.render ?? .auto)
        var request = ExportRequest(
            input: params.input, output: try target(params, chosen.preset),
            range: params.range, preset: chosen.preset, render: params.render ?? .auto,
            strict: params.strict ?? false, key: params.key, options: params.options)
        request.fallback = chosen.fallback
        request.sources = params.sources
        (request.toleranceBefore, request.toleranceAfter) = (
            params.toleranceBefore?.time, params.toleranceAfter?.time
        )
        request.noHidden = params.noHidden
        request.chapters = params.chapters
        request.metadata = params.metadata
        return request
    }

    /// The preset of a request and its fallback: without a named preset, samples as they are stored, and encoded where that
    /// cannot be, unless a render mode that copies was requested.
    private func presets(
        of params: SubmitParams, like known: ExportRequest?
    ) throws(MediaError) -> (preset: Preset, fallback: Preset?) {
        func resolved(_ reference: PresetReference, _ known: Preset?) throws(MediaError) -> Preset {
            if case .id(known?.id) = reference, let known { return known }
            return try resolve(reference)
        }
        if let named = params.preset { return (try resolved(named, known?.preset), nil) }
        let preset = try resolved(.id(Preset.unnamed), known?.preset)
        switch params.render ?? .auto {
        case .copy, .smart: return (preset, nil)
        case .auto, .encode: return (preset, try resolved(.id(Preset.unnamedFallback), known?.fallback))
        }
    }

    /// Checks access for a request that was accepted before, as for a new one.
    func validate(again request: ExportRequest, _ access: CallerAccess) throws(MediaError) -> Validated {
        var request = request
        let source = try source(&request, access)
        _ = try prove(&request, source: source.identity, access)
        return try validated(request, source, access)
    }

    /// Opens the first source of a request, and notes what all are now.
    private func source(
        _ request: inout ExportRequest, _ access: CallerAccess
    ) throws(MediaError) -> OpenedFile {
        for part in request.sources ?? [] { try AbsolutePath.check(part.path, "a source") }
        let source = try access.source(request.input, request.sources)
        let all = try source.files?.identities(isShared: isShared)
        request.sourceIdentities = all?.map { StoredVersion($0).text }
        var sum: Int64 = 0
        for file in all ?? [] {
            let (total, isTooLarge) = sum.addingReportingOverflow(file.size)
            guard !isTooLarge else { throw MediaError(.limitReached, "the sources together are too large") }
            sum = total
        }
        request.sourceBytes = all == nil ? nil : sum
        return source
    }

    /// Validates a retry by somebody other than the job's owner: the source must be the file that the owner passed, since the
    /// caller proves no access in the owner's name. The folder is compared with the one that was passed when the job begins.
    func validate(unchanged job: Job) throws(MediaError) -> Validated {
        let file = try OpenedFile(opening: job.request.input)
        let validated = try Validated(job.request, file, isShared: job.source.digest != nil)
        guard validated.source.isUnchanged(since: job.source) else {
            throw MediaError(
                .sourceChanged, "\(job.request.input) is not what it was when job \(job.id) was accepted",
                remedy: "let its owner (user \(job.user)) try the job again")
        }
        _ = try SubtitlesInput.open(job)
        return validated
    }

    private func validated(
        _ request: ExportRequest, _ source: OpenedFile, _ access: CallerAccess
    ) throws(MediaError) -> Validated {
        var validated = try Validated(request, source, isShared: isShared)
        validated.request.reader = SourceReader(
            groups: access.isNeeded ? [access.peer.gid] + access.peer.groups : [], since: .now)
        if let path = request.metadata?.artwork {
            let artwork = try access.artwork(path)
            validated.request.metadata?.artworkPlace = stored(artwork.identity.storedIdentity)
            validated.artwork = artwork
        }
        if let path = request.options?.burnedFile {
            let file = try access.subtitles(path, isThird: validated.artwork == nil)
            let identity = isShared ? try file.sharedIdentity() : file.identity
            validated.request.subtitlesIdentity = StoredVersion(identity).text
            validated.subtitles = file
        }
        return validated
    }

    /// Opens the output's folder; throws if the output may not be created in it. For other users' jobs it records the folder's
    /// identity.
    private func prove(
        _ request: inout ExportRequest, source: FileIdentity, _ access: CallerAccess
    ) throws(MediaError) -> OutputFolder {
        let target = request.output
        let folder = try access.folder(target.folder)
        try SubmissionValidator.validate(target, in: folder, source: source)
        for file in (request.sourceIdentities ?? []).compactMap(StoredVersion.init) {
            guard let name = target.name else { break }
            try folder.checkName(name, overwrite: target.overwrite, source: file.identity)
        }
        guard access.peer.uid != access.own else { return folder }
        request.output.place = stored(try folder.storedIdentity())
        if target.overwrite, let name = target.name { try folder.checkReplacing(name) }
        return folder
    }

    /// An identity as it is recorded with a job, which another node may begin.
    private func stored(_ identity: StoredIdentity) -> String {
        isShared ? identity.sharedText : identity.text
    }

    /// The preset that a reference names.
    func resolve(_ reference: PresetReference) throws(MediaError) -> Preset {
        switch reference {
        case .id(let id): try presets.preset(id)
        case .preset(let preset): preset
        }
    }

    /// Throws if the times are invalid for every asset.
    static func checkTimes(_ params: SubmitParams) throws(MediaError) {
        try params.range.check()
        if params.chapters?.first != nil, params.start != nil || params.end != nil || params.duration != nil {
            throw MediaError(
                .invalidRequest, "both a range of chapters and a time are given", remedy: "give one of them")
        }
    }

    /// The path of the output: as named, or beside the source.
    func target(_ params: SubmitParams, _ preset: Preset) throws(MediaError) -> OutputTarget {
        let overwrite = params.overwrite ?? false
        if let output = params.output { try AbsolutePath.check(output, "the output") }
        if let (folder, stem) = try FileName.unnamed(
            params.output, input: params.input, suffix: params.sources == nil ? "-trim" : "-join")
        {
            return OutputTarget(folder: folder, name: nil, stem: stem, overwrite: overwrite)
        }
        let output = params.output ?? ""
        guard let (folder, name) = FileName.split(output) else {
            throw MediaError(
                .invalidRequest, "the path of the output has no name: '\(output)'",
                remedy: "add a file's name, or a slash for a name like the input's")
        }
        guard name.nameLength <= FileName.limit else {
            throw MediaError(
                .invalidRequest,
                "the output's name has \(name.nameLength) bytes, and a name may have \(FileName.limit)")
        }
        let types = preset.allFileTypes
        guard types.contains(FileName.fileExtension(of: name)) else {
            let type = FileName.fileExtension(of: name)
            if FileType(rawValue: type) == nil {
                throw SubmissionValidator.unknown(type, name, preset, params)
            }
            let right = FileType.choice(of: types)
            let writers = presets.writers(of: type, in: preset, for: params.input).prefix(4)
            let rename = "name it '\(FileName.stem(of: name)).\(preset.likelyFileType(of: params.input))'"
            throw MediaError(
                .outputTypeNotValid,
                "the preset '\(preset.id)' makes \(right), and the output is named '\(name)'",
                remedy: writers.isEmpty
                    ? rename
                    : "use " + writers.map { "--preset \($0.id)" }.joined(separator: " or ")
                        + ", or \(rename)")
        }
        return OutputTarget(folder: folder, name: name, stem: FileName.stem(of: name), overwrite: overwrite)
    }

    /// Extensions of still images.
    private static let images: Set<String> = [
        "png", "jpg", "jpeg", "webp", "avif", "heic", "heif", "jxl", "bmp", "tif", "tiff", "apng",
    ]

    /// The error of an output that is named as no file that trimd writes.
    private static func unknown(
        _ type: String, _ name: String, _ preset: Preset, _ params: SubmitParams
    ) -> MediaError {
        let stem = FileName.stem(of: name)
        let what = type.isEmpty ? "the output '\(name)' has no extension" : "trimd writes no .\(type)"
        guard !images.contains(type) else {
            return MediaError(
                .outputTypeNotValid, "an export writes no .\(type)",
                remedy:
                    "for a still image use `trimctl frame INPUT --at T -o \(stem).\(type.hasPrefix("j") ? "jpg" : "png")`, for an animation "
                    + "--preset gif -o \(stem).gif")
        }
        return MediaError(
            .outputTypeNotValid,
            "\(what); it writes \(FileType.allCases.map(\.rawValue).joined(separator: ", "))",
            remedy: "name it '\(stem).\(preset.likelyFileType(of: params.input))'")
    }

    /// Throws if the output cannot be created in its folder, or its name is taken.
    static func validate(
        _ target: OutputTarget, in folder: borrowing OutputFolder, source: FileIdentity
    ) throws(MediaError) {
        try folder.checkWritable()
        if let name = target.name {
            try folder.checkName(name, overwrite: target.overwrite, source: source)
        }
    }
}

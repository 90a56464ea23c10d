// Converts a list to requests, or reports all its faults: presets, sources, times, types, names. Queries the daemon once per
// source and once per way to export it, not once per line.
internal import FoundationEssentials
internal import Lists
internal import Media
internal import MediaTime
internal import Text
internal import TrimClient
internal import Wire

/// Checks a list.
final class BatchPlanner {
    /// Command line settings for all lines.
    struct Settings {
        var input: String?
        var preset: PresetReference?
        var presetID: String
        var render: RenderMode?
        var snap: Snap?
        var round: CutRounding?
        /// The options over every line's preset that the line leaves open.
        var options = ExportOptions()
        var isStrict: Bool
        var priority: Int?
        /// Tags that the nodes have that do it.
        var needs: [String]?
        var isResuming: Bool
        /// The prefix of this list's keys; the list's identity.
        var identity: String
        /// Whether this run does the export at an index, from 1; the others are only checked.
        var isOwn: @Sendable (Int) -> Bool = { _ in true }
        /// The records of earlier runs of a shard.
        var journal: ShardJournal?
    }

    /// The planned items, and the faults.
    private(set) var items: [BatchItem] = []
    private(set) var faults: [BatchFault] = []

    private let settings: Settings
    private let daemon: DaemonConnection
    private let presets: OwnPresets
    private let known: PresetCatalogue
    private let listFolder: String
    private var assets: [String: Result<Media.Asset, MediaError>] = [:]
    private let compatibility: BatchCompatibility
    private var occurrences: [String: Int] = [:]

    init(_ settings: Settings, _ daemon: DaemonConnection, _ presets: OwnPresets, listFolder: String)
        throws(MediaError)
    {
        self.settings = settings
        self.daemon = daemon
        self.presets = presets
        self.listFolder = listFolder
        compatibility = BatchCompatibility(daemon)
        let list: PresetListResult = try daemon.call(.presetList)
        known = PresetCatalogue(list.presets + presets.catalogue.presets)
    }

    /// Plans all lines; throws errors of the daemon or the user, not of the list.
    func plan(_ list: ExportList, _ names: (_ sources: [String]) -> BatchNames) throws(MediaError) {
        for fault in list.faults + list.notes.filter({ $0.isLoss && settings.isStrict }) {
            let remedy = fault.isLoss ? "leave out --strict, and the cut is made without it" : nil
            faults.append(
                BatchFault(
                    line: fault.line, error: MediaError(.invalidRequest, fault.message, remedy: remedy)))
        }
        var planned: [(item: BatchItem, listed: ListedExport, isRight: Bool)] = []
        for (offset, listed) in list.exports.enumerated() {
            var item = BatchItem(
                index: offset + 1, line: listed.line, label: listed.label,
                request: SubmitParams(input: listed.input ?? ""), preset: listed.preset ?? settings.presetID)
            do throws(MediaError) {
                try check(&item, listed)
                planned.append((item, listed, true))
            } catch {
                try refuse(&item, error)
                planned.append((item, listed, false))
            }
        }
        var names = names(planned.filter(\.isRight).map(\.item.request.input))
        // The output of an earlier run keeps its name.
        for index in planned.indices where planned[index].isRight {
            setKeys(
                &planned[index].item,
                output: names.outputPath(planned[index].listed, of: planned[index].item.request.input))
            guard settings.isOwn(index + 1) else { continue }
            do throws(MediaError) {
                try recognise(&planned[index].item)
                if planned[index].item.isKnown {
                    names.reserve(planned[index].item.output, line: planned[index].item.line)
                }
            } catch {
                try refuse(&planned[index].item, error)
                planned[index].isRight = false
            }
        }
        for (item, listed, isRight) in planned {
            var item = item
            if isRight, !item.isKnown {
                do throws(MediaError) {
                    try names.name(&item, listed, isOwn: settings.isOwn(item.index))
                } catch {
                    try refuse(&item, error)
                }
            }
            items.append(item)
        }
        faults.sort { $0.line < $1.line }
    }

    /// Records a fault of a line; throws other errors.
    private func refuse(_ item: inout BatchItem, _ error: MediaError) throws(MediaError) {
        if error.code == .noDaemon || error.code == .operationCancelled { throw error }
        item.outcome = .refused
        item.error = error
        faults.append(BatchFault(line: item.line, error: error))
    }

    private func check(_ item: inout BatchItem, _ listed: ListedExport) throws(MediaError) {
        let reference = try preset(listed)
        var request = try rest(listed)
        request.input = try input(listed)
        item.request.input = request.input
        request.preset = request.preset ?? reference
        if case .preset(let own)? = request.preset { item.preset = own.id }
        request.render = listed.render ?? request.render ?? settings.render
        request.snap = listed.snap ?? request.snap ?? settings.snap
        request.round = request.round ?? settings.round
        let options = (listed.options ?? request.options ?? ExportOptions()).completed(by: settings.options)
        request.options = options == ExportOptions() ? nil : options
        if let file = options.burnedFile { request.options?.burnSubtitles = try subtitles(file) }
        try request.options?.check(request.render ?? .auto)
        if settings.isStrict { request.strict = true }
        request.priority = request.priority ?? settings.priority
        request.needs = request.needs ?? settings.needs
        let asset = try asset(request.input).get()
        let times = BatchTimes(asset: asset)
        try times.apply(listed, into: &request)
        item.length = try times.check(request)
        if request.output != nil || request.overwrite != nil {
            throw MediaError(
                .invalidRequest, "output and overwrite are for the list as a whole; give --clash")
        }
        let result = try compatibility.result(of: request).get()
        item.fileType = try type(result, listed)
        item.way = result.render
        item.estimatedBytes = request.start == nil && request.end == nil ? result.estimatedBytes : nil
        item.warnings = result.warnings.map(\.message)
        item.request = request
    }

    /// The additional settings of a JSON line.
    private func rest(_ listed: ListedExport) throws(MediaError) -> SubmitParams {
        guard let text = listed.rest else { return SubmitParams(input: "") }
        do throws(WireError) {
            guard var members = try JSONValue(parsing: Array(text.utf8)).object else {
                return SubmitParams(input: "")
            }
            members["input"] = .string("")
            return try JSONValue.object(members).decode(as: SubmitParams.self)
        } catch {
            let words = if case .malformed(let words) = error { words } else { "\(error)" }
            throw MediaError(.invalidRequest, words)
        }
    }

    private func preset(_ listed: ListedExport) throws(MediaError) -> PresetReference? {
        guard let id = listed.preset else { return settings.preset }
        if presets.catalogue.problems.contains(where: { $0.file.hasSuffix("/\(id).json") }) {
            return try presets.reference(id)
        }
        return try presets.reference(known.preset(id).id)
    }

    /// The path of a line's source; a clip name may lack its extension.
    private func input(_ listed: ListedExport) throws(MediaError) -> String {
        guard let name = listed.isClipName ? settings.input ?? listed.input : listed.input ?? settings.input
        else {
            throw MediaError(
                .invalidRequest, "the line names no source", remedy: "give --input FILE for all of them")
        }
        let isOption = name == settings.input
        let path = name.isAbsolutePath || isOption ? name : listFolder + "/" + name
        if BatchNames.isFolder(path) { throw MediaError(.notARegularFile, "the source \(path) is a folder") }
        if FileSystem.exists(path) { return path }
        let folder = BatchNames.folder(of: path)
        if listed.isClipName {
            let own = FileSystem.names(in: folder)
            let wanted = BatchNames.last(path).lowercased()
            let found = own.filter {
                BatchNames.stem($0).lowercased() == wanted && ListFormat(name: $0, bytes: []) == nil
            }
            if found.count == 1 { return folder + "/" + found[0] }
            throw MediaError(
                .fileNotFound, "the clip '\(name)' is not a file in \(folder)",
                remedy: "give --input FILE, or put the file there")
        }
        throw MediaError(
            .fileNotFound, "the source \(path) does not exist", remedy: MissingFile.remedy(for: path))
    }

    /// The path of a line's subtitle file.
    private func subtitles(_ name: String) throws(MediaError) -> String {
        let path = name.isAbsolutePath ? name : listFolder + "/" + name
        guard FileSystem.exists(path) else {
            throw MediaError(
                .fileNotFound, "the subtitle file \(path) does not exist",
                remedy: MissingFile.remedy(for: path))
        }
        return path
    }

    private func asset(_ path: String) throws(MediaError) -> Result<Media.Asset, MediaError> {
        if let known = assets[path] { return known }
        let answer: Result<Media.Asset, MediaError>
        do throws(MediaError) {
            answer = .success(try daemon.probe(ProbeParams(path: path)))
        } catch {
            if error.code == .noDaemon || error.code == .operationCancelled { throw error }
            answer = .failure(error)
        }
        assets[path] = answer
        return answer
    }

    /// The output's file type: from its name, otherwise the preset's first for this source.
    private func type(_ result: PresetCompatibility, _ listed: ListedExport) throws(MediaError) -> String {
        let first = result.fileTypes.first ?? "mp4"
        guard let output = listed.output else { return first }
        let type = BatchNames.fileExtension(output)
        if type.isEmpty || result.fileTypes.contains(type) { return type.isEmpty ? first : type }
        let reason = result.types?.first { $0.type == type }?.reasons.first
        throw MediaError(
            reason == nil ? .outputTypeNotValid : .presetNotValid,
            reason?.message
                ?? "the preset '\(result.id)' makes .\(result.fileTypes.joined(separator: ", .")) of this file, and the "
                + "output is named '\(output)'",
            remedy: reason?.remedy ?? "name it .\(first)")
    }

    /// Sets the keys by which later runs find an export. Equal exports are counted over the whole list, so that each has a key of
    /// its own in all shards.
    private func setKeys(_ item: inout BatchItem, output: String) {
        func key(_ list: String) -> String {
            let plain = BatchKey.key(list: list, request: item.request, output: output, occurrence: 0)
            let occurrence = occurrences[plain, default: 0]
            occurrences[plain] = occurrence + 1
            return BatchKey.key(list: list, request: item.request, output: output, occurrence: occurrence)
        }
        // On other hosts the list may have another path.
        if settings.journal != nil { item.shardKey = key("shard \(item.label ?? "")") }
        if item.request.key == nil { item.request.key = key(settings.identity) }
    }

    /// Finds what an earlier run has done or begun: by the record of the shard, and by the job with its key.
    private func recognise(_ item: inout BatchItem) throws(MediaError) {
        let entry = settings.isResuming ? settings.journal?.entry(item.shardKey) : nil
        if case .completed(let export)? = entry, let bytes = export.bytes,
            BatchNames.size(export.output) == bytes
        {
            (item.recorded, item.outcome, item.isReused) = (export, .completed, true)
            return
        }
        let params = ListParams(key: item.request.key)
        let jobs: [JobReport] = try daemon.call(.jobList, params)
        if let job = jobs.first, !job.status.isFinal {
            guard settings.isResuming else {
                throw MediaError(
                    .jobStateNotValid, "job \(job.id) of an earlier run of this list is not done yet",
                    remedy: "--resume joins it, `trimctl cancel \(job.id)` ends it")
            }
            item.job = job
        } else if settings.isResuming, let job = jobs.first, job.status == .completed, job.bytes != nil,
            // The file of that name may have been replaced.
            BatchNames.size(job.output) == job.bytes
        {
            (item.job, item.outcome, item.isReused) = (job, .completed, true)
        } else if case .began(let path, _, false)? = entry, let bytes = BatchNames.size(path) {
            // Its name was free when it was submitted, and an output appears only when it is complete: the run that began it
            // did not live to record it.
            var export = BatchReport.export(item)
            (export.output, export.bytes) = (path, bytes)
            (item.recorded, item.outcome, item.isReused) = (export, .completed, true)
        } else {
            item.stale = jobs.first?.id
        }
    }
}

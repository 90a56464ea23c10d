// From a session's settings to a job of trimd's, and to its end.
public import FoundationEssentials
public import Media
internal import MediaTime
internal import Synchronization
internal import Text
internal import Wire

extension ExportSession {
    /// Exports, and returns the finished job's report: the tracks, the exact ranges, warnings, and what was left out.
    ///
    /// The output appears under its name when it is complete, verified and synced; before that, and after an error, there is none.
    /// - Parameters:
    ///   - url: The output. Its extension is the type's.
    ///   - type: The file type; nil: ``outputFileType``, else by the extension.
    @discardableResult
    public func export(to url: URL, as type: FileType? = nil) async throws(ExportError) -> JobReport {
        try await run.export(socket: asset.socket) { () throws(ExportError) in
            var request = try request()
            request.output = try output(url, type)
            return request
        }
    }

    /// The request that the settings make, without an output.
    func request() throws(ExportError) -> SubmitParams {
        let settings = settings.withLock { $0 }
        var request = SubmitParams(input: try asset.path())
        request.preset = preset.map(PresetReference.id)
        request.range = try Self.range(settings.ranges)
        request.render = settings.render == .auto ? nil : settings.render
        request.options = settings.options
        request.overwrite = settings.replacesExistingFile ? true : nil
        request.chapters = settings.chapters.map { ChapterRequest(marks: $0) }
        if let items = settings.metadata {
            request.metadata = MetadataRequest(items: items, policy: .strip)
        } else if settings.metadataItemFilter != .keep {
            request.metadata = MetadataRequest(policy: settings.metadataItemFilter)
        }
        return request
    }

    /// The output's path, if the type has its extension.
    private func output(_ url: URL, _ type: FileType?) throws(ExportError) -> String {
        let path = try url.absolutePath()
        guard let type = type ?? outputFileType else { return path }
        let name = path.lastSlash.map { path.behind($0) } ?? path
        let parts = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.last.map({ String($0).lowercased() }) == type.rawValue else {
            throw ExportError(
                MediaError(
                    .outputTypeNotValid,
                    "\(PathBytes.readable(name)) is not named as a file of type \(type.rawValue)",
                    remedy: "end its name in .\(type.rawValue), or name no type"))
        }
        return path
    }

    /// The range of a request.
    static func range(_ ranges: [TimeRange]) throws(ExportError) -> RangeRequest {
        for range in ranges
        where !range.start.isNumeric || !(range.end.isNumeric || range.end.isPositiveInfinity) {
            throw ExportError(
                MediaError(
                    .invalidTime, "\(range) is not a range of the source",
                    remedy: "give a start, and an end or a duration"))
        }
        guard let first = ranges.first else {
            throw ExportError(MediaError(.invalidTime, "no range is to be exported", remedy: "set timeRange"))
        }
        let spelled = ranges.map { range in
            RangeSpelling(
                start: range.start == .zero ? nil : .time(range.start),
                end: range.end.isNumeric ? .time(range.end) : nil)
        }
        var request = RangeRequest()
        if ranges.count > 1 {
            request.keep = spelled
        } else if first != .all {
            (request.start, request.end) = (spelled.first?.start, spelled.first?.end)
        }
        return request
    }
}

extension ExportSession.Settings {
    /// The options beyond the preset; nil: none.
    var options: RenderOptions? {
        var options = RenderOptions()
        if fileLengthLimit > 0 { options.limitSize = fileLengthLimit }
        if shouldOptimizeForNetworkUse { options.optimize = true }
        return options == RenderOptions() ? nil : options
    }
}

// An export as its user configures it: the asset, the preset, the range, and what else a request may say. It exports nothing itself:
// trimd does. Any task; the settings count as they are when the export begins.
public import FoundationEssentials
public import Media
public import MediaTime
internal import Synchronization
internal import Text
internal import Wire

/// An export of an ``Asset`` with a preset: made by trimd, exact to the frame and the audio sample.
///
/// Set the properties that matter, then call ``export(to:as:)``. A session exports once. Cancelling the task that exports cancels the
/// job in trimd, and waits until nothing of it is left.
public final class ExportSession: Sendable {
    /// The settings of a session, until it exports.
    struct Settings {
        var ranges: [TimeRange] = [.all]
        var outputFileType: FileType?
        var render = RenderMode.auto
        var metadata: [String: String]?
        var metadataItemFilter = MetadataPolicy.keep
        var chapters: [ChapterMark]?
        var fileLengthLimit: Int64 = 0
        var shouldOptimizeForNetworkUse = false
        var replacesExistingFile = false
    }

    /// The source.
    public let asset: Asset
    /// The preset's ID, such as `m4v720`; nil: the asset as it is, with only its ends encoded.
    public let preset: String?
    let settings = Mutex(Settings())
    let run = ExportRun()

    /// Creates a session. Whether the preset is valid for the asset is known when it exports, or from
    /// ``compatibility(ofExportPreset:with:outputFileType:)``.
    public init(asset: Asset, preset: String? = nil) {
        self.asset = asset
        self.preset = preset
    }
}

// MARK: Settings

extension ExportSession {
    /// The range of the source to export, half open; all of it, unless set.
    public var timeRange: TimeRange {
        get { settings.withLock(\.ranges).first ?? .all }
        set { settings.withLock { $0.ranges = [newValue] } }
    }

    /// Ranges of the source to export, joined in this order, instead of one.
    public var timeRanges: [TimeRange] {
        get { settings.withLock(\.ranges) }
        set { settings.withLock { $0.ranges = newValue } }
    }

    /// The file type; nil: that of the output's name.
    public var outputFileType: FileType? {
        get { settings.withLock(\.outputFileType) }
        set { settings.withLock { $0.outputFileType = newValue } }
    }

    /// Whether samples are copied or encoded; the cheapest way that is exact, unless set.
    public var render: RenderMode {
        get { settings.withLock(\.render) }
        set { settings.withLock { $0.render = newValue } }
    }

    /// The output's metadata, by common identifiers such as `title`, or by keys of one's own with a dot, instead of the source's;
    /// nil: the source's.
    public var metadata: [String: String]? {
        get { settings.withLock(\.metadata) }
        set { settings.withLock { $0.metadata = newValue } }
    }

    /// Which of the source's metadata is carried, where ``metadata`` is nil.
    public var metadataItemFilter: MetadataPolicy {
        get { settings.withLock(\.metadataItemFilter) }
        set { settings.withLock { $0.metadataItemFilter = newValue } }
    }

    /// The output's chapters, in times of the source; nil: those of the range.
    public var chapters: [ChapterMark]? {
        get { settings.withLock(\.chapters) }
        set { settings.withLock { $0.chapters = newValue } }
    }

    /// The most bytes of the output; 0: as many as it needs.
    public var fileLengthLimit: Int64 {
        get { settings.withLock(\.fileLengthLimit) }
        set { settings.withLock { $0.fileLengthLimit = newValue } }
    }

    /// Whether the index precedes the media, whatever the preset says.
    public var shouldOptimizeForNetworkUse: Bool {
        get { settings.withLock(\.shouldOptimizeForNetworkUse) }
        set { settings.withLock { $0.shouldOptimizeForNetworkUse = newValue } }
    }

    /// Whether an existing output is replaced once the export is complete; else it is an error.
    public var replacesExistingFile: Bool {
        get { settings.withLock(\.replacesExistingFile) }
        set { settings.withLock { $0.replacesExistingFile = newValue } }
    }
}

extension ChapterMark {
    /// A chapter from a time of the source to the next one.
    public init(_ title: String, at time: Time) { self.init(time: .time(time), title: title) }
}

// Questions before an export: which presets are valid, how large the output will be, how much of the source fits. trimd answers them
// with asset.check, by the rules that the export itself follows.
extension ExportSession {
    /// The IDs of all presets that trimd has.
    /// - Parameter socket: the socket of trimd; nil: as for ``Asset/init(url:socket:)``.
    public static func allExportPresets(socket: String? = nil) async throws(ExportError) -> [String] {
        try await DaemonThread.run(socket: socket) { daemon throws(MediaError) in
            let list: PresetListResult = try daemon.call(.presetList)
            return list.presets.map(\.id)
        }
    }

    /// The IDs of the presets that are valid for an asset.
    public static func exportPresets(compatibleWith asset: Asset) async throws(ExportError) -> [String] {
        try await report(CheckParams(path: try asset.path()), asset).presets.filter(\.valid).map(\.id)
    }

    /// Whether a preset is valid for an asset, in which file types, how it renders, and why not.
    /// - Parameters:
    ///   - preset: The preset's ID.
    ///   - asset: The source.
    ///   - outputFileType: The output's type; nil: any.
    public static func compatibility(
        ofExportPreset preset: String, with asset: Asset, outputFileType: FileType? = nil
    ) async throws(ExportError) -> PresetCompatibility {
        let params = CheckParams(path: try asset.path(), preset: .id(preset), type: outputFileType?.rawValue)
        return try await result(params, asset)
    }

    /// The estimated size of the output in bytes; nil if it cannot be told.
    public var estimatedOutputFileLength: Int64? {
        get async throws(ExportError) { try await compatibility().estimatedBytes?.likely }
    }

    /// The longest part of the source that fits ``fileLengthLimit``; without a limit infinite.
    public var estimatedMaximumDuration: Time {
        get async throws(ExportError) {
            guard fileLengthLimit > 0 else { return .positiveInfinity }
            return try await compatibility().estimatedMaximumDuration ?? .invalid
        }
    }

    /// Whether this session's preset is valid for its asset, range and settings, with the estimates for them.
    public func compatibility() async throws(ExportError) -> PresetCompatibility {
        let request = try request()
        var params = CheckParams(
            path: request.input, preset: request.preset ?? .id("passthrough"), type: outputFileType?.rawValue)
        params.range = request.range
        params.options = request.options
        return try await ExportSession.result(params, asset)
    }

    private static func report(
        _ params: CheckParams, _ asset: Asset
    ) async throws(ExportError) -> CompatibilityReport {
        try await DaemonThread.run(socket: asset.socket) { daemon throws(MediaError) in
            try daemon.check(params)
        }
    }

    /// The result for the one preset of a question. An asset that cannot be exported at all, such as a protected one, is compatible with
    /// none.
    private static func result(
        _ params: CheckParams, _ asset: Asset
    ) async throws(ExportError) -> PresetCompatibility {
        let report = try await report(params, asset)
        if let result = report.presets.first { return result }
        var id = ""
        if case .id(let asked) = params.preset { id = asked }
        return PresetCompatibility(
            id: id, valid: false, fileTypes: [], render: nil, reasons: [report.reason].compactMap(\.self),
            warnings: [])
    }
}

// From a session's settings to a job of trimd's, and to its end.
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
    var options: ExportOptions? {
        var options = ExportOptions()
        if fileLengthLimit > 0 { options.limitSize = fileLengthLimit }
        if shouldOptimizeForNetworkUse { options.optimize = true }
        return options == ExportOptions() ? nil : options
    }
}

// Observers of a running export, as a player has them.
/// An observer of an export's times, to remove it with.
public struct TimeObserver: Hashable, Sendable {
    let id: Int
}

extension ExportSession {
    /// Calls a closure with the source time that the export has reached, each time when that has grown.
    ///
    /// The closure runs on the session's own thread, and must return soon.
    /// - Parameters:
    ///   - interval: The least time between two calls, from 1/100 s to an hour.
    ///   - body: Called with the time.
    @discardableResult
    public func addPeriodicTimeObserver(
        forInterval interval: Time, using body: @escaping @Sendable (Time) -> Void
    ) -> TimeObserver {
        run.add(ObserverState(interval: interval, call: body))
    }

    /// Calls a closure once for each of these times of the source when the export passes it. Times outside the range are never
    /// passed.
    ///
    /// The closure runs on the session's own thread, and must return soon.
    /// - Parameters:
    ///   - times: At most 1000, those of all observers of the session together.
    ///   - body: Called with the time that was passed.
    @discardableResult
    public func addBoundaryTimeObserver(
        forTimes times: [Time], using body: @escaping @Sendable (Time) -> Void
    ) -> TimeObserver {
        run.add(ObserverState(boundaries: Set(times), call: body))
    }

    /// Removes an observer.
    public func removeTimeObserver(_ observer: TimeObserver) { run.remove(observer) }
}

// The states of an export, as a sequence.
extension ExportSession {
    /// How far an export is: a fraction, a phase, the speed and an estimate of the time left.
    public typealias Progress = Media.Progress

    /// The state of an export.
    public enum State: Hashable, Sendable {
        /// It is in trimd's queue.
        case waiting
        /// A worker makes it.
        case exporting(Progress)
        /// The output is complete, verified and in its place.
        case completed(JobReport)
        /// There is no output.
        case failed(ExportError)
        /// It was cancelled; there is no output.
        case cancelled

        /// Whether no other state follows.
        public var isFinal: Bool {
            switch self {
            case .waiting, .exporting: false
            case .completed, .failed, .cancelled: true
            }
        }
    }

    /// The states of the export: the present one, then each that follows, and after the last the end.
    ///
    /// It may be asked for before the export begins, any number of times. To one who reads slowly the oldest states are lost.
    /// - Parameter updateInterval: The least time between two reports of progress, from 1/100 s to an hour.
    public func states(updateInterval: Duration = .milliseconds(250)) -> AsyncStream<State> {
        run.states(interval: updateInterval)
    }

    /// The states of the export, as AVFoundation is asked for them: with the interval in seconds.
    /// - Parameter updateInterval: The least time between two reports of progress, in seconds: what is not from 1/100 s to an hour becomes
    ///   the nearest of these. With `.infinity` hardly more than the changes of the state are reported.
    public func states(updateInterval: Double) -> AsyncStream<State> {
        let seconds = updateInterval.isNaN ? 0.25 : min(max(updateInterval, 0.01), 3600)
        return states(updateInterval: .seconds(seconds))
    }
}

extension ExportSession.State {
    /// The state that a job's report says; nil: of a job that is ended.
    init(_ job: JobReport) {
        switch job.status {
        case .waiting, .held: self = .waiting
        case .exporting:
            self = .exporting(
                Media.Progress(
                    fraction: job.progress, phase: job.phase ?? .preparing, speed: job.speed,
                    remaining: job.remaining))
        case .completed: self = .completed(job)
        case .failed:
            self = .failed(
                ExportError(job.error ?? MediaError(.unknown, "the job failed for an unknown reason")))
        case .cancelled: self = .cancelled
        }
    }
}

// An export as its user configures it: the asset, the preset, the range, and what else a request may say. It exports nothing itself:
// trimd does. Any task; the settings count as they are when the export begins.
internal import Media
public import MediaTime
internal import Synchronization

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

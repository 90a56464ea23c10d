// Parameters of `job.submit`. A pure value.
public import Media
public import MediaTime

/// The parameters of `job.submit`. It returns a `JobReport`.
public struct SubmitParams: Hashable, Codable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var input: String
    /// The output's absolute path; nil: beside the source, named `NAME-trim`, numbered if that exists.
    @SpelledPathIfAny public var output: String? = nil
    /// Whether an existing output may be replaced.
    public var overwrite: Bool?
    /// The in point; nil: the start of the asset.
    public var start: TimeSpelling?
    /// The out point, in source time; nil: the end of the asset.
    public var end: TimeSpelling?
    /// The duration, instead of `end`.
    public var duration: TimeSpelling?
    /// The preset; nil: `m4v720`.
    public var preset: PresetReference?
    /// The render mode; nil: auto.
    public var render: RenderMode?
    /// How to snap the cut points.
    public var snap: Snap?
    /// Whether warnings are errors.
    public var strict: Bool?
    /// The idempotency key: submitting it twice creates one job.
    public var key: String?
    /// From 0 to 100: the highest of a user's waiting jobs starts first; nil: 50. Only root and the daemon's user may exceed
    /// 50.
    public var priority: Int?
    /// Ranges to join in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges to remove between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// Maximum distance each cut point may move back to avoid encoding; `inf`: no limit.
    public var toleranceBefore: ToleranceSpelling?
    /// Maximum distance each cut point may move forward.
    public var toleranceAfter: ToleranceSpelling?
    /// The export fails if the file would contain hidden copied samples.
    public var noHidden: Bool?
    /// Options beyond the preset.
    public var options: RenderOptions?
    /// The chapter request; nil: the chapters of the range.
    public var chapters: ChapterRequest?
    /// The metadata request; nil: the source's metadata is copied.
    public var metadata: MetadataRequest?

    /// Creates parameters with an input; the rest is set as needed.
    public init(input: String) { self.input = input }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case input, output, overwrite, start, end, duration, preset, render, snap, strict, key, priority
        case keep, remove, toleranceBefore, toleranceAfter, noHidden
        case options
        case chapters, metadata
    }

    /// Decodes; an unknown key is an error, since silently ignoring an option gives a wrong export.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        input = try values.path(.input)
        output = try values.pathIfAny(.output)
        overwrite = try values.may(.overwrite, Bool.self)
        start = try values.may(.start, TimeSpelling.self)
        end = try values.may(.end, TimeSpelling.self)
        duration = try values.may(.duration, TimeSpelling.self)
        preset = try values.may(.preset, PresetReference.self)
        render = try values.may(.render, RenderMode.self)
        snap = try values.may(.snap, Snap.self)
        strict = try values.may(.strict, Bool.self)
        key = try values.may(.key, String.self)
        priority = try values.may(.priority, Int.self)
        keep = try values.may(.keep, [RangeSpelling].self)
        remove = try values.may(.remove, [RangeSpelling].self)
        toleranceBefore = try values.may(.toleranceBefore, ToleranceSpelling.self)
        toleranceAfter = try values.may(.toleranceAfter, ToleranceSpelling.self)
        noHidden = try values.may(.noHidden, Bool.self)
        options = try values.may(.options, RenderOptions.self)
        chapters = try values.may(.chapters, ChapterRequest.self)
        metadata = try values.may(.metadata, MetadataRequest.self)
        if metadata?.artworkPlace != nil {
            throw values.wrong(.metadata, "names artworkPlace, which trimd sets")
        }
        if let priority, !(0...100 ~= priority) {
            throw values.wrong(.priority, "is \(priority), and must be 0 to 100")
        }
    }
}

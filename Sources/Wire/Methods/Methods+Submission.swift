// Parameters of `job.submit`. A pure value.
public import Media
public import Text

/// The parameters of `job.submit`. It returns a `JobReport`.
public struct SubmitParams: Ranged, Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path; of several, that of the first.
    @SpelledPath public var input: String
    /// Several sources, which are played one after the other; nil: `input` alone.
    @SpelledSources public var sources: [SourcePart]? = nil
    /// The output's absolute path; nil: beside the source, named `NAME-trim`, numbered if that exists.
    @SpelledPathIfAny public var output: String? = nil
    /// Whether an existing output may be replaced.
    public var overwrite: Bool?
    /// The range.
    public var range = RangeRequest()
    /// The preset; nil: `passthrough`, and `highest` where the asset cannot be cut without encoding it.
    public var preset: PresetReference?
    /// The render mode; nil: auto.
    public var render: RenderMode?
    /// Whether warnings are errors.
    public var strict: Bool?
    /// The idempotency key: submitting it twice creates one job.
    public var key: String?
    /// From 0 to 100: the highest of a user's waiting jobs starts first; nil: 50. Only root and the daemon's user may exceed
    /// 50.
    public var priority: Int?
    /// It runs only after these jobs have completed, at most 100; where one of them fails, is cancelled or is removed, it fails.
    public var after: [Int64]?
    /// It does not start before this moment.
    public var notBefore: Moment?
    /// Tags that the node has that does it, at most 16.
    public var needs: [String]?
    /// How many jobs the caller is about to have at once, this one included, from 1 to 64: processors are left for those to come. It
    /// holds until the caller submits another job or disconnects; nil: 1.
    public var concurrency: Int?
    /// Maximum distance each cut point may move back to avoid encoding; `inf`: no limit.
    public var toleranceBefore: ToleranceSpelling?
    /// Maximum distance each cut point may move forward.
    public var toleranceAfter: ToleranceSpelling?
    /// The export fails if the file would contain hidden copied samples.
    public var noHidden: Bool?
    /// Options beyond the preset.
    public var options: ExportOptions?
    /// The chapter request; nil: the chapters of the range.
    public var chapters: ChapterRequest?
    /// The metadata request; nil: the source's metadata is copied.
    public var metadata: MetadataRequest?

    /// Creates parameters with an input; the rest is set as needed.
    public init(input: String) { self.input = input }

    /// The allowed concurrency.
    public static let concurrencies = 1...64

    /// The most jobs that one may run after.
    static let mostAfter = 100

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        if metadata?.artworkPlace != nil {
            throw InvalidValue(CodingKeys.metadata, "names artworkPlace, which trimd sets")
        }
        try InvalidValue.check(CodingKeys.priority, priority, in: 0...100)
        try InvalidValue.check(CodingKeys.concurrency, concurrency, in: SubmitParams.concurrencies)
        if let after, after.count > SubmitParams.mostAfter {
            throw InvalidValue(
                CodingKeys.after, "has \(after.count) jobs, and may have \(SubmitParams.mostAfter)")
        }
        if let needs, needs.count > NodeTag.most {
            throw InvalidValue(CodingKeys.needs, "has \(needs.count) tags, and may have \(NodeTag.most)")
        }
        if let tag = needs?.first(where: { !NodeTag.isValid($0) }) {
            throw InvalidValue(CodingKeys.needs, "has '\(tag.prefix(80))'; \(NodeTag.rule)")
        }
    }
}

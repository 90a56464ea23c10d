// Parameters of `job.submit`. A pure value.
public import Media

/// The parameters of `job.submit`. It returns a `JobReport`.
public struct SubmitParams: Ranged, Hashable, Codable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var input: String
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
    public var options: RenderOptions?
    /// The chapter request; nil: the chapters of the range.
    public var chapters: ChapterRequest?
    /// The metadata request; nil: the source's metadata is copied.
    public var metadata: MetadataRequest?

    /// Creates parameters with an input; the rest is set as needed.
    public init(input: String) { self.input = input }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case input, output, overwrite, preset, render, strict, key, priority
        case after, notBefore, needs, concurrency, toleranceBefore, toleranceAfter, noHidden, options
        case chapters, metadata
    }

    /// Decodes; an unknown key is an error, since silently ignoring an option gives a wrong export.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self, others: RangeRequest.CodingKeys.allCases)
        range = try RangeRequest(from: decoder)
        input = try values.path(.input)
        output = try values.pathIfAny(.output)
        overwrite = try values.may(.overwrite, Bool.self)
        preset = try values.may(.preset, PresetReference.self)
        render = try values.may(.render, RenderMode.self)
        strict = try values.may(.strict, Bool.self)
        key = try values.may(.key, String.self)
        priority = try values.may(.priority, Int.self)
        after = try values.may(.after, [Int64].self)
        notBefore = try values.may(.notBefore, Moment.self)
        needs = try values.may(.needs, [String].self)
        concurrency = try values.may(.concurrency, Int.self)
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
        if let concurrency, !(SubmitParams.concurrencies ~= concurrency) {
            throw values.wrong(.concurrency, "is \(concurrency), and must be 1 to 64")
        }
        if let after, after.count > SubmitParams.mostAfter {
            throw values.wrong(.after, "has \(after.count) jobs, and may have \(SubmitParams.mostAfter)")
        }
        if let needs, needs.count > NodeTag.most {
            throw values.wrong(.needs, "has \(needs.count) tags, and may have \(NodeTag.most)")
        }
        if let tag = needs?.first(where: { !NodeTag.isValid($0) }) {
            throw values.wrong(.needs, "has '\(tag.prefix(80))'; \(NodeTag.rule)")
        }
    }

    /// The allowed concurrency.
    public static let concurrencies = 1...64

    /// The most jobs that one may run after.
    static let mostAfter = 100

    /// Encodes, with the range's keys among the others.
    public func encode(to encoder: any Encoder) throws {
        try range.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(_input, forKey: .input)
        try values.encode(_output, forKey: .output)
        try values.encodeIfPresent(overwrite, forKey: .overwrite)
        try values.encodeIfPresent(preset, forKey: .preset)
        try values.encodeIfPresent(render, forKey: .render)
        try values.encodeIfPresent(strict, forKey: .strict)
        try values.encodeIfPresent(key, forKey: .key)
        try values.encodeIfPresent(priority, forKey: .priority)
        try values.encodeIfPresent(after, forKey: .after)
        try values.encodeIfPresent(notBefore, forKey: .notBefore)
        try values.encodeIfPresent(needs, forKey: .needs)
        try values.encodeIfPresent(concurrency, forKey: .concurrency)
        try values.encodeIfPresent(toleranceBefore, forKey: .toleranceBefore)
        try values.encodeIfPresent(toleranceAfter, forKey: .toleranceAfter)
        try values.encodeIfPresent(noHidden, forKey: .noHidden)
        try values.encodeIfPresent(options, forKey: .options)
        try values.encodeIfPresent(chapters, forKey: .chapters)
        try values.encodeIfPresent(metadata, forKey: .metadata)
    }
}

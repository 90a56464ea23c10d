// Parameters of the methods that draw images of assets or compare assets: `asset.frame`, `asset.sheet`, `asset.verify`. They
// return a `FrameReport`, a `SheetReport` and a `ComparisonReport`. Pure values.
public import Media
public import MediaTime
public import Text

/// The common parameters of the methods that draw an image.
public protocol PictureParams {
    /// The source's absolute path.
    var path: String { get }
    /// The image's absolute path; nil: the method's own choice.
    var picture: String? { get set }
    /// Whether an existing image may be replaced.
    var overwrite: Bool? { get set }
    /// The preview that is to come with the report; nil: none.
    var preview: PreviewRequest? { get set }
}

/// The parameters of `asset.frame`.
public struct FrameParams: PictureParams, Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The time of the frame.
    public var at: TimeSpelling
    /// The image's absolute path; nil: beside the source, named `NAME-frame.png`, numbered if that exists.
    @SpelledPathIfAny public var picture: String? = nil
    /// Whether an existing image may be replaced.
    public var overwrite: Bool?
    /// The image's width in pixels, 16 to 16384, if smaller than the video's.
    public var width: Int?
    /// The preview that is to come with the report; nil: none.
    public var preview: PreviewRequest?
    /// The quality to read of a playlist of several, as in ``VariantChoice``; nil: the highest.
    public var variant: String?

    /// Creates parameters with a source and a time.
    public init(path: String, at: TimeSpelling) {
        self.path = path
        self.at = at
    }

    enum CodingKeys: String, CodingKey {
        case path, at, overwrite, width, preview, variant
        case picture = "output"
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.width, width, in: 16...16384)
        try VariantChoice.check(variant, CodingKeys.variant)
    }
}

/// The parameters of `asset.sheet`.
public struct SheetParams: PictureParams, Ranged, Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The range.
    public var range = RangeRequest()
    /// The image's absolute path; nil: beside the source, named `NAME-sheet.png`, numbered if that exists.
    @SpelledPathIfAny public var picture: String? = nil
    /// Whether an existing image may be replaced.
    public var overwrite: Bool?
    /// The layout, as far as it is asked for.
    public var options = SheetOptions()
    /// The preview that is to come with the report; nil: none.
    public var preview: PreviewRequest?
    /// The quality to read of a playlist of several, as in ``VariantChoice``; nil: the highest.
    public var variant: String?

    /// Creates parameters with a source.
    public init(path: String) { self.path = path }

    enum CodingKeys: String, CodingKey {
        case path, range, overwrite, options, preview, variant
        case picture = "output"
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try VariantChoice.check(variant, CodingKeys.variant)
    }
}

/// The parameters of `asset.verify`.
public struct VerifyParams: PictureParams, Ranged, Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The absolute path of the file to compare with a range of the source.
    @SpelledPath public var output: String
    /// The range.
    public var range = RangeRequest()
    /// The absolute path of an image of the joins; nil: no image.
    @SpelledPathIfAny public var picture: String? = nil
    /// Whether an existing image may be replaced.
    public var overwrite: Bool?
    /// The image's preview that is to come with the report; nil: none.
    public var preview: PreviewRequest?
    /// The crop, rotation, deinterlacing and speed that the output was made with.
    public var options: ExportOptions?

    /// Creates parameters with the two files.
    public init(path: String, output: String) {
        self.path = path
        self.output = output
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        if preview != nil, picture == nil { throw InvalidValue(CodingKeys.preview, "needs picture") }
    }
}

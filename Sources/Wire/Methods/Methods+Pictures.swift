// Parameters of the methods that draw images of assets or compare assets: `asset.frame`, `asset.sheet`, `asset.verify`. They
// return a `FrameReport`, a `SheetReport` and a `ComparisonReport`. Pure values.
public import Media
public import MediaTime

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
public struct FrameParams: PictureParams, Hashable, Codable, Sendable {
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

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, at, overwrite, width, preview, variant
        case picture = "output"
    }

    /// Decodes and checks; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        path = try values.path(.path)
        at = try values.need(.at, TimeSpelling.self)
        picture = try values.pathIfAny(.picture)
        overwrite = try values.may(.overwrite, Bool.self)
        width = try values.may(.width, Int.self)
        if let width, !(16...16384 ~= width) {
            throw values.wrong(.width, "is \(width), and must be 16 to 16384")
        }
        preview = try values.may(.preview, PreviewRequest.self)
        variant = try values.variant(.variant)
    }
}

/// The parameters of `asset.sheet`.
public struct SheetParams: PictureParams, Ranged, Hashable, Codable, Sendable {
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

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, overwrite, preview, variant
        case picture = "output"
    }

    /// Decodes and checks; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let others = RangeRequest.CodingKeys.allCases as [any CodingKey] + SheetOptions.CodingKeys.allCases
        let values = try StrictKeys(decoder, CodingKeys.self, others: others)
        path = try values.path(.path)
        range = try RangeRequest(from: decoder)
        options = try SheetOptions(from: decoder)
        picture = try values.pathIfAny(.picture)
        overwrite = try values.may(.overwrite, Bool.self)
        preview = try values.may(.preview, PreviewRequest.self)
        variant = try values.variant(.variant)
    }

    /// Encodes, with the keys of the range and of the options among the others.
    public func encode(to encoder: any Encoder) throws {
        try range.encode(to: encoder)
        try options.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(_path, forKey: .path)
        try values.encode(_picture, forKey: .picture)
        try values.encodeIfPresent(overwrite, forKey: .overwrite)
        try values.encodeIfPresent(preview, forKey: .preview)
        try values.encodeIfPresent(variant, forKey: .variant)
    }
}

/// The parameters of `asset.verify`.
public struct VerifyParams: PictureParams, Ranged, Hashable, Codable, Sendable {
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
    public var options: RenderOptions?

    /// Creates parameters with the two files.
    public init(path: String, output: String) {
        self.path = path
        self.output = output
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, output, picture, overwrite, preview, options
    }

    /// Decodes; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self, others: RangeRequest.CodingKeys.allCases)
        path = try values.path(.path)
        output = try values.path(.output)
        range = try RangeRequest(from: decoder)
        picture = try values.pathIfAny(.picture)
        overwrite = try values.may(.overwrite, Bool.self)
        preview = try values.may(.preview, PreviewRequest.self)
        if preview != nil, picture == nil { throw values.wrong(.preview, "needs picture") }
        options = try values.may(.options, RenderOptions.self)
    }

    /// Encodes, with the range's keys among the others.
    public func encode(to encoder: any Encoder) throws {
        try range.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(_path, forKey: .path)
        try values.encode(_output, forKey: .output)
        try values.encode(_picture, forKey: .picture)
        try values.encodeIfPresent(overwrite, forKey: .overwrite)
        try values.encodeIfPresent(preview, forKey: .preview)
        try values.encodeIfPresent(options, forKey: .options)
    }
}

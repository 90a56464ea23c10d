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

    /// Creates parameters with a source and a time.
    public init(path: String, at: TimeSpelling) {
        self.path = path
        self.at = at
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, at, overwrite, width
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
    /// Thumbnails per row, 1 to 20, and rows, 1 to 50; nil: chosen for the range.
    public var columns: Int?, rows: Int?
    /// The width of a thumbnail in pixels, 64 to 1024; nil: 240.
    public var width: Int?

    /// Creates parameters with a source.
    public init(path: String) { self.path = path }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, overwrite, columns, rows, width
        case picture = "output"
    }

    /// Decodes and checks; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self, others: RangeRequest.CodingKeys.allCases)
        path = try values.path(.path)
        range = try RangeRequest(from: decoder)
        picture = try values.pathIfAny(.picture)
        overwrite = try values.may(.overwrite, Bool.self)
        columns = try values.may(.columns, Int.self)
        rows = try values.may(.rows, Int.self)
        width = try values.may(.width, Int.self)
        for (key, number, range) in [
            (CodingKeys.columns, columns, 1...20), (.rows, rows, 1...50), (.width, width, 64...1024),
        ] {
            guard let number, !range.contains(number) else { continue }
            throw values.wrong(
                key, "is \(number), and must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// Encodes, with the range's keys among the others.
    public func encode(to encoder: any Encoder) throws {
        try range.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(_path, forKey: .path)
        try values.encode(_picture, forKey: .picture)
        try values.encodeIfPresent(overwrite, forKey: .overwrite)
        try values.encodeIfPresent(columns, forKey: .columns)
        try values.encodeIfPresent(rows, forKey: .rows)
        try values.encodeIfPresent(width, forKey: .width)
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

    /// Creates parameters with the two files.
    public init(path: String, output: String) {
        self.path = path
        self.output = output
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, output, picture, overwrite
    }

    /// Decodes; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self, others: RangeRequest.CodingKeys.allCases)
        path = try values.path(.path)
        output = try values.path(.output)
        range = try RangeRequest(from: decoder)
        picture = try values.pathIfAny(.picture)
        overwrite = try values.may(.overwrite, Bool.self)
    }

    /// Encodes, with the range's keys among the others.
    public func encode(to encoder: any Encoder) throws {
        try range.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(_path, forKey: .path)
        try values.encode(_output, forKey: .output)
        try values.encode(_picture, forKey: .picture)
        try values.encodeIfPresent(overwrite, forKey: .overwrite)
    }
}

// Parameters of the methods that draw images of assets or compare assets: `asset.frame`, `asset.sheet`, `asset.verify`. They
// return a `FrameReport`, a `SheetReport` and a `ComparisonReport`. Pure values.
public import Media
public import MediaTime

/// The parameters of `asset.frame`.
public struct FrameParams: Hashable, Codable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The time of the frame.
    public var at: TimeSpelling
    /// The image's absolute path; nil: beside the source, named `NAME-frame.png`, numbered if that exists.
    @SpelledPathIfAny public var output: String? = nil
    /// Whether an existing image may be replaced.
    public var overwrite: Bool?
    /// The image's width in pixels, 16 to 16384, if smaller than the video's.
    public var width: Int?

    /// Creates parameters with a source and a time.
    public init(path: String, at: TimeSpelling) {
        self.path = path
        self.at = at
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case path, at, output, overwrite, width }

    /// Decodes and checks; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        path = try values.path(.path)
        at = try values.need(.at, TimeSpelling.self)
        output = try values.pathIfAny(.output)
        overwrite = try values.may(.overwrite, Bool.self)
        width = try values.may(.width, Int.self)
        if let width, !(16...16384 ~= width) {
            throw values.wrong(.width, "is \(width), and must be 16 to 16384")
        }
    }
}

/// The parameters of `asset.sheet`.
public struct SheetParams: Hashable, Codable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The in point, and the out point or the duration; nil: the whole file.
    public var start: TimeSpelling?, end: TimeSpelling?, duration: TimeSpelling?
    /// Ranges to join in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges to remove between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// How to snap the in and out points.
    public var snap: Snap?
    /// The image's absolute path; nil: beside the source, named `NAME-sheet.png`, numbered if that exists.
    @SpelledPathIfAny public var output: String? = nil
    /// Whether an existing image may be replaced.
    public var overwrite: Bool?
    /// Thumbnails per row, 1 to 20, and rows, 1 to 50; nil: chosen for the range.
    public var columns: Int?, rows: Int?
    /// The width of a thumbnail in pixels, 64 to 1024; nil: 240.
    public var width: Int?

    /// Creates parameters with a source.
    public init(path: String) { self.path = path }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, start, end, duration, keep, remove, snap, output, overwrite, columns, rows, width
    }

    /// Decodes and checks; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        path = try values.path(.path)
        start = try values.may(.start, TimeSpelling.self)
        end = try values.may(.end, TimeSpelling.self)
        duration = try values.may(.duration, TimeSpelling.self)
        keep = try values.may(.keep, [RangeSpelling].self)
        remove = try values.may(.remove, [RangeSpelling].self)
        snap = try values.may(.snap, Snap.self)
        output = try values.pathIfAny(.output)
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
}

/// The parameters of `asset.verify`.
public struct VerifyParams: Hashable, Codable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The absolute path of the file to compare with a range of the source.
    @SpelledPath public var output: String
    /// The in point, and the out point or the duration; nil: the whole file.
    public var start: TimeSpelling?, end: TimeSpelling?, duration: TimeSpelling?
    /// Ranges to join in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges to remove between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// How to snap the in and out points.
    public var snap: Snap?
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
        case path, output, start, end, duration, keep, remove, snap, picture, overwrite
    }

    /// Decodes; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        path = try values.path(.path)
        output = try values.path(.output)
        start = try values.may(.start, TimeSpelling.self)
        end = try values.may(.end, TimeSpelling.self)
        duration = try values.may(.duration, TimeSpelling.self)
        keep = try values.may(.keep, [RangeSpelling].self)
        remove = try values.may(.remove, [RangeSpelling].self)
        snap = try values.may(.snap, Snap.self)
        picture = try values.pathIfAny(.picture)
        overwrite = try values.may(.overwrite, Bool.self)
    }
}

extension PictureRange {
    /// The range of a contact sheet.
    public init(_ params: SheetParams) {
        self.init()
        (start, end, duration) = (params.start, params.end, params.duration)
        (keep, remove, snap) = (params.keep, params.remove, params.snap)
    }

    /// The range that a file should match.
    public init(_ params: VerifyParams) {
        self.init()
        (start, end, duration) = (params.start, params.end, params.duration)
        (keep, remove, snap) = (params.keep, params.remove, params.snap)
    }
}

// The layout of a contact sheet, as far as it is asked for. Values only.
public import MediaTime

/// The options of a contact sheet. Values that are nil are chosen for the film.
public struct SheetOptions: Hashable, Codable, Sendable {
    /// Thumbnails per row, 1 to 20, and rows, 1 to 50.
    public var columns: Int?, rows: Int?
    /// The width of a thumbnail in pixels, 64 to 1024.
    public var width: Int?
    /// The width of the whole sheet, and the most it may be high, in pixels, 160 to 16384; not with `width`.
    public var sheetWidth: Int?, sheetHeight: Int?
    /// The time from one thumbnail to the next, more than 0; not with `rows`.
    public var every: Time?

    /// Creates options that ask for nothing.
    public init() {}

    /// The most thumbnails of a sheet.
    public static let mostTiles = 1000

    /// The keys, which stand among others in a request.
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case columns, rows, width, sheetWidth, sheetHeight, every
    }

    /// Decodes and checks. The time is in any spelling of a duration.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys, _ range: ClosedRange<Int>) throws -> Int? {
            guard let number = try values.decodeIfPresent(Int.self, forKey: key) else { return nil }
            guard range.contains(number) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: values,
                    debugDescription:
                        "is \(number), and must be \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        columns = try number(.columns, 1...20)
        rows = try number(.rows, 1...50)
        width = try number(.width, 64...1024)
        sheetWidth = try number(.sheetWidth, 160...16384)
        sheetHeight = try number(.sheetHeight, 160...16384)
        if let spelling = try values.decodeIfPresent(TimeSpelling.self, forKey: .every) {
            guard let time = spelling.assetTime, time.isNumeric, time > .zero else {
                throw DecodingError.dataCorruptedError(
                    forKey: .every, in: values, debugDescription: "is not a duration of more than 0")
            }
            every = time
        }
        for (one, other, isBoth) in [
            (CodingKeys.width, CodingKeys.sheetWidth, width != nil && sheetWidth != nil),
            (.rows, .every, rows != nil && every != nil),
        ] where isBoth {
            throw DecodingError.dataCorruptedError(
                forKey: one, in: values, debugDescription: "excludes \(other.stringValue); give one")
        }
        if sheetHeight != nil, sheetWidth == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .sheetHeight, in: values, debugDescription: "needs sheetWidth")
        }
    }
}

// The layout of a contact sheet, as far as it is asked for. Values only.
public import MediaTime
public import Text

/// The options of a contact sheet. Values that are nil are chosen for the film.
public struct SheetOptions: FlatCodable, StrictDecodable, Hashable, Sendable {
    /// Thumbnails per row, 1 to 20, and rows, 1 to 50.
    public var columns: Int?, rows: Int?
    /// The width of a thumbnail in pixels, 64 to 1024.
    public var width: Int?
    /// The width of the whole sheet, and the most it may be high, in pixels, 160 to 16384; not with `width`.
    public var sheetWidth: Int?, sheetHeight: Int?
    /// The time from one thumbnail to the next, more than 0; not with `rows`.
    @SpelledTimeIfAny public var every: Time? = nil

    /// Creates options that ask for nothing.
    public init() {}

    /// The most thumbnails of a sheet.
    public static let mostTiles = 1000

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.columns, columns, in: 1...20)
        try InvalidValue.check(CodingKeys.rows, rows, in: 1...50)
        try InvalidValue.check(CodingKeys.width, width, in: 64...1024)
        try InvalidValue.check(CodingKeys.sheetWidth, sheetWidth, in: 160...16384)
        try InvalidValue.check(CodingKeys.sheetHeight, sheetHeight, in: 160...16384)
        if let every, !every.isNumeric || every <= .zero {
            throw InvalidValue(CodingKeys.every, "is not a duration of more than 0")
        }
        if width != nil, sheetWidth != nil {
            throw InvalidValue(CodingKeys.width, "excludes sheetWidth; give one")
        }
        if rows != nil, every != nil { throw InvalidValue(CodingKeys.rows, "excludes every; give one") }
        if sheetHeight != nil, sheetWidth == nil {
            throw InvalidValue(CodingKeys.sheetHeight, "needs sheetWidth")
        }
    }
}

// Which quality of a film is read, where a playlist offers several. A value with its spelling.
public import Text

/// A choice among the variants of a playlist.
public enum VariantChoice: Hashable, Sendable {
    /// The largest frames, then the highest bit rate.
    case highest
    /// The smallest frames, then the lowest bit rate.
    case lowest
    /// The one at this place in the list, counted from 1.
    case number(Int)
    /// The one with frames of this size, with the highest bit rate.
    case size(width: Int, height: Int)

    /// Throws if a text is none of the spellings; nil is.
    public static func check(_ text: String?, _ key: any CodingKey) throws(InvalidValue) {
        guard let text, VariantChoice(text) == nil else { return }
        throw InvalidValue(key, "is '\(text)', and must be highest, lowest, a number or a size")
    }

    /// Parses `highest`, `lowest`, `2` or `1280x720`; nil for anything else.
    public init?(_ text: String) {
        switch text.lowercased() {
        case "highest": self = .highest
        case "lowest": self = .lowest
        default:
            let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map {
                Int($0)
            }
            switch (parts.count, parts.first ?? nil, parts.last ?? nil) {
            case (1, let number?, _) where 1...10_000 ~= number: self = .number(number)
            case (2, let width?, let height?) where width > 0 && height > 0:
                self = .size(width: width, height: height)
            default: return nil
            }
        }
    }
}

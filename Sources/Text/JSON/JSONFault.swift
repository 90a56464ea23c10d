/// Why a text is not JSON, and where.
public struct JSONFault: Error, Hashable, Sendable {
    /// The violated rule.
    public enum Reason: Hashable, Sendable {
        case textAfterValue, endOfText, unknownWord(String), tooDeep(limit: Int), openComment
        case arrayWithoutComma, objectWithoutComma, memberWithoutName, memberWithoutColon(name: String)
        case noValue, noDigitAfterPoint, noDigitInExponent, numberOutOfRange
        case openString, lineEndInString, controlCharacter, invalidUTF8
        case unknownEscape, shortEscape, noHexDigit, escapedNUL, halfSurrogatePair, noCharacter
    }

    /// The violated rule.
    public let reason: Reason
    /// The byte offset of the error, from 0.
    public let offset: Int
    /// Its line, counted from the given number of the first line.
    public let line: Int

    /// The message, with the byte offset.
    public var message: String { "\(words) at byte \(offset)" }

    private var words: String {
        switch reason {
        case .textAfterValue: "something after the value"
        case .endOfText: "the end, where a value should be"
        case .unknownWord: "an unknown word"
        case .tooDeep(let limit): "nesting deeper than \(limit)"
        case .openComment: "a comment without end"
        case .arrayWithoutComma: "no comma and no end of the array"
        case .objectWithoutComma: "no comma and no end of the object"
        case .memberWithoutName: "no name of a member"
        case .memberWithoutColon: "no colon after a name"
        case .noValue: "no value"
        case .noDigitAfterPoint: "no digit after the point"
        case .noDigitInExponent: "no digit in the exponent"
        case .numberOutOfRange: "a number out of range"
        case .openString: "a string without end"
        case .lineEndInString, .controlCharacter: "a control character in a string"
        case .invalidUTF8: "invalid UTF-8"
        case .unknownEscape: "an unknown escape"
        case .shortEscape: "a short escape"
        case .noHexDigit: "no hexadecimal digit"
        case .escapedNUL: "a NUL in a string"
        case .halfSurrogatePair: "half a surrogate pair"
        case .noCharacter: "an escape of no character"
        }
    }
}

/// Why a JSON number does not fit a type: it is out of range, or not an integer.
public struct JSONNumberFault: Error, Hashable, Sendable {
    /// The number as it was written.
    public let number: String
    /// The expected type.
    public let type: String
}

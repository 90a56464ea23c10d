/// Why a text is not JSON, and where.
public struct JSONFault: Error, Hashable, Sendable {
    /// The rule that is broken.
    public enum Reason: Hashable, Sendable {
        case textAfterValue, endOfText, unknownWord(String), tooDeep(limit: Int), openComment
        case arrayWithoutComma, objectWithoutComma, memberWithoutName, memberWithoutColon(name: String)
        case noValue, noDigitAfterPoint, noDigitInExponent, numberOutOfRange
        case openString, lineEndInString, controlCharacter, invalidUTF8
        case unknownEscape, shortEscape, noHexDigit, escapedNUL, halfSurrogatePair, noCharacter
    }

    /// The rule that is broken.
    public let reason: Reason
    /// The byte at which it is broken, from 0.
    public let offset: Int
    /// Its line, from the number that was given for the first.
    public let line: Int

    /// The fault in words, with its byte.
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

/// Why a number of JSON is not a value of a type: it is out of the type's range, or not whole.
public struct JSONNumberFault: Error, Hashable, Sendable {
    /// The number as it was written.
    public let number: String
    /// The type that was wanted.
    public let type: String
}

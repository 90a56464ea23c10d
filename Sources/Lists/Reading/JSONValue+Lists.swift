// JSON in lists of other programs: a missing member is null, numbers keep their digits, and messages name the line.
internal import Text

extension JSONValue {
    /// Parses a JSON5 text whose first line has this number.
    init(list bytes: [UInt8], line: Int = 1) throws(ListFault) {
        do throws(JSONFault) {
            try self.init(parsing: bytes, as: .json5, line: line)
        } catch {
            throw ListFault(error.line, "this is no JSON: \(error.listed)")
        }
    }

    /// A member of an object that is present and not null.
    func given(_ name: String) -> JSONValue? {
        let value = self[name]
        return value?.content == .null ? nil : value
    }

    /// The number as written, if it is one.
    var number: String? {
        guard case .decimal(let digits) = content else { return nil }
        return digits
    }

    /// Digits of a number without an end.
    static let infinity = "Infinity"

    /// The type, for messages.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .int, .double, .decimal: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONFault {
    /// The fault as a list message.
    fileprivate var listed: String {
        switch reason {
        case .textAfterValue: "there is something after the end"
        case .endOfText: "it ends where a value should be"
        case .unknownWord(let word): "\(word.shown) is no value"
        case .tooDeep: "it is nested too deep"
        case .openComment: "a comment does not end"
        case .arrayWithoutComma: "a comma or the end of an array is missing"
        case .objectWithoutComma: "a comma or the end of an object is missing"
        case .memberWithoutColon(let name): "a colon is missing after \(name.shown)"
        case .openString: "a text does not end"
        case .lineEndInString: "a text does not end on its line"
        case .shortEscape, .noHexDigit: "a short escape"
        case .escapedNUL, .halfSurrogatePair, .noCharacter: "an escape of no character"
        // In strict JSON only.
        case .memberWithoutName, .noValue, .noDigitAfterPoint, .noDigitInExponent, .numberOutOfRange,
            .controlCharacter, .invalidUTF8, .unknownEscape:
            message
        }
    }
}

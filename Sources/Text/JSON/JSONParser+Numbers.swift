// Literals and numbers: strict RFC 8259, or JSON5.

extension JSONParser {
    mutating func wordOrNumber() throws(JSONFault) -> JSONValue.Content {
        switch next.map(Unicode.Scalar.init) {
        case "t": try word("true", .bool(true))
        case "f": try word("false", .bool(false))
        case "n": try word("null", .null)
        default: try number()
        }
    }

    private mutating func word(
        _ word: String, _ value: JSONValue.Content
    ) throws(JSONFault) -> JSONValue.Content {
        guard bytes[at...].starts(with: word.utf8) else { throw fault(.unknownWord(word)) }
        at += word.utf8.count
        return value
    }

    private mutating func digits() -> Int {
        let start = at
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
        return at - start
    }

    private mutating func number() throws(JSONFault) -> JSONValue.Content {
        let start = at
        _ = skip("-")
        let zero = next == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !zero || whole == 1 else { throw fault(.noValue) }
        var exact = true
        if skip(".") {
            exact = false
            guard digits() > 0 else { throw fault(.noDigitAfterPoint) }
        }
        if skip("e") || skip("E") {
            exact = false
            _ = skip("+") || skip("-")
            guard digits() > 0 else { throw fault(.noDigitInExponent) }
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if dialect.keepsDigits { return .decimal(text) }
        if exact, let value = Int64(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else { throw fault(.numberOutOfRange) }
        return .double(value)
    }

    mutating func json5Word() throws(JSONFault) -> JSONValue.Content {
        let word = bareWord()
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null", "undefined": return .null
        // JSON5's names, and the short forms of C's printf and of RapidJSON, which opentimelineio reads.
        case "Infinity", "+Infinity", "Inf", "+Inf", "inf", "+inf": return .decimal("Infinity")
        case "-Infinity", "-Inf", "-inf": return .decimal("-Infinity")
        case "NaN", "nan", "-NaN", "-nan": return .decimal("NaN")
        default:
            guard let number = Self.json5Number(word) else { throw fault(.unknownWord(word)) }
            return .decimal(number)
        }
    }

    /// Consumes letters, digits and number signs; if there are none, returns the next character without consuming it.
    mutating func bareWord() -> String {
        let start = at
        while let byte = next, byte >= 0x80 || byte == UInt8(ascii: "$") || Self.isWordByte(byte) { at += 1 }
        if at == start, at < bytes.count { return String(decoding: bytes[at...at], as: UTF8.self) }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            || [0x2B, 0x2D, 0x2E, 0x5F].contains(byte)
    }

    /// A JSON number from a JSON5 one: without a plus sign, with digits on both sides of the point.
    private static func json5Number(_ word: String) -> String? {
        var rest = word[...]
        var sign = ""
        if rest.first == "-" { sign = "-" }
        if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
        if rest.lowercased().hasPrefix("0x"), let value = Int64(rest.dropFirst(2), radix: 16) {
            return "\(sign)\(value)"
        }
        let whole = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(whole.count)
        var decimals: Substring = ""
        if rest.first == "." {
            rest.removeFirst()
            decimals = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(decimals.count)
        }
        guard !whole.isEmpty || !decimals.isEmpty else { return nil }
        var text = sign + (whole.isEmpty ? "0" : String(whole)) + (decimals.isEmpty ? "" : ".\(decimals)")
        if rest.first == "e" || rest.first == "E" {
            guard let exponent = Int(rest.dropFirst()), -400...400 ~= exponent else { return nil }
            text += "e\(exponent)"
            rest = ""
        }
        return rest.isEmpty ? text : nil
    }
}

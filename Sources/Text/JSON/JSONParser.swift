// Parses bytes to a JSONValue in one dialect. Written by hand because decoding a tree through Codable costs one failed attempt
// per case: a hostile line of 1 MiB would block its queue for seconds. Pure; linear in the bytes; the dialect's depth limit
// bounds recursion. JSONParser+Strings has strings, JSONParser+Numbers numbers and literals.

extension JSONValue {
    /// Parses a text.
    /// - Parameter line: the number of the text's first line.
    public init(
        parsing text: [UInt8], as dialect: JSONDialect, line: Int = 1
    ) throws(JSONFault) {
        var parser = JSONParser(bytes: text, dialect: dialect, line: line)
        self = try parser.whole()
    }
}

/// Parses one value from bytes.
struct JSONParser {
    let bytes: [UInt8]
    let dialect: JSONDialect
    var at = 0
    var line: Int

    init(bytes: [UInt8], dialect: JSONDialect, line: Int) {
        self.bytes = bytes
        self.dialect = dialect
        self.line = line
    }

    mutating func whole() throws(JSONFault) -> JSONValue {
        if dialect.allowsByteOrderMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        let value = try value(depth: 0)
        try skipSpace()
        guard at == bytes.count else { throw fault(.textAfterValue) }
        return value
    }

    func fault(_ reason: JSONFault.Reason) -> JSONFault {
        JSONFault(reason: reason, offset: at, line: line)
    }

    var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() throws(JSONFault) {
        while let byte = next {
            if byte == 0x0A { line += 1 }
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                at += 1
            } else if dialect.isJSON5 {
                guard try skipJSON5Space(byte) else { return }
            } else {
                return
            }
        }
    }

    /// Skips vertical tabs, form feeds, no-break spaces and comments; returns whether there was one.
    private mutating func skipJSON5Space(_ byte: UInt8) throws(JSONFault) -> Bool {
        let rest = bytes[at...]
        if byte == 0x0B || byte == 0x0C {
            at += 1
        } else if rest.starts(with: [0xC2, 0xA0]) {
            at += 2
        } else if rest.starts(with: "//".utf8) {
            while at < bytes.count, bytes[at] != 0x0A { at += 1 }
        } else if rest.starts(with: "/*".utf8) {
            at += 2
            while at < bytes.count, !bytes[at...].starts(with: "*/".utf8) {
                if bytes[at] == 0x0A { line += 1 }
                at += 1
            }
            guard at < bytes.count else { throw fault(.openComment) }
            at += 2
        } else {
            return false
        }
        return true
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        try skipSpace()
        // JSON5 may open one more level if it is empty.
        let isTooDeep = dialect.isJSON5 ? depth > dialect.depthLimit : depth >= dialect.depthLimit
        let start = line
        switch next.map(Unicode.Scalar.init) {
        case _ where isTooDeep && dialect.isJSON5, "{" where isTooDeep, "[" where isTooDeep:
            throw fault(.tooDeep(limit: dialect.depthLimit))
        case nil: throw fault(.endOfText)
        case "{": return JSONValue(.object(try members(depth: depth + 1)), line: start)
        case "[": return JSONValue(.array(try elements(depth: depth + 1)), line: start)
        case "\"": return JSONValue(.string(try string()), line: start)
        case "'" where dialect.isJSON5: return JSONValue(.string(try string()), line: start)
        default: return JSONValue(dialect.isJSON5 ? try json5Word() : try wordOrNumber(), line: start)
        }
    }

    private mutating func elements(depth: Int) throws(JSONFault) -> [JSONValue] {
        at += 1
        var values: [JSONValue] = []
        try skipSpace()
        if skip("]") { return values }
        while true {
            values.append(try value(depth: depth))
            try skipSpace()
            if skip("]") { return values }
            guard skip(",") else { throw fault(.arrayWithoutComma) }
            guard dialect.allowsTrailingComma else { continue }
            try skipSpace()
            if skip("]") { return values }
        }
    }

    private mutating func members(depth: Int) throws(JSONFault) -> JSONObject {
        at += 1
        var members = JSONObject()
        try skipSpace()
        if skip("}") { return members }
        while true {
            try skipSpace()
            let name = try name()
            try skipSpace()
            guard skip(":") else { throw fault(.memberWithoutColon(name: name)) }
            members.append(name, try value(depth: depth), firstCounts: dialect.duplicates == .first)
            try skipSpace()
            if skip("}") { return members }
            guard skip(",") else { throw fault(.objectWithoutComma) }
            guard dialect.allowsTrailingComma else { continue }
            try skipSpace()
            if skip("}") { return members }
        }
    }

    private mutating func name() throws(JSONFault) -> String {
        if next == UInt8(ascii: "\"") || dialect.isJSON5 && next == UInt8(ascii: "'") { return try string() }
        guard dialect.isJSON5 else { throw fault(.memberWithoutName) }
        return bareWord()
    }
}

// Literals and numbers: strict RFC 8259, or JSON5.
extension JSONParser {
    private mutating func wordOrNumber() throws(JSONFault) -> JSONValue.Content {
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

    private mutating func json5Word() throws(JSONFault) -> JSONValue.Content {
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
    private mutating func bareWord() -> String {
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

// Strings: strict RFC 8259 in valid UTF-8, or JSON5, where invalid UTF-8 is replaced.
extension JSONParser {
    mutating func string() throws(JSONFault) -> String {
        if dialect.isJSON5 { return try json5String() }
        at += 1
        let start = at
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                let text = try text(bytes[start..<at])
                at += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw fault(.controlCharacter) }
            at += 1
        }
        throw fault(.openString)
    }

    private func text(_ part: some Collection<UInt8>) throws(JSONFault) -> String {
        guard let text = String(validating: part, as: UTF8.self) else { throw fault(.invalidUTF8) }
        return text
    }

    private mutating func escapedString(from start: Int) throws(JSONFault) -> String {
        var raw = Array(bytes[start..<at])
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(raw)
            case UInt8(ascii: "\\"): raw.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw fault(.controlCharacter)
            default: raw.append(byte)
            }
        }
        throw fault(.openString)
    }

    private mutating func escape() throws(JSONFault) -> Character {
        guard let byte = next else { throw fault(.openString) }
        at += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try scalar())
        default: throw fault(.unknownEscape)
        }
    }

    private mutating func json5String() throws(JSONFault) -> String {
        let quote = bytes[at]
        at += 1
        var raw: [UInt8] = []
        while let byte = next {
            at += 1
            switch byte {
            case quote: return String(decoding: raw, as: UTF8.self)
            case UInt8(ascii: "\\"): try json5Escape(into: &raw)
            case 0x0A: throw fault(.lineEndInString)
            default: raw.append(byte)
            }
        }
        throw fault(.openString)
    }

    private mutating func json5Escape(into raw: inout [UInt8]) throws(JSONFault) {
        guard let byte = next else { throw fault(.openString) }
        switch byte {
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
            UInt8(ascii: "u"):
            raw.append(contentsOf: String(try escape()).utf8)
        case UInt8(ascii: "v"):
            at += 1
            raw.append(11)
        case UInt8(ascii: "x"):
            at += 1
            guard let scalar = Unicode.Scalar(try hexadecimal(digits: 2)), scalar.value != 0 else {
                throw fault(.noCharacter)
            }
            raw.append(contentsOf: String(Character(scalar)).utf8)
        // A line continuation.
        case 0x0D, 0x0A:
            at += 1
            if byte == 0x0D { _ = skip("\n") }
            line += 1
        default:
            at += 1
            raw.append(byte)
        }
    }

    private mutating func scalar() throws(JSONFault) -> Unicode.Scalar {
        let unit = try hexadecimal(digits: 4)
        guard unit != 0 || dialect.allowsNUL else { throw fault(.escapedNUL) }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, skip("\\"), skip("u") else { throw fault(.halfSurrogatePair) }
        let low = try hexadecimal(digits: 4)
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw fault(.halfSurrogatePair) }
        return scalar
    }

    private mutating func hexadecimal(digits: Int) throws(JSONFault) -> UInt32 {
        guard at + digits <= bytes.count else { throw fault(.shortEscape) }
        var value: UInt32 = 0
        for byte in bytes[at..<at + digits] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw fault(.noHexDigit) }
            value = value << 4 | UInt32(digit)
        }
        at += digits
        return value
    }
}

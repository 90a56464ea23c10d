// From text to ListValue. Linear in the bytes; nesting at most 128 deep.

/// Reads JSON and JSON5.
struct ListValueParser {
    private static let depthLimit = 128

    private let bytes: [UInt8]
    private var at = 0
    private var line: Int

    /// The value that a text spells, beginning on a line.
    static func parse(_ bytes: [UInt8], line: Int = 1) throws(ListFault) -> ListValue {
        var parser = ListValueParser(bytes: bytes, line: line)
        let value = try parser.value(depth: 0)
        try parser.skipSpace()
        guard parser.at == bytes.count else { throw parser.fault("there is something after the end") }
        return value
    }

    private init(bytes: [UInt8], line: Int) {
        self.bytes = bytes
        self.line = line
    }

    private func fault(_ reason: String) -> ListFault { ListFault(line, "this is no JSON: \(reason)") }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() throws(ListFault) {
        while let byte = next {
            if byte == 0x0A { line += 1 }
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                at += 1
            } else if bytes[at...].starts(with: [0xC2, 0xA0]) {
                at += 2
            } else if bytes[at...].starts(with: "//".utf8) {
                while at < bytes.count, bytes[at] != 0x0A { at += 1 }
            } else if bytes[at...].starts(with: "/*".utf8) {
                at += 2
                while at < bytes.count, !bytes[at...].starts(with: "*/".utf8) {
                    if bytes[at] == 0x0A { line += 1 }
                    at += 1
                }
                guard at < bytes.count else { throw fault("a comment does not end") }
                at += 2
            } else {
                return
            }
        }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        at += 1
        return true
    }

    private mutating func value(depth: Int) throws(ListFault) -> ListValue {
        try skipSpace()
        guard depth <= Self.depthLimit else { throw fault("it is nested too deep") }
        let start = line
        switch next.map(Unicode.Scalar.init) {
        case nil: throw fault("it ends where a value should be")
        case "{": return ListValue(line: start, content: .object(try members(depth: depth)))
        case "[": return ListValue(line: start, content: .array(try elements(depth: depth)))
        case "\"", "'": return ListValue(line: start, content: .string(try string()))
        default:
            let word = self.word()
            switch word {
            case "true": return ListValue(line: start, content: .bool(true))
            case "false": return ListValue(line: start, content: .bool(false))
            case "null", "undefined": return ListValue(line: start, content: .null)
            default:
                guard let number = Self.number(word) else { throw fault("\(word.shown) is no value") }
                return ListValue(line: start, content: .number(number))
            }
        }
    }

    /// Letters, digits and what numbers are made of.
    private mutating func word() -> String {
        let start = at
        while let byte = next, byte >= 0x80 || byte == UInt8(ascii: "$") || Self.isWordByte(byte) { at += 1 }
        if at == start, at < bytes.count { return String(decoding: bytes[at...at], as: UTF8.self) }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            || [0x2B, 0x2D, 0x2E, 0x5F].contains(byte)
    }

    /// A number in the words of JSON: without a sign of plus, with digits on both sides of the point.
    private static func number(_ word: String) -> String? {
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
            guard let exponent = Int(rest.dropFirst()), abs(exponent) < 400 else { return nil }
            text += "e\(exponent)"
            rest = ""
        }
        return rest.isEmpty ? text : nil
    }

    private mutating func elements(depth: Int) throws(ListFault) -> [ListValue] {
        at += 1
        var values: [ListValue] = []
        while true {
            try skipSpace()
            if skip("]") { return values }
            values.append(try value(depth: depth + 1))
            try skipSpace()
            if skip("]") { return values }
            guard skip(",") else { throw fault("a comma or the end of an array is missing") }
        }
    }

    private mutating func members(depth: Int) throws(ListFault) -> [(name: String, value: ListValue)] {
        at += 1
        var members: [(name: String, value: ListValue)] = []
        while true {
            try skipSpace()
            if skip("}") { return members }
            let isQuoted = next == UInt8(ascii: "\"") || next == UInt8(ascii: "'")
            let name = isQuoted ? try string() : word()
            try skipSpace()
            guard skip(":") else { throw fault("a colon is missing after \(name.shown)") }
            members.append((name, try value(depth: depth + 1)))
            try skipSpace()
            if skip("}") { return members }
            guard skip(",") else { throw fault("a comma or the end of an object is missing") }
        }
    }

    private mutating func string() throws(ListFault) -> String {
        let quote = bytes[at]
        at += 1
        var raw: [UInt8] = []
        while let byte = next {
            at += 1
            switch byte {
            case quote: return String(decoding: raw, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &raw)
            case 0x0A: throw fault("a text does not end on its line")
            default: raw.append(byte)
            }
        }
        throw fault("a text does not end")
    }

    private mutating func escape(into raw: inout [UInt8]) throws(ListFault) {
        guard let byte = next else { throw fault("a text does not end") }
        at += 1
        switch byte {
        case UInt8(ascii: "b"): raw.append(8)
        case UInt8(ascii: "f"): raw.append(12)
        case UInt8(ascii: "n"): raw.append(10)
        case UInt8(ascii: "r"): raw.append(13)
        case UInt8(ascii: "t"): raw.append(9)
        case UInt8(ascii: "v"): raw.append(11)
        case UInt8(ascii: "u"): raw.append(contentsOf: String(Character(try scalar())).utf8)
        case UInt8(ascii: "x"): raw.append(contentsOf: String(Character(try code(digits: 2))).utf8)
        // A line that goes on.
        case 0x0D, 0x0A:
            if byte == 0x0D { _ = skip("\n") }
            line += 1
        default: raw.append(byte)
        }
    }

    private mutating func code(digits: Int) throws(ListFault) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(try hex(digits)), scalar.value != 0 else {
            throw fault("an escape of no character")
        }
        return scalar
    }

    private mutating func scalar() throws(ListFault) -> Unicode.Scalar {
        let unit = try hex(4)
        if let scalar = Unicode.Scalar(unit), unit != 0 { return scalar }
        guard (0xD800..<0xDC00).contains(unit), skip("\\"), skip("u") else {
            throw fault("an escape of no character")
        }
        let low = try hex(4)
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw fault("an escape of no character") }
        return scalar
    }

    private mutating func hex(_ digits: Int) throws(ListFault) -> UInt32 {
        guard at + digits <= bytes.count,
            let value = UInt32(String(decoding: bytes[at..<at + digits], as: UTF8.self), radix: 16)
        else { throw fault("a short escape") }
        at += digits
        return value
    }
}

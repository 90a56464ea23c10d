// One line of bytes to a JSONValue, strictly by RFC 8259: valid UTF-8, no NUL (raw or escaped), nothing after the value,
// nesting at most 64 deep. Written by hand because a JSONValue decoded through Codable costs one failed attempt a case:
// a hostile line of 1 MiB would hold its queue for seconds. Pure; linear in the bytes; recursion is bounded by the
// depth. Of two members with one name the later counts.

/// Why bytes are not JSON.
struct JSONFault: Error, Hashable, Sendable {
    let reason: String
    let offset: Int
    var message: String { "\(reason) at byte \(offset)" }
}

/// Reads one value out of bytes.
struct JSONParser {
    static let depthLimit = 64

    private let bytes: [UInt8]
    private var at = 0

    /// The value that the bytes spell.
    static func parse(_ bytes: [UInt8]) throws(JSONFault) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.at == bytes.count else { throw parser.fault("something after the value") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func fault(_ reason: String) -> JSONFault { JSONFault(reason: reason, offset: at) }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        at += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        skipSpace()
        switch next {
        case nil: throw fault("the end, where a value should be")
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        let text = Array(word.description.utf8)
        guard bytes[at...].starts(with: text) else { throw fault("an unknown word") }
        at += text.count
        return value
    }

    private mutating func array(depth: Int) throws(JSONFault) -> JSONValue {
        guard depth <= Self.depthLimit else { throw fault("nesting deeper than \(Self.depthLimit)") }
        at += 1
        var values: [JSONValue] = []
        skipSpace()
        if skip(UInt8(ascii: "]")) { return .array(values) }
        while true {
            values.append(try value(depth: depth))
            skipSpace()
            if skip(UInt8(ascii: ",")) { continue }
            if skip(UInt8(ascii: "]")) { return .array(values) }
            throw fault("no comma and no end of the array")
        }
    }

    private mutating func object(depth: Int) throws(JSONFault) -> JSONValue {
        guard depth <= Self.depthLimit else { throw fault("nesting deeper than \(Self.depthLimit)") }
        at += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if skip(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fault("no name of a member") }
            let name = try string()
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw fault("no colon after a name") }
            members[name] = try value(depth: depth)
            skipSpace()
            if skip(UInt8(ascii: ",")) { continue }
            if skip(UInt8(ascii: "}")) { return .object(members) }
            throw fault("no comma and no end of the object")
        }
    }

    private mutating func digits() -> Int {
        let start = at
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
        return at - start
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = at
        _ = skip(UInt8(ascii: "-"))
        let zero = next == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !zero || whole == 1 else { throw fault("no value") }
        var exact = true
        if skip(UInt8(ascii: ".")) {
            exact = false
            guard digits() > 0 else { throw fault("no digit after the point") }
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            exact = false
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            guard digits() > 0 else { throw fault("no digit in the exponent") }
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if exact, let value = Int64(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else { throw fault("a number out of range") }
        return .double(value)
    }

    private mutating func string() throws(JSONFault) -> String {
        at += 1
        let start = at
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                let text = try text(bytes[start..<at])
                at += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw fault("a control character in a string") }
            at += 1
        }
        throw fault("a string without end")
    }

    private func text(_ part: some Collection<UInt8>) throws(JSONFault) -> String {
        guard let text = String(validating: part, as: UTF8.self) else { throw fault("invalid UTF-8") }
        return text
    }

    private mutating func escapedString(from start: Int) throws(JSONFault) -> String {
        var raw = Array(bytes[start..<at])
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(raw)
            case UInt8(ascii: "\\"): raw.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw fault("a control character in a string")
            default: raw.append(byte)
            }
        }
        throw fault("a string without end")
    }

    private mutating func escape() throws(JSONFault) -> Character {
        guard let byte = next else { throw fault("a string without end") }
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
        default: throw fault("an unknown escape")
        }
    }

    private mutating func scalar() throws(JSONFault) -> Unicode.Scalar {
        let unit = try hex4()
        guard unit != 0 else { throw fault("a NUL in a string") }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
            throw fault("half a surrogate pair")
        }
        let low = try hex4()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw fault("half a surrogate pair") }
        return scalar
    }

    private mutating func hex4() throws(JSONFault) -> UInt32 {
        guard at + 4 <= bytes.count else { throw fault("a short escape") }
        var value: UInt32 = 0
        for byte in bytes[at..<at + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: throw fault("no hexadecimal digit")
            }
        }
        at += 4
        return value
    }
}

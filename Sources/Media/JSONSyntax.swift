// Where a text stops being JSON, for people who wrote it by hand. It makes no values: reading is JSONDecoder's, which on
// Linux says that a text is wrong and not where.

/// A walk through a text by JSON's grammar.
struct JSONSyntax {
    private let bytes: [UInt8]
    private var at = 0

    /// The line, from 1, of the first byte that JSON does not allow, or on which the text breaks off; nil where it is JSON.
    static func lineOfError(in bytes: [UInt8]) -> Int? {
        var walk = JSONSyntax(bytes: bytes)
        if walk.value(depth: 0) {
            walk.skipSpace()
            if walk.at == bytes.count { return nil }
        }
        return 1 + bytes.prefix(walk.at).count(where: { $0 == UInt8(ascii: "\n") })
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        skipSpace()
        switch next.map(Unicode.Scalar.init) {
        case "{": return depth < 64 && list(until: "}") { $0.member(depth: depth) }
        case "[": return depth < 64 && list(until: "]") { $0.value(depth: depth + 1) }
        case "\"": return string()
        case "t": return word("true")
        case "f": return word("false")
        case "n": return word("null")
        default: return number()
        }
    }

    private mutating func list(until end: Unicode.Scalar, _ item: (inout JSONSyntax) -> Bool) -> Bool {
        at += 1
        skipSpace()
        if take(end) { return true }
        while true {
            guard item(&self) else { return false }
            skipSpace()
            if take(end) { return true }
            guard take(",") else { return false }
        }
    }

    private mutating func member(depth: Int) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: "\""), string() else { return false }
        skipSpace()
        return take(":") && value(depth: depth + 1)
    }

    private mutating func string() -> Bool {
        at += 1
        while let byte = next, byte >= 0x20 {
            at += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\"), at < bytes.count { at += 1 }
        }
        return false
    }

    private mutating func word(_ word: String) -> Bool {
        for scalar in word.unicodeScalars { guard take(scalar) else { return false } }
        return true
    }

    private mutating func number() -> Bool {
        let start = at
        while let byte = next, "+-.eE0123456789".utf8.contains(byte) { at += 1 }
        return at > start
    }
}

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

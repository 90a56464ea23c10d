// PathBytes: paths as the kernel has them, in Swift's texts. A name is bytes without `/` and NUL, and need not be UTF-8, which
// a String must be. So a byte that is no part of UTF-8 stands in a text as one character of a private area, U+10FE80 to
// U+10FEFF, and becomes that byte again where a system call is made. A name that really has such a character has its four bytes
// stand so: from bytes to text and back nothing changes. What leaves the process is spelled by PathSpelling. Pure.

/// Bytes of paths, and the texts that stand for them.
public enum PathBytes {
    /// The character of byte 0.
    private static let base: UInt32 = 0x10_FE00

    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        (base + 0x80...base + 0xFF).contains(scalar.value) ? UInt8(scalar.value - base) : nil
    }

    private static func character(_ byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}"
    }

    /// The text that stands for some bytes.
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), isText(text) { return text }
        var scalars = String.UnicodeScalarView()
        var rest = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var place = bytes.startIndex
        while true {
            let length: Int
            switch parser.parseScalar(from: &rest) {
            case .emptyInput: return String(scalars)
            case .valid(let encoded):
                length = encoded.count
                let scalar = Unicode.UTF8.decode(encoded)
                if byte(scalar) == nil {
                    scalars.append(scalar)
                } else {
                    scalars.append(contentsOf: bytes[place...].prefix(length).map(character))
                }
            case .error(let count):
                length = count
                scalars.append(contentsOf: bytes[place...].prefix(count).map(character))
            }
            place = bytes.index(place, offsetBy: length)
        }
    }

    /// The bytes that a text stands for.
    public static func bytes(_ text: String) -> [UInt8] {
        if isText(text) { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in byte(scalar).map { [$0] } ?? Array(String(scalar).utf8)
        }
    }

    /// Whether a text stands for itself: there is no byte in it that is no part of UTF-8.
    public static func isText(_ text: String) -> Bool {
        // All characters that stand for bytes begin so.
        !text.utf8.contains(0xF4) || !text.unicodeScalars.contains { byte($0) != nil }
    }

    /// A text for people: bytes that are no text as `%E9`.
    public static func readable(_ text: String) -> String {
        if isText(text) { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            guard let byte = byte(scalar) else { return result.unicodeScalars.append(scalar) }
            result += PathSpelling.percent(byte)
        }
    }
}

extension String {
    /// The bytes of the path that this stands for, ended by a NUL: for system calls.
    public var nameBytes: [CChar] { PathBytes.bytes(self).map { CChar(bitPattern: $0) } + [0] }

    /// How many bytes the name has that this stands for.
    public var nameLength: Int { PathBytes.isText(self) ? utf8.count : PathBytes.bytes(self).count }
}

// PathBytes maps kernel paths to Swift strings and back. A file name is any bytes without `/` and NUL; a String must be UTF-8.
// Each byte that is not part of valid UTF-8 becomes one private-use character, U+10FE80 to U+10FEFF, and becomes that byte
// again for a system call. If a name contains such a character, its four bytes are mapped one by one, so the mapping is
// reversible. PathSpelling encodes paths that leave the process. Pure.

/// Converts between path bytes and strings.
public enum PathBytes {
    /// The character of byte 0.
    private static let base: UInt32 = 0x10_FE00

    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        (base + 0x80...base + 0xFF).contains(scalar.value) ? UInt8(scalar.value - base) : nil
    }

    private static func character(_ byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}"
    }

    /// The string for these bytes.
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), isText(text) { return text }
        var scalars = String.UnicodeScalarView()
        var rest = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var position = bytes.startIndex
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
                    scalars.append(contentsOf: bytes[position...].prefix(length).map(character))
                }
            case .error(let count):
                length = count
                scalars.append(contentsOf: bytes[position...].prefix(count).map(character))
            }
            position = bytes.index(position, offsetBy: length)
        }
    }

    /// The bytes of a string.
    public static func bytes(_ text: String) -> [UInt8] {
        if isText(text) { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in byte(scalar).map { [$0] } ?? Array(String(scalar).utf8)
        }
    }

    /// Whether a string contains no mapped byte.
    public static func isText(_ text: String) -> Bool {
        // All mapped characters begin with this byte.
        !text.utf8.contains(0xF4) || !text.unicodeScalars.contains { byte($0) != nil }
    }

    /// A readable string: bytes that are not UTF-8 appear as `%E9`.
    public static func readable(_ text: String) -> String {
        if isText(text) { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            guard let byte = byte(scalar) else { return result.unicodeScalars.append(scalar) }
            result += PathSpelling.percent(byte)
        }
    }
}

extension String {
    /// The path's bytes with a terminating NUL, for system calls.
    public var nameBytes: [CChar] { PathBytes.bytes(self).map { CChar(bitPattern: $0) } + [0] }

    /// The number of bytes of the name.
    public var nameLength: Int { PathBytes.isText(self) ? utf8.count : PathBytes.bytes(self).count }
}

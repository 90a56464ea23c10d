// PathSpelling encodes absolute paths in JSON, lists and reports: a path is written as it is, or, if it is not UTF-8, as a file
// URL (RFC 8089) with percent-encoded bytes: `file:///films/caf%E9.mp4`. An absolute path begins with a slash, so the two forms
// never collide. Any path may be given as a URL; trimd writes one only if it must. Pure.

/// Encodes and decodes absolute paths.
public enum PathSpelling {
    private static let prefix = "file://"

    /// The written form of a path.
    public static func spelled(_ path: String) -> String {
        guard !PathBytes.isText(path) else { return path }
        guard path.isAbsolutePath else { return PathBytes.readable(path) }
        return prefix
            + PathBytes.bytes(path).reduce(into: "") { text, byte in
                if isPlain(byte) {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += percent(byte)
                }
            }
    }

    /// The path of a written form; nil if it is a URL that names no local file.
    public static func path(_ text: String) -> String? {
        guard text.hasPrefix(prefix) else { return text }
        let rest = text.dropFirst(prefix.count)
        let local = String(rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest)
        guard local.isAbsolutePath, let bytes = decoded(local) else { return nil }
        return PathBytes.text(bytes)
    }

    /// Decodes percent escapes; nil if an escape is wrong or decodes to a byte that no path may hold.
    public static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let high = digits.first.flatMap(value),
                let low = digits.last.flatMap(value),
                high + low > 0
            else { return nil }
            bytes.append(high << 4 | low)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// A byte as `%E9`.
    static func percent(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count < 2 ? "0" : "") + digits
    }

    /// Letters, digits, `-._~` and the slash: characters that need no escape in a URL path (RFC 3986).
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: true
        default: false
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

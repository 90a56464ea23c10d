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

/// A path in a Codable value, encoded by `PathSpelling`.
@propertyWrapper
public struct SpelledPath: Hashable, Codable, Sendable {
    /// The path.
    public var wrappedValue: String

    /// Creates a path.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    /// Decodes a path or a file URL.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let text = try value.decode(String.self)
        guard let path = PathSpelling.path(text) else {
            throw DecodingError.dataCorruptedError(
                in: value,
                debugDescription:
                    "is '\(text.prefix(64))', which is not a URL of a local file; write file:///folder/name")
        }
        wrappedValue = path
    }

    /// Encodes the path.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(PathSpelling.spelled(wrappedValue))
    }
}

/// An optional path in a Codable value.
@propertyWrapper
public struct SpelledPathIfAny: Hashable, Codable, Sendable {
    /// The path.
    public var wrappedValue: String?

    /// Creates a path, or none.
    public init(wrappedValue: String?) { self.wrappedValue = wrappedValue }

    /// Decodes a path or a file URL.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try SpelledPath(from: decoder).wrappedValue
    }

    /// Encodes the path; the container omits a missing one.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.map(SpelledPath.init(wrappedValue:)).encode(to: encoder)
    }
}

// Synthesized Codable code calls these for members of the type, so that a missing path is omitted.
extension KeyedEncodingContainer {
    /// Encodes a path if there is one.
    public mutating func encode(_ value: SpelledPathIfAny, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue.map(SpelledPath.init(wrappedValue:)), forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a path if there is one.
    public func decode(_: SpelledPathIfAny.Type, forKey key: Key) throws -> SpelledPathIfAny {
        SpelledPathIfAny(wrappedValue: try decodeIfPresent(SpelledPath.self, forKey: key)?.wrappedValue)
    }
}

extension StrictKeys {
    /// The path of a required key.
    package func path(_ key: Key) throws -> String { try need(key, SpelledPath.self).wrappedValue }

    /// The path of an optional key.
    package func pathIfAny(_ key: Key) throws -> String? { try may(key, SpelledPath.self)?.wrappedValue }
}

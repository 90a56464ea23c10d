// The name of a file that a playlist refers to, relative to the playlist's folder. It never leads out of that folder by its text;
// whether a link does is for whoever opens it. Pure.

/// A file beneath the playlist's own folder, by its relative name.
public struct RelativeName: Hashable, Sendable, CustomStringConvertible {
    /// The components, joined by slashes: none is empty, `.` or `..`.
    public let path: String

    /// The path.
    public var description: String { path }

    /// Reads a URI reference.
    /// - Parameter line: where it stands, for errors.
    public init(uri: some StringProtocol, line: Int) throws(PlaylistError) {
        let text = String(uri)
        if RelativeName.hasScheme(text) || text.hasPrefix("//") {
            throw RelativeName.refused(uri, line, "which lies elsewhere")
        }
        if text.hasPrefix("/") { throw RelativeName.refused(uri, line, "which is an absolute path") }
        // A query and a fragment are no part of the name of a file.
        let reference = text.prefix { $0 != "?" && $0 != "#" }
        guard let decoded = RelativeName.decoded(reference) else {
            throw RelativeName.refused(uri, line, "which is not a name in UTF-8")
        }
        try self.init(components: decoded, of: uri, line)
    }

    /// Reads a name as it stands in a list of files.
    /// - Parameter line: where it stands, for errors.
    init(listed name: String, line: Int) throws(PlaylistError) {
        if name.contains("://") { throw RelativeName.refused(name, line, "which lies elsewhere") }
        try self.init(components: name, of: name, line)
    }

    /// - Parameter text: as it is written, for errors.
    private init(
        components name: String, of text: some StringProtocol, _ line: Int
    ) throws(PlaylistError) {
        func refused(_ why: String) -> PlaylistError { RelativeName.refused(text, line, why) }
        guard !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw refused("which holds a control character")
        }
        let parts = name.split(separator: "/").filter { $0 != "." }
        guard !parts.contains("..") else { throw refused("which leads out of its folder") }
        guard !parts.isEmpty, !name.hasSuffix("/") else { throw refused("which is no file") }
        guard !name.hasPrefix("/") else { throw refused("which is an absolute path") }
        path = parts.joined(separator: "/")
        guard path.utf8.count <= PlaylistLimits.name else { throw refused("which is too long for a name") }
    }

    private static func refused(
        _ text: some StringProtocol, _ line: Int, _ why: String
    ) -> PlaylistError {
        PlaylistError(
            .refused, line: line, "it names '\(shown(text))', \(why)",
            remedy: "only files beneath the playlist's own folder are read: download what it lists")
    }

    /// The folder that holds it; nil: that of the playlist.
    public var folder: String? { path.lastIndex(of: "/").map { String(path[..<$0]) } }

    /// The name as seen from a folder above.
    public func beneath(_ folder: String?) -> RelativeName {
        folder.map { RelativeName(path: "\($0)/\(path)") } ?? self
    }

    private init(path: String) { self.path = path }

    /// `scheme:`, as in RFC 3986.
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, isLetter(first) else { return false }
        return scheme.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Without its percent signs; nil if the bytes are not UTF-8. A sign that no two hexadecimal digits follow stands for itself, as
    /// in names that were not written as URIs.
    private static func decoded(_ text: some StringProtocol) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "%")) else { return String(text) }
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
            {
                out.append(high << 4 | low)
                index += 3
            } else {
                out.append(bytes[index])
                index += 1
            }
        }
        return String(validating: out, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    /// The beginning of a text of the playlist, for a message.
    static func shown(_ text: some StringProtocol) -> String {
        let readable = text.unicodeScalars.prefix(80).map { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : String(Character(scalar))
        }.joined()
        return readable + (text.unicodeScalars.count > 80 ? "…" : "")
    }
}

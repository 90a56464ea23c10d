// PathParts finds the slashes of a path. Swift treats a slash followed by a combining accent as one character; the kernel does
// not, and a name may begin with such an accent. Pure.

extension String {
    /// Whether it begins with a slash.
    public var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// Whether it ends in a slash.
    public var endsInSlash: Bool { unicodeScalars.last == "/" }

    /// The index of the last slash.
    public var lastSlash: Index? { unicodeScalars.lastIndex(of: "/") }

    /// The non-empty names between slashes.
    public var pathNames: [String] { unicodeScalars.split(separator: "/").map { String($0) } }

    /// The text after a slash.
    public func behind(_ slash: Index) -> String { String(self[unicodeScalars.index(after: slash)...]) }
}

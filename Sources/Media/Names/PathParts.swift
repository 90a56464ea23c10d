// PathParts: where a path's slashes are. Swift counts a slash and a combining accent behind it as one character; the kernel
// does not, and a name may begin with one. Pure.

extension String {
    /// Begins with a slash.
    public var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// Ends in a slash.
    public var endsInSlash: Bool { unicodeScalars.last == "/" }

    /// The place of the last slash.
    public var lastSlash: Index? { unicodeScalars.lastIndex(of: "/") }

    /// The names between slashes, those without a letter left out.
    public var pathNames: [String] { unicodeScalars.split(separator: "/").map { String($0) } }

    /// What is behind a slash.
    public func behind(_ slash: Index) -> String { String(self[unicodeScalars.index(after: slash)...]) }
}

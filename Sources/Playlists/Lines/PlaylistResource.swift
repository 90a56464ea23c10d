// The bytes that a line of a playlist names. A value.

/// A file that a playlist refers to, or a part of one.
public struct PlaylistResource: Hashable, Sendable {
    /// The file.
    public var name: RelativeName
    /// The bytes of it; nil: all.
    public var range: Range<Int64>?
    /// The line that names it.
    public var line: Int

    /// Creates a reference to a file.
    public init(name: RelativeName, range: Range<Int64>? = nil, line: Int) {
        self.name = name
        self.range = range
        self.line = line
    }

    /// Whether both are the same bytes, wherever they are named.
    public func isSame(as other: PlaylistResource?) -> Bool { name == other?.name && range == other?.range }
}

// How a worker gets the files that a playlist names: it asks for them by their relative names, and the daemon opens them beneath
// the playlist's own folder. Pure values; no client sees them.
public import Media

/// Files that a worker needs of a playlist: the worker's `segments`. It asks again only once it has the answer.
public struct SegmentRequest: Hashable, Codable, Sendable {
    /// Their relative names.
    public var names: [String]

    /// The most names of one request.
    public static let most = 16

    /// Creates a request.
    public init(names: [String]) { self.names = names }
}

/// The parameters of the worker's `names`: the files that a playlist names are listed by another worker than the one that reads its
/// media, so that a film cannot ask for more.
public struct WorkerNames: Hashable, Codable, Sendable {
    /// The playlist's name, for messages.
    public var name: String

    /// The most bytes of all names: those of the longest playlist.
    public static let mostBytes = 8 << 20

    /// Creates parameters.
    public init(name: String) { self.name = name }
}

/// The answer to `names`: the names are in the file, a line each.
public struct ListedNames: Hashable, Codable, Sendable {
    /// Whether they are playlists themselves.
    public var arePlaylists: Bool
    /// The bytes of the file.
    public var bytes: Int64

    /// Creates an answer.
    public init(arePlaylists: Bool, bytes: Int64) {
        self.arePlaylists = arePlaylists
        self.bytes = bytes
    }
}

/// The answer to a `SegmentRequest`: the daemon's `segments`. The descriptors of the files that could be opened come with it, in order.
public struct SegmentAnswer: Hashable, Codable, Sendable {
    /// One file.
    public struct File: Hashable, Codable, Sendable {
        /// Why it was not opened; nil: its descriptor is here.
        public var error: MediaError?
        /// A text that differs where the file does; nil: it was not opened.
        public var identity: String?

        /// Creates a file that was opened.
        public init(identity: String) { self.identity = identity }

        /// Creates a file that was not opened.
        public init(error: MediaError) { self.error = error }
    }

    /// The files, in the order of the names.
    public var files: [File]

    /// Creates an answer.
    public init(files: [File]) { self.files = files }
}

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

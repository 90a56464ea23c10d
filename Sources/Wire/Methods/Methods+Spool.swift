// Parameters and results of the methods about the spool: input that comes from a pipe, and output that goes into one. Pure values.
public import Media
public import Text

/// The answer of `spool.open`: a folder of the caller's in the daemon's state, until the connection ends.
public struct SpoolResult: Hashable, Codable, Sendable {
    /// The folder, with a slash at its end: an output may be submitted into it.
    @SpelledPath public var folder: String
    /// The empty file that `spool.write` appends to: it may be submitted as an input.
    @SpelledPath public var input: String
    /// How many bytes one user may have in the spool at once.
    public var limit: Int64

    /// Creates an answer.
    public init(folder: String, input: String, limit: Int64) {
        self.folder = folder
        self.input = input
        self.limit = limit
    }
}

/// The parameters of `spool.write`.
public struct SpoolWriteParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The `input` of a `SpoolResult`.
    @SpelledPath public var path: String
    /// The next bytes, in Base64.
    public var data: String

    /// The most bytes of a call, so that it fits a line.
    public static let mostBytes = 512 << 10

    /// Creates parameters.
    public init(path: String, data: String) {
        self.path = path
        self.data = data
    }
}

/// The answer of `spool.write`.
public struct SpoolWritten: Hashable, Codable, Sendable {
    /// The bytes written to the file so far.
    public var bytes: Int64

    /// Creates an answer.
    public init(bytes: Int64) { self.bytes = bytes }
}

/// The parameters of `spool.read`.
public struct SpoolReadParams: Hashable, Codable, StrictDecodable, Sendable {
    /// A file in a spool folder: the output of a job that has completed.
    @SpelledPath public var path: String
    /// Where to begin, in bytes.
    public var offset: Int64

    /// Creates parameters.
    public init(path: String, offset: Int64) {
        self.path = path
        self.offset = offset
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        if offset < 0 { throw InvalidValue(CodingKeys.offset, "is \(offset), and must not be negative") }
    }
}

/// The answer of `spool.read`.
public struct SpoolPiece: Hashable, Codable, Sendable {
    /// The bytes from the offset on, in Base64; empty at the end of the file.
    public var data: String

    /// Creates an answer.
    public init(data: String) { self.data = data }
}

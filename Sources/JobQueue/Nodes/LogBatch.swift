// LogBatch: lines for the logs of jobs, as one node adds them, and a part of a log as it is read. Values.

/// Lines for the logs of jobs.
public struct LogBatch: Hashable, Sendable {
    /// Its number among those of its owner, counted from 1: a batch that is given again, since its answer was lost, is stored once.
    public var number: Int64
    /// For each job whole lines, each with its line break: at most `mostBytes`.
    public var texts: [Int64: String]

    /// The most bytes for one job.
    public static let mostBytes = 64 << 10
    /// The most bytes of one job's log that the queue keeps: the last ones.
    public static let mostKept: Int64 = 1 << 20

    /// A batch from its parts.
    public init(number: Int64, _ texts: [Int64: String]) { (self.number, self.texts) = (number, texts) }
}

/// A part of a log.
public struct LogPart: Hashable, Sendable {
    /// Whole lines.
    public var text: String
    /// The bytes that were ever added to the log up to the end of the text.
    public var next: Int64

    /// A part from its parts.
    public init(_ text: String, next: Int64) { (self.text, self.next) = (text, next) }
}

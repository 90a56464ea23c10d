// How much of a track lies in a range, as it is stored. Values only; who can read the file fills them in.

/// Bytes of a track's stored samples.
public struct StoredAmount: Hashable, Sendable {
    /// Of the samples that a copy of the range takes over.
    public var bytes: Double
    /// All of them were counted; else some were, and the rest is taken to be like them.
    public var isCounted: Bool

    /// An amount from its parts.
    public init(bytes: Double, isCounted: Bool) {
        self.bytes = bytes
        self.isCounted = isCounted
    }
}

// The stored bytes of a track in a range. Values only; the reader of the file fills them in.

/// Bytes of a track's stored samples.
public struct StoredAmount: Hashable, Sendable {
    /// Bytes of the samples that a copy of the range contains.
    public var bytes: Double
    /// Whether all samples were counted; else the total was extrapolated from some of them.
    public var isCounted: Bool

    /// Creates an amount.
    public init(bytes: Double, isCounted: Bool) {
        self.bytes = bytes
        self.isCounted = isCounted
    }
}

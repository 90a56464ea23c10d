// The range of an asset to read, as in an export: one range, several to keep, or ranges to remove. A value.
public import MediaTime

/// A range of an asset, not resolved yet.
public struct PictureRange: Hashable, Codable, Sendable {
    /// The in point, and the out point or the duration; nil: the whole file.
    public var start: TimeSpelling?, end: TimeSpelling?, duration: TimeSpelling?
    /// Ranges to join in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges to remove between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// How to snap the in and out points.
    public var snap: Snap?

    /// Creates the range of the whole asset.
    public init() {}
}

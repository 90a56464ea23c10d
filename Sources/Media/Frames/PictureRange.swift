// What of an asset is looked at, in the words of an export: one range, several that are kept, or all but some. A value.
public import MediaTime

/// A range of an asset, not resolved yet.
public struct PictureRange: Hashable, Codable, Sendable {
    /// The in point, the out point, or how long instead; nil: all of it.
    public var start: TimeSpelling?, end: TimeSpelling?, duration: TimeSpelling?
    /// Ranges that are joined in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges that are left out of what lies between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// Both points are moved first.
    public var snap: Snap?

    /// All of an asset.
    public init() {}
}

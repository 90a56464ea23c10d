// How an export is divided into the parts that are made each in a process of its own. A value.

/// How an export is divided into units.
public struct UnitDivision: Hashable, Codable, Sendable {
    /// Seconds of the output in one chunk of video; nil: by its length.
    public var seconds: Double?

    /// Creates a division.
    public init(seconds: Double? = nil) { self.seconds = seconds }
}

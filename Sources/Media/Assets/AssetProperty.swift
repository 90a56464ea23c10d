// Asset properties that load one by one, and their load status, as in AVFoundation. Values only.

/// A property of an asset.
public enum AssetProperty: String, Hashable, Codable, Sendable, CaseIterable {
    /// Its tracks, from the headers.
    case tracks
    /// Its duration.
    case duration
    /// Its chapters.
    case chapters
    /// Its metadata.
    case metadata
    /// Variable frame rates, track starts and faults: reads a bounded run of packets.
    case timing
    /// The keyframes of every video track: reads the whole file.
    case keyframes
    /// The exact number of frames or packets of each track: reads the whole file.
    case frameCounts

    /// The properties that need at most a few packets.
    public static let usual: Set<AssetProperty> = [.tracks, .duration, .chapters, .metadata, .timing]
}

/// The load status of a property.
public struct PropertyState: Hashable, Codable, Sendable {
    /// The status values.
    public enum Status: String, Hashable, Codable, Sendable, CaseIterable { case loaded, failed, notAsked }
    /// The status.
    public var status: Status
    /// The error, if loading failed.
    public var error: MediaError?

    /// Creates a state.
    public init(_ status: Status, error: MediaError? = nil) {
        self.status = status
        self.error = error
    }
}

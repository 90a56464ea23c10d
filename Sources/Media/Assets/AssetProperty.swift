// What can be asked of an asset one by one, and how the asking went; as AVFoundation loads properties. Values only.

/// Something that can be asked of an asset.
public enum AssetProperty: String, Hashable, Codable, Sendable, CaseIterable {
    /// Its tracks, from the headers.
    case tracks
    /// How long it is.
    case duration
    /// Its chapters.
    case chapters
    /// Its metadata.
    case metadata
    /// Whether frame rates vary, where tracks begin, and what is wrong: a bounded run of packets is read.
    case timing
    /// Where playback can begin, in every video track: the whole file is read.
    case keyframes
    /// Exactly how many frames or packets each track has: the whole file is read.
    case frameCounts

    /// Those that take no longer than a few packets.
    public static let usual: Set<AssetProperty> = [.tracks, .duration, .chapters, .metadata, .timing]
}

/// How the asking for a property went.
public struct PropertyState: Hashable, Codable, Sendable {
    /// The words for it.
    public enum Status: String, Hashable, Codable, Sendable, CaseIterable { case loaded, failed, notAsked }
    /// The word.
    public var status: Status
    /// Why it failed.
    public var error: MediaError?

    /// A state from its parts.
    public init(_ status: Status, error: MediaError? = nil) {
        self.status = status
        self.error = error
    }
}

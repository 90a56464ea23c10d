// One item of an asset's metadata, as stored in its container. Values only.

/// The key space of a key, named as in AVMetadataKeySpace if listed there.
public enum KeySpace: String, Hashable, Codable, Sendable, CaseIterable {
    case quickTimeUserData, quickTimeMetadata, iTunes, id3, vorbis, matroska, riff, mpegts
    /// Any other container.
    case other
}

/// One item of metadata.
public struct MetadataItem: Hashable, Codable, Sendable {
    /// FFmpeg's key.
    public var key: String
    /// The key space.
    public var space: KeySpace
    /// AVFoundation's common identifier, if the key has one.
    public var common: String?
    /// The value as text.
    public var value: String

    /// Creates an item.
    public init(key: String, space: KeySpace, common: String?, value: String) {
        self.key = key
        self.space = space
        self.common = common
        self.value = value
    }
}

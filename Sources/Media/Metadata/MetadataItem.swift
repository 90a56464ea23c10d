// One item of an asset's metadata, as its container has it. Values only.

/// Where a key belongs, in the words of AVMetadataKeySpace where it has one.
public enum KeySpace: String, Hashable, Codable, Sendable, CaseIterable {
    case quickTimeUserData, quickTimeMetadata, iTunes, id3, vorbis, matroska, riff, mpegts
    /// A container of another kind.
    case other
}

/// One item of metadata.
public struct MetadataItem: Hashable, Codable, Sendable {
    /// The key as FFmpeg tells it.
    public var key: String
    /// The space of the key.
    public var space: KeySpace
    /// AVFoundation's common identifier, where the key has one.
    public var common: String?
    /// The value as text.
    public var value: String

    /// An item from its parts.
    public init(key: String, space: KeySpace, common: String?, value: String) {
        self.key = key
        self.space = space
        self.common = common
        self.value = value
    }
}

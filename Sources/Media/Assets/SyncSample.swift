// A place of a video track where decoding can begin, and of which kind, told by its bitstream. A value.
public import MediaTime

/// A sample at which decoding can begin, or that the container says is one.
public struct SyncSample: Hashable, Codable, Sendable {
    /// What its bitstream says.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// H.264 and HEVC: instantaneous decoding refresh; nothing after it needs what is before it.
        case idr
        /// HEVC: clean random access; leading pictures may need what is before it.
        case cra
        /// HEVC: broken link access; leading pictures cannot be decoded, or are not there.
        case bla
        /// H.264: pictures from here on are right in the order of showing; later ones may refer to what is before it.
        case recoveryPoint
        /// H.264: pictures become right some frames later, row by row.
        case gradualRefresh
        /// MPEG-2: no picture of the group needs what is before it.
        case closedGOP
        /// MPEG-2: leading pictures may need what is before it.
        case openGOP
        /// A key frame of a codec that has no other kinds, such as VP9 and AV1, or of one in which each frame stands alone.
        case key
        /// The container calls it a sync sample; the bitstream says nothing.
        case marked
    }
    /// Its presentation time, in asset time.
    public var time: Time
    /// What its bitstream says.
    public var kind: Kind
    /// Pictures that follow it in the file and are shown before it; nil: none.
    public var leading: Int?

    /// A sample from its parts.
    public init(time: Time, kind: Kind, leading: Int? = nil) {
        self.time = time
        self.kind = kind
        self.leading = leading
    }
}

// A sync sample of a video track, with its kind as its bitstream declares it. A value.
public import MediaTime

/// A sample at which decoding can begin, or that the container marks as one.
public struct SyncSample: Hashable, Codable, Sendable {
    /// The kinds of sync sample.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// H.264 and HEVC: instantaneous decoding refresh; no later frame depends on an earlier one.
        case idr
        /// HEVC: clean random access; leading pictures may depend on earlier frames.
        case cra
        /// HEVC: broken link access; leading pictures cannot be decoded, or are missing.
        case bla
        /// H.264: frames from here on are correct in presentation order; later ones may refer to earlier frames.
        case recoveryPoint
        /// H.264: frames become correct some frames later, row by row.
        case gradualRefresh
        /// MPEG-2: no picture of the group depends on earlier ones.
        case closedGOP
        /// MPEG-2: leading pictures may depend on earlier ones.
        case openGOP
        /// A keyframe of a codec without other kinds, such as VP9 and AV1, or of an intra-only codec.
        case key
        /// The container marks it as a sync sample; the bitstream does not say.
        case marked
    }
    /// Its presentation time, in asset time.
    public var time: Time
    /// Its kind, from the bitstream.
    public var kind: Kind
    /// Leading pictures: later in the file, presented before it; nil: none.
    public var leading: Int?

    /// Creates a sync sample.
    public init(time: Time, kind: Kind, leading: Int? = nil) {
        self.time = time
        self.kind = kind
        self.leading = leading
    }
}

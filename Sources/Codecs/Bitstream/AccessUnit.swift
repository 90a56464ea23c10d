// Classifies a packet for cutting by its bytes, since containers mark more pictures as key frames than can be cut at.

/// The facts of one packet that decide where a file can be cut.
package struct AccessUnit: Equatable, Sendable {
    /// Whether decoding can begin here.
    package enum RandomAccess: Equatable, Sendable {
        case none
        /// Nothing after it in decoding order needs earlier packets (H.264 IDR; HEVC IDR, BLA; MPEG-2 closed GOP).
        case closed
        /// Later packets that are shown before it may need earlier ones (HEVC CRA, MPEG-2).
        case open
        /// H.264 without IDR: correct after this many frames, 0 for an I frame of an open GOP, more for gradual refresh.
        case recoveryPoint(frames: Int)
    }
    /// HEVC: a picture that is shown before the random access point it follows.
    package enum Leading: Sendable {
        /// RADL: can be decoded from that point.
        case decodable
        /// RASL: cannot.
        case skipped
    }

    package var randomAccess = RandomAccess.none
    /// HEVC: leading pictures cannot be decoded (BLA).
    package var isBrokenLink = false
    package var leading: Leading?
    /// The packet has parameter sets (or sequence headers).
    package var hasParameterSets = false
    /// Ids of the sets in the packet, except damaged ones.
    package var videoSetIDs: [Int] = []
    package var sequenceSetIDs: [Int] = []
    package var pictureSetIDs: [Int] = []
    /// Ids of the picture parameter sets its slices use.
    package var usedPictureSetIDs: Set<Int> = []
    /// One field, or two separately coded fields. Nil if unknown (H.264 without sets, HEVC).
    package var isFieldPicture: Bool?
    /// The position in its group in display order. MPEG-2 only.
    package var temporalReference: Int?

    /// The part of a slice header that is parsed is shorter than this, in bytes.
    package static let headerLimit = 32
}

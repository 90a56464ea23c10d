// The frames that are decoded between a sync sample and an in point, of which none is shown but the last: those that no other refers to
// are skipped, which saves a third of the work. A frame may stay on screen longer than its rate says, and be skipped though it is the one
// on screen at the in point: that is noticed before any frame is shown, and all is decoded then. Pure: sees times alone.
internal import Media
internal import MediaTime
internal import Source

/// The frames before an in point.
struct VideoPreroll {
    private let start: Time
    /// The first time from which every frame is decoded.
    private let needed: Time
    private var hasSkipped = false
    /// A frame on screen at the in point or just before it was decoded.
    private var hasFrame = false
    /// A frame after the in point was decoded.
    private var isOver = false

    /// Frames of the usual length before the in point that are not skipped.
    private static let margin: Int64 = 4

    /// - Parameters:
    ///   - start: the in point.
    ///   - length: the usual length of a frame.
    init(before start: Time, length: Time) {
        self.start = start
        needed = start - length.multiplied(by: VideoPreroll.margin, over: 1)
    }

    /// The frames before an in point of a track; nil: all are decoded. Fields that are pictures of their own belong together.
    init?(before start: Time, of track: Track) {
        guard let format = track.video, !format.isInterlaced, track.isBottomFieldFirst == nil,
            let length = format.usualLength
        else { return nil }
        self.init(before: start, length: length)
    }

    /// Whether a packet of this time may be skipped if nothing refers to it.
    mutating func skips(_ time: Time?) -> Bool {
        guard let time, time < needed else { return false }
        hasSkipped = true
        return !isOver || isKnown
    }

    /// Takes the time of a decoded frame, in presentation order.
    /// - Returns: false if the frame on screen at the in point may have been skipped: all must be decoded.
    mutating func offer(_ time: Time) -> Bool {
        if time >= needed, time <= start { hasFrame = true }
        isOver = isOver || time > start
        return !isOver || isKnown
    }

    /// Whether skipped frames may show later, since damage was found: decoders conceal it with the frames before it.
    var suffersFromDamage: Bool { hasSkipped && !isOver }

    /// Whether the frame on screen at the in point is among those that were decoded, or none was skipped.
    var isKnown: Bool { hasFrame || !hasSkipped }
}

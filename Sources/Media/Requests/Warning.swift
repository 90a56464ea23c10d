// The stable words of warnings, and a warning. Values; scripts read the words, so that none of them ever changes.
public import MediaTime

/// The stable words of warnings, in trimd's own and in those of the checker.
public enum WarningCode: String, Hashable, Sendable, CaseIterable {
    // The source.
    case damagedMedia, damagedBefore, truncated, timestamps, shapeChanged
    // The times that were asked for.
    case endClamped, snapped, movedToSyncStart, movedToSyncEnd, noFrameYet, afterLastFrame
    // The output's times.
    case firstFrameCut, lastPictureLength, audioOffset, dataUncut
    // The way it is made.
    case encodedInstead, limitMayNotFit
    // What is lost or changed.
    case videoDropped, audioDropped, downmixed, alphaLost, captionsLost, croppedToAperture, deinterlaced
    case dolbyVisionLost, frameRateLowered, secondViewLost, toneMapped
    // Loudness.
    case loudnessUnknown, loudnessLimited
    // A comparison.
    case soundOnly, rateLowered, audioTracks
    // The queue.
    case notRecorded
    // What only the checker says: a track that is left out.
    case decoderNotFound, undecodableMediaData
}

/// Something a user should know that is no failure.
public struct Warning: Hashable, Codable, Sendable {
    /// The stable word; one that another version says stays as it is.
    public var word: String
    /// A sentence for people.
    public var message: String
    /// The asset time it concerns.
    public var time: Time?
    /// The source track it concerns.
    public var track: Int?

    private enum CodingKeys: String, CodingKey {
        case word = "code"
        case message, time, track
    }

    /// A warning from its parts.
    public init(_ code: WarningCode, _ message: String, time: Time? = nil, track: Int? = nil) {
        word = code.rawValue
        self.message = PathBytes.readable(message)
        self.time = time
        self.track = track
    }

    /// A warning of the checker.
    public init(_ reason: Reason) {
        word = reason.code
        message = PathBytes.readable(reason.message)
    }

    /// The stable word's meaning; nil: another version says it.
    public var code: WarningCode? { WarningCode(rawValue: word) }
}

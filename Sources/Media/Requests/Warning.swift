// The warnings and their stable codes. Values; scripts read the codes, so none of them ever changes.
public import MediaTime
internal import Text

/// The stable warning codes, of exports and of the compatibility check.
public enum WarningCode: String, Hashable, Sendable, CaseIterable {
    // The source.
    case damagedMedia, damagedBefore, truncated, timestamps, shapeChanged, gap
    // The source's times.
    case timesFromRate
    // The requested times.
    case endClamped, snapped, timeRounded, frameMeant, movedToSyncStart, movedToSyncEnd, noFrameYet,
        afterLastFrame
    // The output's times.
    case firstFrameCut, lastPictureLength, audioOffset, audioPadded, dataUncut, hiddenStart
    // The render mode.
    case encodedInstead, typeChanged, limitMayNotFit, bufferUnderflow
    // Losses and changes.
    case videoDropped, audioDropped, downmixed, alphaLost, captionsLost, croppedToAperture, deinterlaced
    case depthLowered, dolbyVisionLost, frameRateLowered, secondViewLost, toneMapped
    // Subtitles in the frames.
    case glyphMissing, fontMissing, nothingDrawn, subtitlesUnread
    // Loudness.
    case loudnessUnknown, loudnessLimited, loudnessChanged
    // A comparison.
    case soundOnly, rateLowered, audioTracks
    // The queue.
    case notRecorded
    // Only from the compatibility check: a track that is left out.
    case decoderNotFound, undecodableMediaData
}

extension WarningCode {
    /// Whether it says that something was done as requested: nothing is lost or wrong.
    public var isNote: Bool {
        switch self {
        case .audioPadded, .firstFrameCut, .hiddenStart, .snapped, .timeRounded, .frameMeant,
            .movedToSyncStart,
            .movedToSyncEnd, .timesFromRate, .typeChanged:
            true
        default: false
        }
    }
}

extension [Warning] {
    /// Those that say that something was done as requested.
    public var notes: [Warning] { filter { $0.code?.isNote == true } }

    /// The others: something is lost or may be wrong.
    public var withoutNotes: [Warning] { filter { $0.code?.isNote != true } }
}

/// A warning or a note: something a user should know that is not a failure.
public struct Warning: Hashable, Codable, Sendable {
    /// The stable code; an unknown one from another version is kept as it is.
    public var word: String
    /// A message for people.
    public var message: String
    /// The affected asset time.
    public var time: Time?
    /// The affected source track.
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

    /// Creates a warning from a reason of the compatibility check.
    public init(_ reason: Reason) {
        word = reason.code
        message = PathBytes.readable(reason.message)
    }

    /// The code; nil if it comes from another version.
    public var code: WarningCode? { WarningCode(rawValue: word) }
}

// Media errors with stable codes. Every failure that reaches a user is one of these. An error carries its location (track,
// time) and a remedy; it does not log, and it does not decide what happens next.
public import MediaTime
internal import Text

/// A failure: a stable code for scripts, a message for people, and its location.
public struct MediaError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The stable code.
    public var code: ErrorCode
    /// The act, the object and the cause, as one sentence.
    public var message: String
    /// The asset time of the failure, if known.
    public var time: Time?
    /// The source track (its index in the container) of the failure, if known.
    public var track: Int?
    /// The remedy: what the user can do.
    public var remedy: String?

    /// Creates an error with its location and remedy, if known.
    public init(
        _ code: ErrorCode, _ message: String, time: Time? = nil, track: Int? = nil, remedy: String? = nil
    ) {
        self.code = code
        self.message = PathBytes.readable(message)
        self.time = time
        self.track = track
        self.remedy = remedy.map(PathBytes.readable)
    }

    /// The message, then the remedy.
    public var description: String {
        guard let remedy else { return message }
        return "\(message); \(remedy)"
    }
}

/// The stable error codes; most carry the names of AVFoundation's error codes.
public enum ErrorCode: String, Codable, Hashable, Sendable, CaseIterable {
    // The request is wrong.
    case invalidRequest, invalidTime, invalidPreset, presetNotFound, outputTypeNotValid
    // The preset does not fit the asset.
    case presetNotValid
    // Refused by policy.
    case contentIsProtected, playlist, permissionDenied
    // The output already exists, or is the input.
    case fileAlreadyExists, outputIsInput
    // Files and folders.
    case fileNotFound, notARegularFile, notAFolder, notWritable, diskFull, inputOutput, sourceChanged
    // Media.
    case fileFormatNotRecognized, fileFailedToParse, noSourceTrack, decoderNotFound, encoderNotFound
    case decodeFailed, encodeFailed, undecodableMediaData, damagedMedia, operationNotSupported, spliceFailed
    case outOfMemory, maximumFileSizeReached, verificationFailed
    // The service.
    case operationCancelled, operationInterrupted, workerCrashed, noDaemon, jobNotFound
    case jobStateNotValid, queueDamaged, queueUnavailable, limitReached, sandboxUnavailable, sandboxViolation,
        workerStalled
    case timeLimitReached, dependencyFailed, unknown
    // The request line and the connection, whatever the method.
    case parseError, internalError, answerTooLong, serverBusy

    /// The exit code of `trimctl` for this failure.
    public var exitCode: Int32 {
        switch self {
        case .invalidRequest, .invalidTime, .invalidPreset, .presetNotFound, .outputTypeNotValid: 2
        case .presetNotValid: 3
        case .operationCancelled: 4
        case .noDaemon, .queueUnavailable: 5
        case .fileAlreadyExists, .outputIsInput: 6
        case .contentIsProtected, .playlist, .permissionDenied: 7
        default: 1
        }
    }
}

// What can go wrong with media, in stable words. Every failure that reaches a user is one of these.
// It carries where (track, time) and what to do; it does not log, and it does not decide what happens next.
public import MediaTime

/// Why something could not be done: a stable word for scripts, a sentence for people, and where it happened.
public struct MediaError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The stable word.
    public var code: ErrorCode
    /// The act, the object and the cause, as one sentence.
    public var message: String
    /// The asset time at which it happened, where it happened at one.
    public var time: Time?
    /// The source track (its index in the container) it happened in.
    public var track: Int?
    /// What the user can do about it.
    public var remedy: String?

    /// An error with its place and its remedy, where they are known.
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

/// The stable words for failures; most carry the names of AVFoundation's error codes.
public enum ErrorCode: String, Codable, Hashable, Sendable, CaseIterable {
    // The request is wrong.
    case invalidRequest, invalidTime, invalidPreset, presetNotFound, outputTypeNotValid
    // The preset and the asset do not fit.
    case presetNotValid
    // Refused by policy.
    case contentIsProtected, playlist, permissionDenied
    // The output is there already, or is the input.
    case fileAlreadyExists, outputIsInput
    // Files and places.
    case fileNotFound, notARegularFile, notAFolder, notWritable, diskFull, inputOutput, sourceChanged
    // Media.
    case fileFormatNotRecognized, fileFailedToParse, noSourceTrack, decoderNotFound, encoderNotFound
    case decodeFailed, encodeFailed, undecodableMediaData, damagedMedia, operationNotSupported, spliceFailed
    case outOfMemory, maximumFileSizeReached, verificationFailed
    // The service.
    case operationCancelled, operationInterrupted, workerCrashed, noDaemon, jobNotFound
    case jobStateNotValid, queueDamaged, queueUnavailable, limitReached, sandboxUnavailable, sandboxViolation,
        workerStalled
    case timeLimitReached, unknown
    // The line and the connection, whatever the method.
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

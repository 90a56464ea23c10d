// The errors of the client: a case for each exit code of trimctl, with the code, the place and the remedy that trimd tells. A value.
public import FoundationEssentials
public import Media
public import MediaTime

/// Why an export, or a question about an asset, did not succeed.
public enum ExportError: Error, Hashable, Sendable {
    /// The request makes no sense: a time, a preset or a file type that is none.
    case invalidRequest(MediaError)
    /// The preset is not valid for the asset.
    case presetNotValid(MediaError)
    /// The export was cancelled: by its task, or by somebody else in trimd's queue.
    case cancelled(MediaError)
    /// No trimd answers, or its queue cannot be reached.
    case noDaemon(MediaError)
    /// The output exists, or is the source.
    case outputExists(MediaError)
    /// Rights or policy: protected media, files that the user may not open, folders that are not trimd's.
    case refused(MediaError)
    /// Anything else; ``code`` says what.
    case failed(MediaError)

    /// The case of an error that trimd or its connection reports.
    public init(_ error: MediaError) {
        switch error.code.exitCode {
        case 2: self = .invalidRequest(error)
        case 3: self = .presetNotValid(error)
        case 4: self = .cancelled(error)
        case 5: self = .noDaemon(error)
        case 6: self = .outputExists(error)
        case 7: self = .refused(error)
        default: self = .failed(error)
        }
    }

    /// The error as trimd reports it.
    public var reported: MediaError {
        switch self {
        case .invalidRequest(let error), .presetNotValid(let error), .cancelled(let error),
            .noDaemon(let error), .outputExists(let error), .refused(let error), .failed(let error):
            error
        }
    }

    /// The stable code.
    public var code: ErrorCode { reported.code }
    /// The act, the object and the cause, as one sentence.
    public var message: String { reported.message }
    /// The remedy.
    public var remedy: String? { reported.remedy }
    /// The asset time of the failure, if known.
    public var time: Time? { reported.time }
    /// The source track of the failure, by its index, if known.
    public var track: Int? { reported.track }
}

extension ExportError: LocalizedError {
    /// The message, which `localizedDescription` shows.
    public var errorDescription: String? { message }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}

extension ExportError: CustomStringConvertible {
    /// The message, then the remedy.
    public var description: String { reported.description }
}

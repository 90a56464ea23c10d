// The errors of the wire and of the daemon, in the words users get. Pure.
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// Errors on the way to the daemon.
enum DaemonError {
    /// What to do where there is no daemon.
    static let remedy = "start it with `systemctl start trimd`"

    /// The same for a command that needs none.
    static let remedyOrStandalone = remedy + ", or add --standalone, which needs no daemon"

    /// The connection broke.
    static let lost = MediaError(.noDaemon, "the connection to trimd was lost")

    /// The user wanted to stop.
    static let interrupted = MediaError(.operationCancelled, "interrupted")

    /// The error in the words users get.
    static func translated(_ error: WireError, path: String) -> MediaError {
        switch error {
        case .remote(let answer): answered(answer)
        case .interrupted: interrupted
        case .closed: lost
        case .noDaemon(let path, SystemError.reason(EACCES)):
            MediaError(
                .noDaemon, error.description,
                remedy: "you have no right to open \(path): ask to be let into its group")
        case .noDaemon: MediaError(.noDaemon, error.description, remedy: remedy)
        case .timedOut: MediaError(.noDaemon, "trimd on \(path) does not answer: \(error)")
        case .malformed:
            MediaError(.noDaemon, "what answers on \(path) does not speak as trimd does: \(error)")
        case .system(let cause): MediaError(.noDaemon, "the connection to trimd was lost: \(cause)")
        case .tooLong: MediaError(.invalidRequest, error.description)
        case .pathTooLong, .alreadyListening, .inTheWay, .unsuitable: MediaError(.noDaemon, error.description)
        }
    }

    /// The daemon's own error. Of JSON-RPC's own words, that of wrong parameters is a wrong request.
    static func answered(_ remote: RemoteError) -> MediaError {
        var error = MediaError(remote)
        let isWrong = remote.number == RemoteError.Kind.invalidParams.rawValue
        if error.code == .unknown, isWrong { error.code = .invalidRequest }
        return error
    }
}

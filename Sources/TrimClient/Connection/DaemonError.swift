// Converts wire and daemon errors to user errors. Pure.
internal import Glibc
package import Media
internal import Platform
package import Wire

/// Errors of the connection to the daemon.
package enum DaemonError {
    /// The connection broke.
    package static let lost = MediaError(.noDaemon, "the connection to trimd was lost")

    /// For the user, while a lost connection is made anew.
    package static let losing = "the connection to trimd was lost; connecting again"

    /// The user interrupted.
    package static let interrupted = MediaError(.operationCancelled, "interrupted")

    /// The user error for a wire error.
    /// - Parameter remedy: the one if there is no daemon.
    package static func translated(_ error: WireError, path: String, remedy: String?) -> MediaError {
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

    /// The daemon's error. JSON-RPC's invalid params becomes an invalid request.
    package static func answered(_ remote: RemoteError) -> MediaError {
        var error = MediaError(remote)
        let isWrong = remote.number == RemoteError.Kind.invalidParams.rawValue
        if error.code == .unknown, isWrong { error.code = .invalidRequest }
        return error
    }
}

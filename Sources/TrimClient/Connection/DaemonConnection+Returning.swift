// Waits for a lost daemon to return.
package import Media
internal import Platform

extension DaemonConnection {
    /// How a wait for a lost daemon ended.
    package enum Return {
        /// It has returned, and the connection is open.
        case connected
        /// It was interrupted.
        case stopped
        /// It stayed away.
        case away
    }

    /// How long to wait for a lost daemon.
    package static let patienceWithLost = Duration.seconds(30)

    /// Waits for a lost daemon to return.
    /// - Parameter isStopping: asked when a stop request arrives: whether to wait no longer.
    package func awaitReturn(
        within patience: Duration = patienceWithLost, _ isStopping: () throws(MediaError) -> Bool
    ) throws(MediaError) -> Return {
        let deadline = Deadline(after: patience)
        while !deadline.hasPassed {
            do throws(MediaError) {
                try connect()
                return .connected
            } catch {
                if error.code != .noDaemon, error.code != .operationCancelled { throw error }
            }
            if !pause(milliseconds: 200), try isStopping() { return .stopped }
        }
        return .away
    }

    /// Waits for a lost daemon to return; false if the user interrupts. `say` gets a message for the user.
    package func reconnect(_ say: (String) -> Void) throws(MediaError) -> Bool {
        say(DaemonError.losing)
        switch try awaitReturn({ () throws(MediaError) in true }) {
        case .connected: return true
        case .stopped: return false
        case .away: throw DaemonError.lost
        }
    }
}

// Waits for a lost daemon to return.
internal import Media
internal import TrimClient

extension DaemonConnection {
    /// Seconds to wait for a lost daemon.
    private static let patienceWithLost = 30.0

    /// Waits for a lost daemon to return; false if the user interrupts. `say` gets a message for the user.
    func reconnect(_ say: (String) -> Void) throws(MediaError) -> Bool {
        say("the connection to trimd was lost; connecting again")
        let limit = Terminal.now + Self.patienceWithLost
        while Terminal.now < limit {
            do throws(MediaError) {
                try connect()
                return true
            } catch {
                if error.code == .operationCancelled { return false }
                if error.code != .noDaemon { throw error }
            }
            if !pause(milliseconds: 200) { return false }
        }
        throw DaemonError.lost
    }
}

// Watches jobs page by page: a response is one line of bounded length, and holds only the first of many jobs. Each call adds
// the jobs it names to this connection's notifications.
internal import Media
internal import MediaTime
internal import Wire

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

    /// Maximum jobs named in one call.
    private static let mostNamed = 500

    /// Watches jobs (nil: all, including later ones) and returns the current state of each named job.
    func watch(_ ids: [Int64]?, interval: Time? = nil) throws(MediaError) -> [JobReport] {
        guard let ids else { return try call(.jobWatch, WatchParams(interval: interval)) }
        var rest = ids[...]
        var present: [JobReport] = []
        while !rest.isEmpty {
            let named = Array(rest.prefix(DaemonConnection.mostNamed))
            let page: [JobReport] = try call(.jobWatch, WatchParams(ids: named, interval: interval))
            let known = Set(page.map(\.id))
            let count = rest.count
            rest.removeAll { known.contains($0) }
            guard rest.count < count else {
                throw MediaError(.internalError, "trimd does not say what job \(named[0]) is")
            }
            present += page
        }
        return present
    }
}

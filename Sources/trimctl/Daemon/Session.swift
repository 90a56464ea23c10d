// A command's session with a daemon: the running one, or a private one that is ended on every path.
internal import Media
internal import TrimClient

/// Runs the body of a command with a connected daemon.
enum Session {
    /// Finds or starts the daemon that the arguments name, and connects.
    /// - Parameter state: the folder for a private daemon's queue; nil: temporary.
    static func run(
        _ arguments: Arguments, _ surroundings: Surroundings, state: String? = nil,
        _ body: (DaemonConnection) throws(MediaError) -> Int32
    ) throws(MediaError) -> Int32 {
        guard arguments.has(.standalone) else {
            let path = surroundings.socket(option: arguments.given(.socket))
            let needsNone = arguments.entry.options.contains(.standalone)
            let start = surroundings.start(socket: path)
            let daemon = DaemonConnection(
                path: path, interrupts: surroundings.interrupts,
                remedy: start.remedy(orStandalone: needsNone))
            try daemon.connect()
            return try body(daemon)
        }
        let own = try StandaloneDaemon.start(
            in: surroundings, sandbox: arguments.given(.sandbox), state: state,
            isForFew: state == nil && arguments.texts.count < 2)
        defer { own.end() }
        do throws(MediaError) {
            let daemon = DaemonConnection(
                path: own.socket, interrupts: surroundings.interrupts, mayReturn: false)
            try daemon.connect()
            return try body(daemon)
        } catch {
            // Its log is removed with it, so the last lines go into the error.
            guard error.code == .noDaemon, let words = own.lastLines else { throw error }
            throw MediaError(.noDaemon, "\(error.message): \(words)")
        }
    }
}

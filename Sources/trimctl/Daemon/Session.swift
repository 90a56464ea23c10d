// A command's time with a daemon: the one that runs, or a private one that is ended afterwards on every path.
internal import Media

/// Runs the body of a command with a connected daemon.
enum Session {
    /// Finds or starts the daemon that the arguments name, and connects.
    /// - Parameter workers: exports that a private one runs at once.
    /// - Parameter state: where a private one keeps its queue; nil: nowhere.
    static func run(
        _ arguments: Arguments, _ surroundings: Surroundings, workers: Int = 1, state: String? = nil,
        _ body: (DaemonConnection) throws(MediaError) -> Int32
    ) throws(MediaError) -> Int32 {
        guard arguments.has(.standalone) else {
            let path = SocketPath.find(option: arguments.given(.socket), in: surroundings)
            let daemon = DaemonConnection(path: path, interrupts: surroundings.interrupts)
            do throws(MediaError) {
                try daemon.connect()
            } catch {
                let needsNone = CommandTable.entry(arguments.verb).options.contains(.standalone)
                guard error.remedy == DaemonError.remedy, needsNone else { throw error }
                throw MediaError(error.code, error.message, remedy: DaemonError.remedyOrStandalone)
            }
            return try body(daemon)
        }
        let own = try StandaloneDaemon.start(
            in: surroundings, sandbox: arguments.given(.sandbox), workers: workers, state: state)
        defer { own.end() }
        do throws(MediaError) {
            let daemon = DaemonConnection(
                path: own.socket, interrupts: surroundings.interrupts, mayReturn: false)
            try daemon.connect()
            return try body(daemon)
        } catch {
            // Its log goes with it: what it said last is all there will be.
            guard error.code == .noDaemon, let words = own.lastLines else { throw error }
            throw MediaError(.noDaemon, "\(error.message): \(words)")
        }
    }
}

// `trimctl events`: what becomes of jobs, one line each: from a moment on, then as it happens. The daemon's events have
// numbers, and each question names the last one seen, so that nothing is missed or told twice, whatever becomes of the
// connection. It changes nothing: Ctrl-C ends it.
internal import Media
internal import MediaTime
internal import Wire

/// `trimctl events`.
struct EventsCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    /// Seconds that the daemon keeps a question for events to come.
    private static let wait = Time(20, 1)
    /// Seconds for which a lost daemon is waited for.
    private static let patience = 30.0

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let since = arguments.moment(.since)
            var next = EventsParams(since: since)
            // Without a moment only what is new counts: beyond the last number there is nothing but that number.
            if since == nil {
                let now: EventsResult = try daemon.call(.eventsSince, EventsParams(after: .max))
                next.after = now.last
            }
            if !arguments.has(.noFollow) { next.wait = Self.wait }
            while !console.isAbandoned {
                let result: EventsResult
                do throws(MediaError) {
                    result = try daemon.call(.eventsSince, next)
                } catch {
                    if error.code == .operationCancelled { return 0 }
                    guard error.code == .noDaemon, next.wait != nil else { throw error }
                    guard try reconnect(daemon) else { return 0 }
                    continue
                }
                for event in result.events { show(event) }
                if next.wait == nil, result.events.isEmpty { return 0 }
                next.after = result.last
                // From here on the numbers say what is new.
                next.since = nil
            }
            return 0
        }
    }

    private func show(_ event: JobEvent) {
        if asJSON { return console.json(event) }
        console.print(
            "\(event.at)  job \(event.job)  \(event.event.rawValue)"
                + (event.code.map { "  \($0.rawValue)" } ?? ""))
    }

    /// Waits for the daemon to come back; false where the user stopped it.
    private func reconnect(_ daemon: DaemonConnection) throws(MediaError) -> Bool {
        console.say("trimctl: the connection to trimd was lost; connecting again")
        let limit = Terminal.now + Self.patience
        while Terminal.now < limit {
            do throws(MediaError) {
                try daemon.connect()
                return true
            } catch {
                if error.code == .operationCancelled { return false }
                if error.code != .noDaemon { throw error }
            }
            if !daemon.pause(milliseconds: 200) { return false }
        }
        throw DaemonError.lost
    }
}

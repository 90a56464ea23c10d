// `trimctl events`: prints job events, one line each: from a given moment, then as they happen. Events have IDs, and each
// request names the last one seen, so that no event is missed or repeated if the connection breaks. It changes nothing: Ctrl-C
// ends it.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// `trimctl events`.
struct EventsCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    /// Seconds that the daemon holds a request open for new events.
    private static let wait = Time(20, 1)

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let since = arguments.moment(.since)
            var next = EventsParams(since: since)
            // Without a moment, only new events are printed: a request beyond the last ID returns just that ID.
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
                    guard try daemon.reconnect({ console.say("trimctl: \($0)") }) else { return 0 }
                    continue
                }
                for event in result.events { show(event) }
                if next.wait == nil, result.events.isEmpty { return 0 }
                next.after = result.last
                // From here on the IDs determine which events are new.
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
}

extension CommandTable {
    static let events = CommandEntry(
        "events", EventsCommand.self, synopsis: ["[--since T] [--no-follow] [--json]"],
        abstract: "Show what becomes of jobs, one line each, as it happens",
        discussion: [
            "Nothing is missed or shown twice, also where the daemon is started again meanwhile.",
            "Without --since it begins now. It goes on until Ctrl-C.",
        ],
        positionals: [], options: [.since, .noFollow, .json, .socket], exclusive: [],
        examples: [
            Example("trimctl events --since 1h", "the last hour, then what happens"),
            Example(
                "trimctl events --since 2026-01-02T03:04:05Z --no-follow --json", "as JSON lines, to the end"),
        ],
        exitCodes: codes(0, 1, 2, 5))
}

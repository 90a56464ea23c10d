// `trimctl metrics`: the daemon's metrics as OpenMetrics text, for a monitoring system's textfile collector.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl metrics`.
struct MetricsCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let metrics: MetricsResult = try daemon.call(.serverMetrics)
            if asJSON { console.json(metrics) } else { console.print(metrics.text) }
            return 0
        }
    }
}

extension CommandTable {
    static let metrics = CommandEntry(
        "metrics", MetricsCommand.self, synopsis: ["[--json]"],
        abstract: "Print the daemon's numbers as OpenMetrics text",
        discussion: [
            "Jobs by status, exports, seconds and bytes by preset and way, failures by code, crashes, the queue's age.",
            "For root, the user that trimd runs as, and the group that metricsGroup names in trimd.json.",
        ],
        positionals: [], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl metrics", "for a textfile collector")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))
}

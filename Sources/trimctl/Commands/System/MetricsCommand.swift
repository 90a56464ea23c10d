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

// `trimctl log`: prints a job's log from the daemon.
internal import Media
internal import Wire

/// `trimctl log`.
struct LogCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            for id in arguments.jobs {
                let log: LogResult = try daemon.call(.jobLog, JobParams(id: id))
                if asJSON { console.json(log) } else if !log.text.isEmpty { console.print(log.text) }
            }
            return 0
        }
    }
}

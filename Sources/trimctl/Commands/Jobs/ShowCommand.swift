// `trimctl show`: prints the current state of one job.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl show`.
struct ShowCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            for id in arguments.jobs {
                let job: JobReport = try daemon.call(.jobGet, JobParams(id: id))
                if asJSON { console.json(job) } else { console.print(JobText(now: .now).page(job)) }
            }
            return 0
        }
    }
}

extension CommandTable {
    static let show = CommandEntry(
        "show", ShowCommand.self, synopsis: ["ID [--json]"],
        abstract: "Show all about one job",
        discussion: [], positionals: [job], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl show 5", "its range, tracks, warnings or error")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))
}

// `trimctl retry`, `hold`, `release` and `remove`: sends one call per job. It reports a job that refuses, and continues with the
// others.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl retry`, `hold`, `release`, `remove`.
struct OrderCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let order = JobOrder(rawValue: arguments.entry.name) ?? .retry
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            try JobSelection(order, arguments).each(daemon, console, asJSON: asJSON) {
                id throws(MediaError) in
                let job = try OpenedFiles.order(order.method, id, to: daemon)
                if asJSON { return console.json(job) }
                console.print(order == .remove ? "job \(id): removed" : JobText(now: .now).line(job))
            }
        }
    }
}

extension CommandTable {
    /// The jobs of an order; the options stand for all of them.
    static func ordered(_ instead: Option...) -> Positional {
        Positional(
            "ID", .jobs, "The jobs' numbers, one by one or as ranges such as 3-7", isRepeatable: true,
            instead: instead)
    }

    /// Which jobs of a range, or of all, an order is for.
    static func selection(_ jobs: String) -> String {
        "Of a range and of --all it takes \(jobs), and says how many; other jobs are passed over. "
            + "Only your own jobs are meant; for root and the user that trimd runs as, those of all users."
    }

    static let retry = CommandEntry(
        "retry", OrderCommand.self, synopsis: ["ID… [--json]", "--failed | --all [--json]"],
        abstract: "Try jobs again that failed or were cancelled",
        discussion: [
            "They wait again under their old numbers, for their sources as those are now.",
            "Your right to read the sources and to write in the outputs' folders is proved again.",
            selection("those that failed or were cancelled"),
        ],
        positionals: [ordered(.failed, .all)], options: [.failed, .all, .json, .socket],
        exclusive: [[.failed, .all]],
        examples: [
            Example("trimctl retry 5", "job 5 waits again"),
            Example("trimctl retry --failed", "all jobs that failed wait again"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 6, 7),
        concerns: { $0.status == .failed || $0.status == .cancelled })

    static let hold = CommandEntry(
        "hold", OrderCommand.self, synopsis: ["ID… [--json]", "--all [--json]"],
        abstract: "Keep jobs from being started, or pause those that are exporting",
        discussion: [
            "A job that is exporting is stopped where it is, and `trimctl release` lets it go on; its limits of time stand still "
                + "meanwhile. It gives its processors to the next job, and keeps its memory and its unfinished file: so as many jobs can "
                + "be paused as may run at once. Where trimd ends meanwhile, it is held, and begins anew when it is released.",
            selection("those that wait or are exporting"),
        ],
        positionals: [ordered(.all)], options: [.all, .json, .socket], exclusive: [],
        examples: [Example("trimctl hold 5", "until trimctl release 5")],
        exitCodes: codes(0, 1, 2, 4, 5, 7),
        concerns: JobOrder.hold.suits)

    static let release = CommandEntry(
        "release", OrderCommand.self, synopsis: ["ID… [--json]", "--all [--json]"],
        abstract: "Let held jobs wait again, and paused ones go on",
        discussion: [
            "They keep their positions. A paused job goes on as soon as processors are free, before any other starts. "
                + "A job that waits after a failure, or for the time of --not-before, is started at once.",
            selection("those that are held or paused"),
        ],
        positionals: [ordered(.all)], options: [.all, .json, .socket], exclusive: [],
        examples: [Example("trimctl release 5 6", "both wait at their old positions")],
        exitCodes: codes(0, 1, 2, 4, 5, 7),
        concerns: { $0.status == .waiting || JobOrder.release.suits($0) })

    static let remove = CommandEntry(
        "remove", OrderCommand.self, synopsis: ["ID… [--json]", "--failed | --all [--json]"],
        abstract: "Take jobs that have ended off the record, with their logs",
        discussion: [
            "Their outputs stay. Their keys are free again.",
            selection("those that have ended"),
        ],
        positionals: [ordered(.failed, .all)], options: [.failed, .all, .json, .socket],
        exclusive: [[.failed, .all]],
        examples: [
            Example("trimctl remove 5", "job 5 is forgotten"),
            Example("trimctl remove 1-99", "those of jobs 1 to 99 that have ended"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 7),
        concerns: { $0.status.isFinal })
}

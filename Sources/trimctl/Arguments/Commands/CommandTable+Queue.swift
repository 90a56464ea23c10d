// The entries of the commands for the queue as a whole, and for its jobs.
internal import Media

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
        verb: .retry, synopsis: ["ID… [--json]", "--failed | --all [--json]"],
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
        exitCodes: codes(0, 1, 2, 4, 5, 6, 7))

    static let hold = CommandEntry(
        verb: .hold, synopsis: ["ID… [--json]", "--all [--json]"],
        abstract: "Keep jobs from being started, or pause those that are exporting",
        discussion: [
            "A job that is exporting is stopped where it is, and `trimctl release` lets it go on; its limits of time stand still "
                + "meanwhile. It gives its processors to the next job, and keeps its memory and its unfinished file: so as many jobs can "
                + "be paused as may run at once. Where trimd ends meanwhile, it is held, and begins anew when it is released.",
            selection("those that wait or are exporting"),
        ],
        positionals: [ordered(.all)], options: [.all, .json, .socket], exclusive: [],
        examples: [Example("trimctl hold 5", "until trimctl release 5")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    static let release = CommandEntry(
        verb: .release, synopsis: ["ID… [--json]", "--all [--json]"],
        abstract: "Let held jobs wait again, and paused ones go on",
        discussion: [
            "They keep their positions. A paused job goes on as soon as processors are free, before any other starts. "
                + "A job that waits after a failure, or for the time of --not-before, is started at once.",
            selection("those that are held or paused"),
        ],
        positionals: [ordered(.all)], options: [.all, .json, .socket], exclusive: [],
        examples: [Example("trimctl release 5 6", "both wait at their old positions")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    /// The options of an export that say how it is submitted and followed: a job that is there has none of them.
    private static let ofSubmission: Set<Option> = [
        .outputType, .dryRun, .detach, .key, .quiet, .verbose, .json, .progress, .standalone, .sandbox,
        .socket,
    ]

    static let modify = CommandEntry(
        verb: .modify, synopsis: ["ID… [--priority N] [options of trimctl export] [--json]"],
        abstract:
            "Change jobs: the priority of those that have not ended, and any option of those that wait or are held",
        discussion: [
            "Options that are not given stay as they are. The changed job is checked as a new one, and keeps its ID.",
            "The priority orders your own jobs alone: turns between users come first. "
                + "That of a job that is exporting counts where it has to start again.",
        ],
        positionals: [jobs],
        options: export.options.filter { !ofSubmission.contains($0) } + [.json, .socket],
        exclusive: export.exclusive.filter { ofSubmission.isDisjoint(with: $0) },
        examples: [
            Example("trimctl modify 5 --priority 20", "job 5 starts after your other jobs"),
            Example("trimctl modify 5 --preset m4v1080 --end 2:00", "before it has begun"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 6, 7), hasHeadings: true)

    static let remove = CommandEntry(
        verb: .remove, synopsis: ["ID… [--json]", "--failed | --all [--json]"],
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
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    static let events = CommandEntry(
        verb: .events, synopsis: ["[--since T] [--no-follow] [--json]"],
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

    static let metrics = CommandEntry(
        verb: .metrics, synopsis: ["[--json]"],
        abstract: "Print the daemon's numbers as OpenMetrics text",
        discussion: [
            "Jobs by status, exports, seconds and bytes by preset and way, failures by code, crashes, the queue's age.",
            "For root, the user that trimd runs as, and the group that metricsGroup names in trimd.json.",
        ],
        positionals: [], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl metrics", "for a textfile collector")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    static let nodes = CommandEntry(
        verb: .nodes, synopsis: ["[--json]"],
        abstract: "List the daemons that share the queue",
        discussion: [
            "Each with its state, its version, the processors that its exports use, what runs there, and when it was last heard.",
            "A node is gone that has ended, or has not reached the queue for a minute; another takes over what it had begun. "
                + "Where the queue is not shared, the list has the one daemon that is asked. See trimd-fleet(7).",
        ],
        positionals: [], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl nodes", "a line for each")],
        exitCodes: codes(0, 1, 2, 5))

    static let drain = CommandEntry(
        verb: .drain,
        synopsis: ["[--off | [--exit] [--refuse]] [--json]", "--node NODE [--off | --refuse] [--json]"],
        abstract: "Start no more jobs, and wait until none is running",
        discussion: [
            "Jobs are still accepted, and wait; with --refuse they are refused (5). It holds over restarts of the daemon, until --off.",
            "A paused job is not waited for. Clients that wait for a job are notified. Ctrl-C stops waiting; the daemon goes on draining.",
            "With --exit the daemon ends then; the next one drains too, until --off.",
            "Where several share a queue, each drains by itself, and --node is for another than the one that is asked. Jobs that a "
                + "draining node has begun in chunks go on elsewhere, and so do those that wait.",
            "Root and the user that trimd runs as may drain, and nobody else.",
        ],
        positionals: [], options: [.off, .exit, .refuse, .node, .json, .socket],
        exclusive: [[.off, .exit], [.off, .refuse], [.node, .exit]],
        examples: [
            Example("trimctl drain", "before the machine is ended"),
            Example("trimctl drain --exit", "before an upgrade"),
            Example("trimctl drain --refuse", "before the machine is given up"),
            Example("trimctl drain --off", "jobs are started again"),
            Example("trimctl drain --node ada", "before the machine of node ada is ended, from any node"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 7))
}

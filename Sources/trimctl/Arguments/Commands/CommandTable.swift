// The table of all commands, options and exit codes of trimctl. Parsing, --help, manual pages and completions are generated
// from it; nothing else lists them.
internal import Media

/// The table.
enum CommandTable {
    /// A one-line description of the program.
    static let abstract = "export parts of video and audio files, exactly: the client of trimd"

    /// The forms of a time.
    static let times = """
        A time T is 10, 10.5, 10,5, .5, 10s, 500ms, 1m10s, 1:10, 00:01:10.250, 00:01:10,250, 441000/44100 \
        (value/timescale), 250f (a frame), 01:00:10:12 or 01:00:10;12 (a timecode), -30 or end-30 (from the end), -1f (the \
        last frame), 50% (of the duration), +10 (behind the start, for an end), or end. A \
        time in at most six decimals that is within a microsecond of a frame means that frame.
        """

    /// The exit codes.
    static let exitCodes = [
        ExitCode(0, "completed"),
        ExitCode(1, "failed"),
        ExitCode(2, "wrong usage, or an invalid time"),
        ExitCode(3, "the preset is not valid for the file"),
        ExitCode(4, "cancelled"),
        ExitCode(5, "no daemon"),
        ExitCode(6, "the output exists"),
        ExitCode(7, "refused: rights, roots, protected media, playlists"),
    ]

    /// The commands, in the order of help.
    static let entries = Verb.allCases.map(entry)

    /// The commands shown to people.
    static let shown = entries.filter { !$0.isHidden }

    /// The options before a command.
    static let globalOptions: [Option] = [.help, .version]

    /// The entry of a command.
    static func entry(_ verb: Verb) -> CommandEntry {
        switch verb {
        case .export: export
        case .batch: batch
        case .probe: probe
        case .check: check
        case .presets: presets
        case .frame: frame
        case .sheet: sheet
        case .verify: verify
        case .convert: convert
        case .page: page
        case .list: list
        case .show: show
        case .watch: watch
        case .wait: wait
        case .cancel: cancel
        case .log: log
        case .status: status
        case .doctor: doctor
        case .retry: retry
        case .hold: hold
        case .release: release
        case .modify: modify
        case .remove: remove
        case .events: events
        case .metrics: metrics
        case .nodes: nodes
        case .drain: drain
        case .completions: completions
        case .manual: manual
        case .complete: complete
        }
    }

    static func codes(_ codes: Int32...) -> [ExitCode] {
        exitCodes.filter { codes.contains($0.code) }
    }

    static let input = Positional("INPUT", .inputFile, "The video or audio file")
    private static let inputs = Positional(
        "INPUT", .inputFile, "The video or audio file, or several; - is standard input", isRepeatable: true)
    private static let job = Positional("ID", .job, "The job's number")
    static let jobs = Positional("ID", .job, "The jobs' numbers", isRepeatable: true)

    static let export = CommandEntry(
        verb: .export,
        synopsis: [
            "INPUT [-o OUTPUT] [--start T] [--end T | --duration T] [--preset ID] [options]",
            "INPUT --keep A..B [--keep C..D] [options]",
            "INPUT --remove A..B [options]",
            "PLAYLIST --keep-only program [options]",
            "INPUT… [-o FOLDER/] [options]",
        ],
        abstract: "Export the part [start, end) of a file",
        discussion: [
            "The output shows at time t exactly what INPUT shows at start + t, and holds nothing else.",
            times,
            "Several files are a job each, with the same options; the exit code is the worst of theirs.",
            """
            -o - writes to standard output once the export is verified (a movie with its index first, for readers that \
            cannot seek), and the result to stderr, under --json too. - as \
            INPUT reads standard input to its end first. trimd keeps both in its state folder, within its limits, until \
            this command ends.
            """,
            "Ctrl-C cancels the export and waits for that; a second one stops waiting.",
        ],
        positionals: [inputs],
        options: [
            .output, .outputType, .start, .end, .duration, .keep, .remove, .keepOnly, .preset, .presetFile,
            .render,
            .snap, .round,
            .toleranceBefore, .toleranceAfter, .noHidden, .strict, .overwrite,
        ] + Option.export + [
            .dryRun, .detach, .key, .priority, .afterJob, .notBefore, .needs,
            .chapter, .chapterRange, .metadata, .artwork, .forSharing, .keepDates, .stripMetadata,
            .advanceDate,
            .quiet, .verbose, .json, .progress, .standalone, .sandbox, .socket,
        ],
        exclusive: [
            [.quiet, .json], [.quiet, .verbose], [.verbose, .detach],
            [.end, .duration], [.keep, .start], [.keep, .end], [.keep, .duration], [.keep, .remove],
            [.keep, .keepOnly],
            [.chapterRange, .start], [.chapterRange, .end], [.chapterRange, .duration],
            [.chapterRange, .keep],
            [.preset, .presetFile], [.standalone, .socket], [.standalone, .detach],
            [.standalone, .afterJob], [.dryRun, .detach],
            [.forSharing, .stripMetadata], [.keepDates, .stripMetadata],
        ] + Option.contradictions,
        examples: [
            Example(
                "trimctl export in.mov --start 10 --end 70 --preset m4v720",
                "one minute from second 10 on, as 720p M4V, to in-trim.m4v"),
            Example("trimctl export in.mov -o tail.m4v --start -30", "the last 30 seconds"),
            Example(
                "trimctl export talk.mkv --start 1:10 --duration 250f --json",
                "250 frames; the result as JSON"),
            Example(
                "trimctl export in.mp4 --render smart --keep 0..1:30 --keep 5:00..end",
                "two parts joined, encoded again only at the cuts"),
            Example(
                "trimctl export film.m3u8 --keep-only program -o film.mp4",
                "a playlist without its advertisements"),
            Example("trimctl export a.mp4 b.mp4 --start 10 -o cut/", "each without its first ten seconds"),
            Example(
                "trimctl export - -o - --end 10 --type ts",
                "from one pipe into another, as a transport stream"),
        ],
        exitCodes: exitCodes, hasHeadings: true)

    private static let probe = CommandEntry(
        verb: .probe, synopsis: ["INPUT [--keyframes] [--property NAME]… [--variant WHICH] [--json]"],
        abstract: "Show tracks, times, metadata, chapters and faults of a file",
        discussion: [
            "Time 0 is the earliest presentation time of the file's tracks.",
            "Of an HLS playlist it also shows the interstitials that are marked in it, the qualities and the alternative tracks.",
        ],
        positionals: [input],
        options: [.keyframes, .property, .variant, .json, .standalone, .sandbox, .socket],
        exclusive: [[.standalone, .socket]],
        examples: [Example("trimctl probe in.mov", "what is in it, for people")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    private static let check = CommandEntry(
        verb: .check,
        synopsis: ["INPUT [--preset ID] [--type EXT] [--start T] [--end T | --duration T] [--json]"],
        abstract: "Show which presets are valid for a file, and why the others are not",
        discussion: [
            "With the times and the other options of an export, that export is checked.",
            times,
        ],
        positionals: [input],
        options: [
            .checkPreset, .presetFile, .type, .start, .end, .duration, .keep, .remove, .keepOnly, .snap,
            .round,
        ] + Option.export(for: .checks) + [.json, .standalone, .sandbox, .socket],
        exclusive: [
            [.end, .duration], [.keep, .start], [.keep, .end], [.keep, .duration], [.keep, .remove],
            [.keep, .keepOnly],
            [.checkPreset, .presetFile], [.standalone, .socket],
        ] + Option.contradictions,
        examples: [
            Example("trimctl check in.mov", "all presets"),
            Example("trimctl check in.mov --preset m4v720 --type m4v", "one preset; exit code 0 or 3"),
        ],
        exitCodes: codes(0, 1, 2, 3, 4, 5, 7))

    private static let list = CommandEntry(
        verb: .list,
        synopsis: ["[--status STATUS]… [--user USER] [--since T] [--limit N] [--after ID] [--json]"],
        abstract: "List your jobs, the newest first",
        discussion: [
            "Root and the user that trimd runs as see the jobs of all users, everybody else their own."
        ],
        positionals: [], options: [.status, .user, .since, .limit, .after, .json, .socket], exclusive: [],
        examples: [
            Example("trimctl list --status failed --since 1d", "those of the last day that failed"),
            Example("trimctl list --limit 10", "the last ten"),
            Example("trimctl list --limit 10 --after 42", "the ten before job 42"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5))

    private static let show = CommandEntry(
        verb: .show, synopsis: ["ID [--json]"],
        abstract: "Show all about one job",
        discussion: [], positionals: [job], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl show 5", "its range, tracks, warnings or error")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    private static let watch = CommandEntry(
        verb: .watch, synopsis: ["[ID…] [--plain] [--json]"],
        abstract: "Show changes and progress of jobs as they happen",
        discussion: [
            "Ends when all jobs that were named have ended; without any, it goes on until Ctrl-C.",
            "On a terminal it is a live view of all jobs. Keys: up, down, j and k choose a job; Enter shows its details and its "
                + "log; c cancels it, after a question, h holds it, l or r releases it, R retries it; ? shows all keys; q ends "
                + "the view. Elsewhere it is a line for each change.",
        ],
        positionals: [Positional("ID", .job, "The jobs to watch", minimum: 0, isRepeatable: true)],
        options: [.plain, .json, .socket], exclusive: [[.plain, .json]],
        examples: [
            Example("trimctl watch", "all jobs, those submitted later too"),
            Example("trimctl watch 5 6 --json", "two jobs, as JSON lines"),
        ],
        exitCodes: codes(0, 1, 2, 5, 7))

    private static let wait = CommandEntry(
        verb: .wait, synopsis: ["ID… [--progress HOW] [--quiet] [--json]"],
        abstract: "Wait until jobs have ended, and say how",
        discussion: [
            "Ends with the exit code that an export of the job would have; of several jobs, with the highest.",
            "Ctrl-C stops waiting (exit code 4); the jobs go on.",
        ],
        positionals: [jobs], options: [.progress, .quiet, .json, .socket], exclusive: [[.quiet, .json]],
        examples: [Example("trimctl wait 5 6", "the results of both")],
        exitCodes: exitCodes)

    private static let cancel = CommandEntry(
        verb: .cancel, synopsis: ["ID… [--json]", "--all [--json]"],
        abstract: "Cancel jobs, and wait until they are",
        discussion: [
            "A job that has ended already stays what it is.",
            selection("those that wait, are held or are exporting"),
        ],
        positionals: [ordered(.all)], options: [.all, .json, .socket], exclusive: [],
        examples: [
            Example("trimctl cancel 5", "nothing of its output stays behind"),
            Example("trimctl cancel 3-7 9", "those of jobs 3 to 7 that have not ended, and job 9"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    private static let log = CommandEntry(
        verb: .log, synopsis: ["ID [-f] [--json]"],
        abstract: "Print a job's log",
        discussion: ["With -f it goes on with what is added, until the job has ended, or until Ctrl-C."],
        positionals: [job], options: [.follow, .json, .socket], exclusive: [],
        examples: [
            Example("trimctl log 5", "what the worker said"),
            Example("trimctl log -f 5", "what it says, until the job has ended"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 7))

    private static let status = CommandEntry(
        verb: .status, synopsis: ["[--json]"],
        abstract: "Show the daemon's version, queue and disk",
        discussion: [], positionals: [], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl status", "whether a daemon is there, and what it does")],
        exitCodes: codes(0, 1, 2, 4, 5))

    private static let doctor = CommandEntry(
        verb: .doctor, synopsis: ["[--json]"],
        abstract: "Check the installation: daemon, sandbox, state, presets, database",
        discussion: [
            "The daemon starts a sealed process that tries what a worker must not be able to do.",
            "Root and the user that trimd runs as also see the database, the paths that trimd may write, and all users' jobs.",
            "With --standalone a private trimd is checked, as `trimctl export --standalone` would start it.",
        ],
        positionals: [], options: [.json, .standalone, .sandbox, .socket],
        exclusive: [[.standalone, .socket]],
        examples: [
            Example("trimctl doctor", "whether all is well: exit code 0 or 1, and 5 without a daemon")
        ],
        exitCodes: codes(0, 1, 2, 4, 5))
}

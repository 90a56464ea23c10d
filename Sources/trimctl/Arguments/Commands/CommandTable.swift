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
    static let entries = [
        export, join, batch, probe, check, presets, frame, sheet, verify, convert,
        page, list, show, watch, wait, cancel, retry, hold, release,
        modify, remove, log, events, status, metrics, nodes, drain, doctor,
        completions, manual, complete,
    ]

    /// The entry of a name; nil: there is none.
    static func entry(_ name: String) -> CommandEntry? { entries.first { $0.name == name } }

    /// The commands shown to people.
    static let shown = entries.filter { !$0.isHidden }

    /// The options before a command.
    static let globalOptions: [Option] = [.help, .version]

    static func codes(_ codes: Int32...) -> [ExitCode] {
        exitCodes.filter { codes.contains($0.code) }
    }

    static let input = Positional("INPUT", .inputFile, "The video or audio file")
    static let inputs = Positional(
        "INPUT", .inputFile, "The video or audio file, or several; - is standard input", isRepeatable: true)
    static let job = Positional("ID", .job, "The job's number")
    static let jobs = Positional("ID", .job, "The jobs' numbers", isRepeatable: true)

    /// What `--show` does, for the discussions of commands that draw.
    static let showing =
        "--show draws the picture in the terminal, besides the file: by the kitty graphics protocol, by that of iTerm2, or as "
        + "Sixel, whichever the terminal says it has. Where it has none, a line on stderr says why."
}

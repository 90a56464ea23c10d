// The entries for the shell: completions and manual pages, which are generated from this table.
internal import Media
internal import TrimClient

extension CommandTable {
    static let completions = CommandEntry(
        verb: .completions, synopsis: ["SHELL"],
        abstract: "Print completions for a shell",
        discussion: [
            "Commands and options are those of this trimctl; presets and jobs are asked of the daemon while you type.",
            "`make install` and the package put them where each shell looks for them.",
        ],
        positionals: [Positional("SHELL", .choice(CompletionScript.shells), "The shell")],
        options: [], exclusive: [],
        examples: [
            Example("trimctl completions bash", "for eval, or for a file in bash-completion/completions"),
            Example("trimctl completions zsh", "for a file _trimctl in a folder of $fpath"),
            Example("trimctl completions fish", "for ~/.config/fish/completions/trimctl.fish"),
        ],
        exitCodes: codes(0, 1, 2))

    static let manual = CommandEntry(
        verb: .manual, synopsis: ["FOLDER [NAME.SECTION=FILE…]"],
        abstract: "Write the manual pages into a folder",
        discussion: [
            "One page for trimctl and one for each command, from the same table as --help.",
            "With NAME.SECTION=FILE also a page of that name, made from a document in Markdown.",
        ],
        positionals: [
            Positional("FOLDER", .outputFile, "Where to write, in folders man1, man5 and so on"),
            Positional(
                "NAME.SECTION=FILE", .text, "A document, and its page", minimum: 0, isRepeatable: true),
        ],
        options: [], exclusive: [],
        examples: [Example("trimctl manual man", "trimctl.1 and its like in man/man1")],
        exitCodes: codes(0, 1, 2), isHidden: true)

    static let complete = CommandEntry(
        verb: .complete, synopsis: ["WHAT [COMMAND] [--socket PATH]"],
        abstract: "Print what a shell may complete with, a line each: the word, a tab, what it is",
        discussion: [
            "It never says that something went wrong: then it prints less, or nothing, within a fifth of a second."
        ],
        positionals: [
            Positional("WHAT", .choice(["presets", "jobs"]), "The kind of words"),
            Positional("COMMAND", .text, "Only jobs that this command can do something about", minimum: 0),
        ],
        options: [.socket], exclusive: [],
        examples: [Example("trimctl complete jobs cancel", "the jobs that have not ended")],
        exitCodes: codes(0, 2), isHidden: true)
}

/// A variable or a file, with its purpose.
struct Named: Hashable, Sendable {
    /// Its name.
    let name: String
    /// Its purpose.
    let meaning: String

    /// Creates an entry.
    init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }
}

extension CommandTable {
    /// An introduction for new users.
    static let introduction = [
        "trimctl asks trimd to export the part of a video or audio file between two points: the output shows at time "
            + "t exactly what the source shows at start + t, and holds nothing else. trimd keeps a queue of such jobs on disk; "
            + "each job is done by a process of its own, which can open no file and reach no network.",
        "`trimctl export INPUT --start T --end T` is the command to begin with: it waits, shows progress, and prints the "
            + "path of the output, which is beside INPUT unless `-o` says otherwise. Nothing is ever overwritten unasked. "
            + "The format of an output (H.264 of 720 lines, ProRes, audio alone, samples as stored) is a preset: `trimctl presets` "
            + "lists them, and `trimctl check INPUT` says which of them suit a file.",
        "Where no trimd runs, in a container or a CI job, `--standalone` starts a private one for the one command. "
            + "`trimctl doctor` says whether all is well, and what to do where it is not.",
        "With `--json` a command prints JSON, one object a line, for scripts; the last line is the result or the error. "
            + "Errors go to the standard error, and say what to do.",
    ]

    /// The environment variables.
    static let environment = [
        Named("TRIMD_SOCKET", "The daemon's socket, where --socket does not name it"),
        Named(
            "XDG_RUNTIME_DIR", "Where the socket of a user's own daemon is: trimd/trimd.sock in this folder"
        ),
        Named(
            "XDG_CONFIG_HOME",
            "Where the user's presets are: trimd/presets in this folder, otherwise in ~/.config"),
        Named("TMPDIR", "Where --standalone keeps the state of its daemon; otherwise /tmp"),
        Named("NO_COLOR", "Not empty: no colours"),
        Named("TERM", "dumb: no bars, no colours, plain lines"),
        Named(
            "LC_ALL, LC_CTYPE, LANG", "Whether characters beyond ASCII may be used: only where UTF-8 is named"
        ),
    ]

    /// The files.
    static let files = [
        Named(SocketPath.system, "The socket of the machine's trimd"),
        Named(
            "/etc/trimd/presets, ~/.config/trimd/presets", "Presets of the machine's and of the user's own"),
        Named("/etc/trimd/trimd.json", "The settings of the machine's trimd: see trimd.json(5)"),
    ]
}

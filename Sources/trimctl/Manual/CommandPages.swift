// The manual pages of trimctl: one for the program, one per command, generated from the table. Text only.
internal import Media
internal import TrimClient

/// The manual pages of trimctl.
struct CommandPages {
    /// The version in the page footers.
    let version: String

    /// Every page by its name.
    var all: [(name: String, text: String)] {
        [("trimctl", overview())] + CommandTable.shown.map { (Self.name($0), page($0)) }
    }

    /// Page names follow Git's.
    static func name(_ entry: CommandEntry) -> String { "trimctl-\(entry.name)" }

    /// `trimctl(1)`.
    func overview() -> String {
        var page = Roff("trimctl", section: "1", version: version)
        page.name("trimctl", CommandTable.abstract)
        page.heading("Synopsis")
        page.form("trimctl", "COMMAND [arguments] [options]")
        page.heading("Description")
        for paragraph in CommandTable.introduction { page.paragraph(paragraph) }
        page.heading("Commands")
        for entry in CommandTable.shown {
            page.term("`\(entry.title)`", "\(entry.abstract): see `\(Self.name(entry))`(1)")
        }
        page.heading("Options")
        for option in CommandTable.globalOptions { page.term(Self.signature(option), option.help) }
        page.heading("Times")
        page.paragraph(CommandTable.times)
        if let first = CommandTable.shown.first { examples(first.examples, in: &page) }
        codes(CommandTable.exitCodes, in: &page)
        page.heading("Environment")
        for item in CommandTable.environment { page.term("`\(item.name)`", item.meaning) }
        page.heading("Files")
        for item in CommandTable.files { page.term("`\(item.name)`", item.meaning) }
        seeAlso(Self.others, in: &page)
        return page.text
    }

    /// The page of a command.
    func page(_ entry: CommandEntry) -> String {
        let name = Self.name(entry)
        var page = Roff(name, section: "1", version: version)
        page.name(name, entry.abstract.prefix(1).lowercased() + entry.abstract.dropFirst())
        page.heading("Synopsis")
        for form in entry.synopsis { page.form(entry.title, form) }
        page.heading("Description")
        page.paragraph("\(entry.abstract).")
        for paragraph in entry.discussion { page.paragraph(paragraph) }
        if !entry.positionals.isEmpty {
            page.heading("Arguments")
            for positional in entry.positionals {
                page.term("`\(positional.name)`", Self.explanation(positional))
            }
        }
        page.heading("Options")
        for (title, options) in entry.titledOptions {
            if entry.hasHeadings { page.subheading(title) }
            for option in options { page.term(Self.signature(option), option.explanation) }
        }
        examples(entry.examples, in: &page)
        codes(entry.exitCodes, in: &page)
        let uses = CommandTable.shown.filter { $0 != entry && entry.mentions($0) }.map {
            (Self.name($0), "1")
        }
        let presets = entry.mentionsPresets ? [("trimd-preset", "5")] : []
        seeAlso([("trimctl", "1")] + uses + presets, in: &page)
        return page.text
    }

    private static let others = [
        ("trimd", "8"), ("trimd.json", "5"), ("trimd-preset", "5"), ("trimd-fleet", "7"),
        ("trimd-protocol", "7"),
    ]

    private static func signature(_ option: Option) -> String {
        option.spellings.map { "`\($0)`" }.joined(separator: ", ") + (option.valueName.map { " \($0)" } ?? "")
    }

    private static func explanation(_ positional: Positional) -> String {
        guard case .choice(let words) = positional.kind else { return positional.help }
        return "\(positional.help): \(words.spoken)"
    }

    private func examples(_ examples: [Example], in page: inout Roff) {
        guard !examples.isEmpty else { return }
        page.heading("Examples")
        for example in examples {
            page.paragraph("\(example.effect.prefix(1).uppercased())\(example.effect.dropFirst()):")
            page.example([example.command])
        }
    }

    private func codes(_ codes: [ExitCode], in page: inout Roff) {
        page.heading("Exit status")
        for code in codes { page.term("`\(code.code)`", code.meaning) }
    }

    private func seeAlso(_ pages: [(String, String)], in page: inout Roff) {
        page.heading("See also")
        page.paragraph(pages.map { "`\($0.0)`(\($0.1))" }.joined(separator: ", "))
    }
}

extension CommandEntry {
    /// Whether its text refers to another command.
    fileprivate func mentions(_ other: CommandEntry) -> Bool {
        (discussion + allOptions.map(\.help) + examples.map(\.effect)).contains { $0.contains(other.title) }
    }

    fileprivate var mentionsPresets: Bool {
        allOptions.contains { $0.kind == .preset } || positionals.contains { $0.kind == .preset }
    }
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

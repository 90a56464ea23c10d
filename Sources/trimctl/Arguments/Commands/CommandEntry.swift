// The words in which the command table is written: commands, their arguments, options, examples and exit codes.
// Values only. The table itself is CommandTable; parsing is Arguments, help is Help; neither knows a command by name.
internal import Media

/// What a value is: how it is checked, and what a shell would complete it with.
enum ValueKind: Hashable, Sendable {
    /// Any text.
    case text
    /// A time in any spelling.
    case time
    /// A range of times, `A..B`.
    case range
    /// A length of time, or `inf`.
    case tolerance
    /// A file that is read.
    case inputFile
    /// A file that is written.
    case outputFile
    /// A file name's extension.
    case fileType
    /// A preset's id.
    case preset
    /// A job's number.
    case job
    /// A moment of the calendar, or how long ago.
    case moment
    /// A whole number in a range.
    case count(ClosedRange<Int64>)
    /// One of a few words.
    case choice([String])
    /// A chapter: its time and name.
    case chapter
    /// Numbers of chapters.
    case chapterRange
}

/// An option of a command; without a value it is a flag.
struct Option: Hashable, Sendable {
    /// The long name, without its dashes.
    let name: String
    /// The short name, without its dash.
    let short: Character?
    /// How help names the value; nil: a flag.
    let valueName: String?
    /// What the value is.
    let kind: ValueKind
    /// What it does, in one sentence without a full stop.
    let help: String
    /// What is taken where it is not given.
    let standard: String?
    /// It may be given more than once.
    let isRepeatable: Bool
    /// What the value `help` says more on.
    let topic: HelpTopic?

    /// A flag.
    init(_ name: String, short: Character? = nil, _ help: String) {
        self.init(name, short: short, value: nil, .text, help)
    }

    /// An option with a value.
    init(
        _ name: String, short: Character? = nil, value: String?, _ kind: ValueKind, _ help: String,
        standard: String? = nil, isRepeatable: Bool = false, topic: HelpTopic? = nil
    ) {
        self.name = name
        self.topic = topic
        self.short = short
        valueName = value
        self.kind = kind
        self.help = help
        self.standard = standard
        self.isRepeatable = isRepeatable
    }

    /// It takes a value.
    var takesValue: Bool { valueName != nil }

    /// Every way to write it, with dashes.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// What it does, with its choices and what is taken where it is not given.
    var explanation: String {
        var text = help
        if let choices { text += ": \(choices.joined(separator: ", "))" }
        if isRepeatable { text += "; may be given more than once" }
        if let standard { text += " (default: \(standard))" }
        return text
    }

    /// The allowed words, where only a few are.
    var choices: [String]? {
        guard case .choice(let words) = kind else { return nil }
        return words
    }
}

/// An argument that is known by its place.
struct Positional: Hashable, Sendable {
    /// How help names it, in capitals.
    let name: String
    /// What it is.
    let kind: ValueKind
    /// What it is for.
    let help: String
    /// So many at least: 0 or 1.
    let minimum: Int
    /// Any number of them may follow.
    let isRepeatable: Bool

    /// An argument that must be there, unless `minimum` is 0.
    init(_ name: String, _ kind: ValueKind, _ help: String, minimum: Int = 1, isRepeatable: Bool = false) {
        self.name = name
        self.kind = kind
        self.help = help
        self.minimum = minimum
        self.isRepeatable = isRepeatable
    }
}

/// A command line that works, and what it does.
struct Example: Hashable, Sendable {
    /// The whole command line.
    let command: String
    /// What it does.
    let effect: String

    /// An example.
    init(_ command: String, _ effect: String) {
        self.command = command
        self.effect = effect
    }
}

/// What a number that trimctl ends with means.
struct ExitCode: Hashable, Sendable {
    /// The number.
    let code: Int32
    /// What it means.
    let meaning: String

    /// An exit code.
    init(_ code: Int32, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}

/// One command of the table: everything that parsing, help, manual pages and completions need.
struct CommandEntry: Hashable, Sendable {
    /// The word after `trimctl`.
    let verb: Verb
    /// The forms of the command line, after `trimctl VERB`.
    let synopsis: [String]
    /// What it does, in one line.
    let abstract: String
    /// What else a user should know, in paragraphs.
    let discussion: [String]
    /// Arguments known by their place.
    let positionals: [Positional]
    /// Options, in the order of help; `--help` is there besides.
    let options: [Option]
    /// Options of which at most one may be given.
    let exclusive: [[Option]]
    /// Command lines that work; the first is shown where an argument is missing.
    let examples: [Example]
    /// What it can end with.
    let exitCodes: [ExitCode]
    /// It is for programs, not for people: the list of commands, manual pages and completions leave it out.
    var isHidden = false

    /// The options and `--help`.
    var allOptions: [Option] { options + [.help] }

    /// The command as it is typed.
    var title: String { "trimctl \(verb.rawValue)" }
}

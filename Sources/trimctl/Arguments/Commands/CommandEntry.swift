// The types of the command table: commands, arguments, options, examples and exit codes. Values only. CommandTable is the
// table, Arguments parses, Help prints help; neither knows a command by name.
internal import Media

/// The kind of a value: determines its check and its shell completion.
enum ValueKind: Hashable, Sendable {
    /// Any text.
    case text
    /// A time in any form.
    case time
    /// A range of times, `A..B`.
    case range
    /// A duration, or `inf`.
    case tolerance
    /// An input file.
    case inputFile
    /// An output file.
    case outputFile
    /// A file name's extension.
    case fileType
    /// A preset's ID.
    case preset
    /// A job ID.
    case job
    /// A job ID, or a range of them.
    case jobs
    /// A date and time, or an age.
    case moment
    /// A moment to come: a date, a time of day, or a delay.
    case future
    /// An integer in a range.
    case count(ClosedRange<Int64>)
    /// One of a set of values.
    case choice([String])
    /// Tags of nodes, with commas between them.
    case tags
    /// A shard: its number and that of all, or `auto`.
    case shard
    /// A chapter: its time and name.
    case chapter
    /// A chapter number or range.
    case chapterRange
}

/// An option of a command; a flag if it has no value.
struct Option: Hashable, Sendable {
    /// The long name, without its dashes.
    let name: String
    /// The short name, without its dash.
    let short: Character?
    /// The name of the value in help; nil: a flag.
    let valueName: String?
    /// The kind of the value.
    let kind: ValueKind
    /// Its description, one sentence without a full stop.
    let help: String
    /// The default value.
    let standard: String?
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// Whether it belongs to the INPUT before it, so that each may have its own.
    private(set) var isForEachInput = false
    /// The topic printed for the value `help`.
    let topic: HelpTopic?
    /// The heading above it where its command has headings.
    let heading: OptionHeading?

    /// Creates a flag.
    init(_ name: String, short: Character? = nil, _ help: String, heading: OptionHeading? = nil) {
        self.init(name, short: short, value: nil, .text, help, heading: heading)
    }

    /// Creates an option with a value.
    init(
        _ name: String, short: Character? = nil, value: String?, _ kind: ValueKind, _ help: String,
        standard: String? = nil, isRepeatable: Bool = false, topic: HelpTopic? = nil,
        heading: OptionHeading? = nil
    ) {
        self.name = name
        self.topic = topic
        self.heading = heading
        self.short = short
        valueName = value
        self.kind = kind
        self.help = help
        self.standard = standard
        self.isRepeatable = isRepeatable
    }

    /// The same option where it belongs to the INPUT before it.
    var forEachInput: Option {
        var own = self
        own.isForEachInput = true
        return own
    }

    /// Whether it may stand on a command line more than once.
    var mayRecur: Bool { isRepeatable || isForEachInput }

    /// Whether it takes a value.
    var takesValue: Bool { valueName != nil }

    /// All spellings, with dashes.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// The description, with choices and default.
    var explanation: String {
        var text = help
        if let choices { text += ": \(choices.joined(separator: ", "))" }
        if isForEachInput {
            text += "; of the INPUT before it"
        } else if isRepeatable {
            text += "; may be given more than once"
        }
        if let standard { text += " (default: \(standard))" }
        return text
    }

    /// The allowed values, if it is a choice.
    var choices: [String]? {
        guard case .choice(let words) = kind else { return nil }
        return words
    }
}

/// A positional argument.
struct Positional: Hashable, Sendable {
    /// Its name in help, in capitals.
    let name: String
    /// The kind of the value.
    let kind: ValueKind
    /// Its description.
    let help: String
    /// Minimum number: 0 or 1.
    let minimum: Int
    /// Whether it may be repeated.
    let isRepeatable: Bool
    /// Options that stand for it, so that it must not be given with them.
    let instead: [Option]

    /// Creates a required argument, or an optional one if `minimum` is 0.
    init(
        _ name: String, _ kind: ValueKind, _ help: String, minimum: Int = 1, isRepeatable: Bool = false,
        instead: [Option] = []
    ) {
        self.instead = instead
        self.name = name
        self.kind = kind
        self.help = help
        self.minimum = minimum
        self.isRepeatable = isRepeatable
    }
}

/// A working command line, with its effect.
struct Example: Hashable, Sendable {
    /// The whole command line.
    let command: String
    /// Its effect.
    let effect: String

    /// Creates an example.
    init(_ command: String, _ effect: String) {
        self.command = command
        self.effect = effect
    }
}

/// An exit code of trimctl, with its meaning.
struct ExitCode: Hashable, Sendable {
    /// The exit code.
    let code: Int32
    /// Its meaning.
    let meaning: String

    /// Creates an exit code.
    init(_ code: Int32, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}

/// One command of the table: the data for parsing, help, manual pages and completions, and what runs it.
struct CommandEntry: Sendable {
    /// The name after `trimctl`.
    let name: String
    /// Makes the command of its arguments.
    let command: @Sendable (Arguments, Surroundings) -> any Command
    /// The forms of the command line, after `trimctl NAME`.
    let synopsis: [String]
    /// A one-line description.
    let abstract: String
    /// Further description, in paragraphs.
    let discussion: [String]
    /// The positional arguments.
    let positionals: [Positional]
    /// The options, in the order of help, without `--help`.
    let options: [Option]
    /// Groups of mutually exclusive options.
    let exclusive: [[Option]]
    /// Working command lines; the first is shown if an argument is missing.
    let examples: [Example]
    /// Its exit codes.
    let exitCodes: [ExitCode]
    /// Whether it is for programs only: the command list, manual pages and completions omit it.
    let isHidden: Bool
    /// Whether help lists its options under their headings.
    let hasHeadings: Bool
    /// Whether it can do something about a job, for completions.
    let concerns: @Sendable (JobReport) -> Bool

    /// Declares a command.
    init<Own: Command>(
        _ name: String, _ command: Own.Type, synopsis: [String], abstract: String, discussion: [String],
        positionals: [Positional], options: [Option], exclusive: [[Option]], examples: [Example],
        exitCodes: [ExitCode], isHidden: Bool = false, hasHeadings: Bool = false,
        concerns: @escaping @Sendable (JobReport) -> Bool = { _ in true }
    ) {
        self.name = name
        self.command = { Own($0, $1) }
        self.synopsis = synopsis
        self.abstract = abstract
        self.discussion = discussion
        self.positionals = positionals
        self.options = options
        self.exclusive = exclusive
        self.examples = examples
        self.exitCodes = exitCodes
        self.isHidden = isHidden
        self.hasHeadings = hasHeadings
        self.concerns = concerns
    }

    /// The options, with `--help`.
    var allOptions: [Option] { options + [.help] }

    /// The command as it is typed.
    var title: String { "trimctl \(name)" }
}

extension CommandEntry: Hashable, CustomStringConvertible {
    /// Whether they are the same command.
    static func == (left: CommandEntry, right: CommandEntry) -> Bool { left.name == right.name }

    /// Hashes the name.
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The command as it is typed.
    var description: String { title }
}

// The protocol of all commands: arguments, surroundings, and common queries of both.
internal import Media

/// A command that can run.
protocol Command: SendableMetatype {
    /// The parsed arguments.
    var arguments: Arguments { get }
    /// The environment it runs in.
    var surroundings: Surroundings { get }

    /// Creates a command from its arguments.
    init(_ arguments: Arguments, _ surroundings: Surroundings)

    /// Runs the command; returns the exit code.
    func run() throws(MediaError) -> Int32
}

extension Command {
    /// The console for output.
    var console: Console { surroundings.console }

    /// Whether results are JSON. JSON lines of progress before a text would make stdout unparsable.
    var asJSON: Bool { arguments.has(.json) || arguments.given(.progress) == ProgressStyle.json.rawValue }

    /// The progress style.
    var progressStyle: ProgressStyle {
        if arguments.has(.quiet), !arguments.has(.progress) { return .none }
        return arguments.text(.progress).flatMap(ProgressStyle.init(rawValue:)) ?? .auto
    }

    /// The first file argument.
    var input: String { surroundings.absolute(arguments.texts.first ?? "") }
}

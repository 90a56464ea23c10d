// What all commands have: their arguments, their surroundings, and a few small questions to both.
internal import Media

/// A command that can be run.
protocol Command {
    /// What was asked for.
    var arguments: Arguments { get }
    /// Where it runs.
    var surroundings: Surroundings { get }

    /// A command from its arguments.
    init(_ arguments: Arguments, _ surroundings: Surroundings)

    /// Runs; the answer is the exit code.
    func run() throws(MediaError) -> Int32
}

extension Command {
    /// Where words go.
    var console: Console { surroundings.console }

    /// Results are JSON. JSON lines of progress before a text would leave stdout unreadable.
    var asJSON: Bool { arguments.has(.json) || arguments.given(.progress) == ProgressStyle.json.rawValue }

    /// How progress is to be shown.
    var progressStyle: ProgressStyle {
        arguments.text(.progress).flatMap(ProgressStyle.init(rawValue:)) ?? .auto
    }

    /// The first argument that is a file.
    var input: String { surroundings.absolute(arguments.texts.first ?? "") }
}

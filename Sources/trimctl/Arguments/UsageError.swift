// The errors of a wrong command line, as the one error type there is. They say what is wrong and what to write instead.
internal import Media

/// Makes the errors of a wrong command line: their exit code is 2.
enum UsageError {
    /// An error with its remedy.
    static func of(_ message: String, remedy: String? = nil) -> MediaError {
        MediaError(.invalidRequest, message, remedy: remedy)
    }

    /// An error of a command, whose help is the remedy.
    static func of(_ message: String, in entry: CommandEntry) -> MediaError {
        of(message, remedy: "see `\(entry.title) --help`")
    }

    /// A command that is none, with the nearest one.
    static func unknownVerb(_ word: String) -> MediaError {
        let near = nearestNames(to: word, in: CommandTable.shown.map(\.verb.rawValue)).first
        return of(
            "unknown command '\(word)'",
            remedy: near.map { "did you mean `trimctl \($0)`?" } ?? "`trimctl --help` lists the commands")
    }

    /// An option that is none, with the nearest one.
    static func unknownOption(_ word: String, among options: [Option], of title: String) -> MediaError {
        let name = word.prefix { $0 != "=" }.drop { $0 == "-" }
        if !word.hasPrefix("--"), name.count > 1,
            let short = options.first(where: { $0.short == name.first && $0.takesValue }),
            nearestNames(to: String(name), in: options.map(\.name)).isEmpty
        {
            return of(
                "unknown option \(word)",
                remedy:
                    "did you mean -\(name.prefix(1)) \(name.dropFirst())? (-\(name.prefix(1)) is --\(short.name))"
            )
        }
        let near = nearestNames(to: String(name), in: options.map(\.name)).first
        return of(
            "unknown option \(word.prefix { $0 != "=" })",
            remedy: near.map { "did you mean --\($0)?" } ?? "`\(title) --help` lists them")
    }

    /// A missing argument, with a command line that works.
    static func missing(_ positional: Positional, in entry: CommandEntry) -> MediaError {
        let example = entry.examples.first.map { "for example: \($0.command)" }
        return of("\(positional.name) is missing", remedy: example)
    }
}

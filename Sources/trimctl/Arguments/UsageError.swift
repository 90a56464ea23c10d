// Command line errors, as MediaError. They state the error and the correct form.
internal import Media
internal import Text

/// Creates command line errors: their exit code is 2.
enum UsageError {
    /// An error with its remedy.
    static func of(_ message: String, remedy: String? = nil) -> MediaError {
        MediaError(.invalidRequest, message, remedy: remedy)
    }

    /// An error of a command, with its help as the remedy.
    static func of(_ message: String, in entry: CommandEntry) -> MediaError {
        of(message, remedy: "see `\(entry.title) --help`")
    }

    /// An unknown command, with the nearest one.
    static func unknownCommand(_ word: String) -> MediaError {
        if let hint = CommandAlias.row(of: word)?.hint {
            return of("unknown command '\(word)'", remedy: hint)
        }
        let near = nearestNames(to: word, in: CommandTable.shown.map(\.name)).first
        return of(
            "unknown command '\(word)'",
            remedy: near.map { "did you mean `trimctl \($0)`?" } ?? "`trimctl --help` lists the commands")
    }

    /// An unknown option, with the one that does what another program's does, or the nearest one.
    /// - Parameter next: the word after it.
    static func unknownOption(
        _ word: String, before next: String? = nil, among options: [Option], of title: String
    ) -> MediaError {
        if let row = ForeignOption.row(of: word, before: next), let remedy = row.remedy(among: options) {
            return of("unknown option \(row.spelling)", remedy: remedy)
        }
        if let hint = OptionAlias.row(of: word.prefix { $0 != "=" })?.hint {
            return of("unknown option \(word.prefix { $0 != "=" })", remedy: hint)
        }
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

    /// A missing argument, with a working command line.
    static func missing(_ positional: Positional, in entry: CommandEntry) -> MediaError {
        let example = entry.examples.first.map { "for example: \($0.command)" }
        return of("\(positional.name) is missing", remedy: example)
    }
}

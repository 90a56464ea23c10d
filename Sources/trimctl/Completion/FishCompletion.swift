// Completions for fish: one line per option, with its description. Text only.

/// Completions for fish.
enum FishCompletion {
    /// The script.
    static var script: String {
        var text = """
            # Completions of trimctl for fish, made by `trimctl completions fish`.

            function __trimctl_is
                set -l words (commandline -opc)
                test (count $words) -ge 2; and contains -- $words[2] $argv
            end

            function __trimctl_ask
                set -l words (commandline -opc)
                set -l place (contains -i -- --socket $words)
                and set -l socket --socket $words[(math $place + 1)]
                trimctl complete $argv $socket 2>/dev/null
            end

            complete -c trimctl -f

            """
        let first = "test (count (commandline -opc)) -eq 1"
        for option in CommandTable.globalOptions { text += line(first, names(option), option.help) }
        for entry in CommandTable.shown {
            text += line(first, "-a \(entry.name)", entry.abstract)
        }
        return text + CommandTable.shown.map(command).joined()
    }

    private static func command(_ entry: CommandEntry) -> String {
        let condition = "__trimctl_is \(entry.name)"
        var text = "\n"
        for option in entry.allOptions {
            let value = option.takesValue ? " " + action(option.kind, entry, isValue: true) : ""
            text += line(condition, names(option) + value, option.help)
        }
        for positional in entry.positionals {
            let action = action(positional.kind, entry, isValue: false)
            if !action.isEmpty { text += "complete -c trimctl -n \(quoted(condition)) \(action)\n" }
        }
        return text
    }

    private static func line(_ condition: String, _ what: String, _ help: String) -> String {
        "complete -c trimctl -n \(quoted(condition)) \(what) -d \(quoted(help))\n"
    }

    private static func names(_ option: Option) -> String {
        (option.short.map { "-s \($0) " } ?? "") + "-l \(option.name)"
    }

    private static func action(_ kind: ValueKind, _ entry: CommandEntry, isValue: Bool) -> String {
        // A value is required; without a list nothing is offered, not even files.
        let needed = isValue ? "-x" : ""
        switch CompletionKind(kind) {
        case .nothing: return needed
        case .files: return isValue ? "-r -F" : "-F"
        case .words(let words): return "\(needed) -k -a \(quoted(words.joined(separator: " ")))"
        case .presets: return "\(needed) -k -a \(quoted("(__trimctl_ask presets \(entry.name))"))"
        case .jobs: return "\(needed) -k -a \(quoted("(__trimctl_ask jobs \(entry.name))"))"
        }
    }

    /// A text in single quotes, for fish.
    private static func quoted(_ text: String) -> String {
        "'" + text.reduce(into: "") { $0 += "'\\".contains($1) ? "\\\($1)" : String($1) } + "'"
    }
}

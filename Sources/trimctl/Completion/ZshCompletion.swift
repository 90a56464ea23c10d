// Completions for zsh, with its _arguments: every command's options with their descriptions, exclusions and values. Text only.
internal import TrimClient

/// Completions for zsh.
enum ZshCompletion {
    /// The script, a file named `_trimctl` in a folder of `$fpath`.
    static var script: String {
        let entries = CommandTable.shown
        let commands = entries.map { "        \(quoted("\($0.name):\(plain($0.abstract))"))\n" }
        return """
            #compdef trimctl
            # Completions of trimctl for zsh, made by `trimctl completions zsh`.

            _trimctl_commands() {
                local -a commands=(
            \(commands.joined())    )
                _describe -t commands command commands
            }

            # _trimctl_ask WHAT COMMAND: what the daemon knows, with what it is.
            _trimctl_ask() {
                local -a found place
                [[ -n $opt_args[--socket] ]] && place=(--socket ${(Q)opt_args[--socket]})
                found=(${(f)"$(trimctl complete $1 $2 $place 2>/dev/null)"})
                found=(${found/$'\\t'/:})
                (( $#found )) && _describe -V -t $1 ${1%s} found
            }

            _trimctl() {
                local curcontext=$curcontext context state state_descr line
                local -A opt_args
                _arguments -C \\
                    '(- *)'{\(CommandTable.globalOptions.first.map { $0.spellings.joined(separator: ",") } ?? "")}\(
                        quoted("[\(plain(Option.help.help))]")) \\
                    \(quoted("(- *)--\(Option.version.name)[\(plain(Option.version.help))]")) \\
                    '1:command:_trimctl_commands' \\
                    '*:: :->arguments' && return 0
                [[ $state == arguments ]] || return 1
                case $words[1] in
            \(entries.map(command).joined())    esac
            }

            if [[ $funcstack[1] == _trimctl ]]; then
                _trimctl "$@"
            else
                compdef _trimctl trimctl
            fi

            """
    }

    private static func command(_ entry: CommandEntry) -> String {
        var lines = entry.allOptions.map { spec($0, in: entry) }
        for (index, positional) in entry.positionals.enumerated() {
            let position =
                positional.isRepeatable ? "*" : positional.minimum == 0 ? "\(index + 1):" : "\(index + 1)"
            lines.append(quoted("\(position):\(plain(positional.name)):\(action(positional.kind, entry))"))
        }
        return "        \(entry.name))\n            _arguments -S \\\n"
            + lines.map { "                \($0)" }.joined(separator: " \\\n") + " ;;\n"
    }

    private static func spec(_ option: Option, in entry: CommandEntry) -> String {
        let excluded = option == .help ? "- *" : entry.excluded(by: option).joined(separator: " ")
        let prefix = (excluded.isEmpty ? "" : "(\(excluded))") + (option.mayRecur ? "*" : "")
        var suffix = "[\(plain(option.help))]"
        if let name = option.valueName { suffix += ":\(plain(name)):\(action(option.kind, entry))" }
        // A long option's value may follow "=".
        let names = option.spellings.map {
            option.takesValue ? $0 + ($0.hasPrefix("--") ? "=" : "+") : $0
        }
        guard let only = names.first, names.count == 1 else {
            return "\(quoted(prefix)){\(names.joined(separator: ","))}\(quoted(suffix))"
        }
        return quoted(prefix + only + suffix)
    }

    private static func action(_ kind: ValueKind, _ entry: CommandEntry) -> String {
        switch CompletionKind(kind) {
        case .nothing: " "
        case .files: "_files"
        case .words(let words): "(\(words.joined(separator: " ")))"
        // The space keeps _arguments from inserting its own words before these.
        case .presets: " _trimctl_ask presets \(entry.name)"
        case .jobs: " _trimctl_ask jobs \(entry.name)"
        }
    }

    private static func quoted(_ text: String) -> String { ShellWord.inQuotes(text) }

    /// Removes characters that are special to _arguments.
    private static func plain(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            if "[]:\\".contains(character) { text += "\\" }
            text.append(character)
        }
    }
}

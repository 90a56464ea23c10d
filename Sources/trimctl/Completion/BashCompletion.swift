// Completions for bash, without the package bash-completion. The script's data are three lists from the command table: options
// and arguments by command, the kind of each option's value, and the exclusions. Text only.
internal import TrimClient

/// Completions for bash.
enum BashCompletion {
    /// The script.
    static var script: String {
        let entries = CommandTable.shown
        return """
            # Completions of trimctl for bash, made by `trimctl completions bash`.

            _trimctl() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
                local options takes kinds many kind index plain=0 gone=' ' option
                local -a socket=()
                COMPREPLY=()
                # bash takes "--name=value" for three words.
                if [[ $word == '=' ]]; then
                    word=
                elif [[ $before == '=' ]]; then
                    before=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                if ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W \(quoted(firstWords(entries))) -- "$word"))
                    return
                fi

                # The words that a command takes: options, those with a value, its arguments, and whether the last one repeats.
                case $verb in
            \(entries.map(command).joined())        *) return ;;
                esac

                # The words that were given already.
                for ((index = 2; index < COMP_CWORD; index++)); do
                    option=${COMP_WORDS[index]}
                    case $option in
                        --) gone+='-- ' ;;
                        -?*)
                            [[ $option == --socket ]] && socket=(--socket "${COMP_WORDS[index + 1]}")
                            case "$verb $option" in
            \(entries.map(exclusions).joined())                esac
                            if [[ $takes == *" $option "* ]]; then
                                [[ ${COMP_WORDS[index + 1]} == '=' ]] && ((index++))
                                ((index++))
                            fi ;;
                        *) ((plain++)) ;;
                    esac
                done

                # The kind of word wanted here: an option's value, an option, or an argument.
                kind=
                [[ $gone == *' -- '* ]] || case "$verb $before" in
            \(entries.map(values).joined())    esac
                if [[ -z $kind ]]; then
                    read -ra kinds <<<"$kinds"
                    ((plain >= ${#kinds[@]} && many)) && plain=$((${#kinds[@]} - 1))
                    kind=${kinds[plain]:-}
                    if [[ $gone != *' -- '* && ( $word == -* || -z $kind ) ]]; then
                        for option in $options; do
                            [[ $gone == *" $option "* ]] || COMPREPLY+=($(compgen -W "$option" -- "$word"))
                        done
                        return
                    fi
                fi
                case $kind in
                    nothing) ;;
                    files) compopt -o default 2>/dev/null ;;
                    presets | jobs)
                        options=$(trimctl complete "$kind" "$verb" "${socket[@]}" 2>/dev/null | cut -f 1)
                        COMPREPLY=($(compgen -W "$options" -- "$word"))
                        compopt -o nosort 2>/dev/null ;;
                    *) COMPREPLY=($(compgen -W "${kind//,/ }" -- "$word")) ;;
                esac
            }
            complete -F _trimctl trimctl

            """
    }

    private static func quoted(_ text: String) -> String { ShellWord.inQuotes(text) }

    private static func firstWords(_ entries: [CommandEntry]) -> String {
        (entries.map(\.name) + CommandTable.globalOptions.flatMap(\.spellings)).joined(
            separator: " ")
    }

    /// The script's name of a kind; the values of a choice are separated by commas.
    private static func word(_ kind: ValueKind) -> String {
        switch CompletionKind(kind) {
        case .nothing: "nothing"
        case .files: "files"
        case .words(let words): words.joined(separator: ",")
        case .presets: "presets"
        case .jobs: "jobs"
        }
    }

    private static func command(_ entry: CommandEntry) -> String {
        let options = entry.allOptions.flatMap(\.spellings).joined(separator: " ")
        let takes = entry.allOptions.filter(\.takesValue).flatMap(\.spellings).joined(separator: " ")
        let kinds = entry.positionals.map { word($0.kind) }.joined(separator: " ")
        let many = entry.positionals.last?.isRepeatable == true ? 1 : 0
        return """
                    \(entry.name))
                        options=\(quoted(options))
                        takes=\(quoted(" \(takes) ")) kinds=\(quoted(kinds)) many=\(many) ;;

            """
    }

    private static func exclusions(_ entry: CommandEntry) -> String {
        entry.options.reduce(into: "") { text, option in
            let words = entry.excluded(by: option)
            guard !words.isEmpty else { return }
            text +=
                "                    \(pattern(entry, option))) gone+='\(words.joined(separator: " ")) ' ;;\n"
        }
    }

    private static func values(_ entry: CommandEntry) -> String {
        entry.options.filter(\.takesValue).reduce(into: "") { text, option in
            text += "        \(pattern(entry, option))) kind=\(quoted(word(option.kind))) ;;\n"
        }
    }

    private static func pattern(_ entry: CommandEntry, _ option: Option) -> String {
        option.spellings.map { quoted("\(entry.name) \($0)") }.joined(separator: " | ")
    }
}

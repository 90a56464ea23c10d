// The completions of a shell as one text: which shell, and the words that all of them need. Text only.

/// A shell's completions.
enum CompletionScript {
    /// The shells there are completions for.
    static let shells = ["bash", "zsh", "fish"]

    /// The completions for a shell; nil where it is none of these.
    static func text(for shell: String) -> String? {
        switch shell {
        case "bash": BashCompletion.script
        case "zsh": ZshCompletion.script
        case "fish": FishCompletion.script
        default: nil
        }
    }

    /// A text between single quotes, as bash and zsh read it.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

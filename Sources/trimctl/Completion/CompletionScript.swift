// The completion script of a shell, and the helpers that all scripts share. Text only.

/// A shell's completion script.
enum CompletionScript {
    /// The supported shells.
    static let shells = ["bash", "zsh", "fish"]

    /// The script for a shell; nil if it is not supported.
    static func text(for shell: String) -> String? {
        switch shell {
        case "bash": BashCompletion.script
        case "zsh": ZshCompletion.script
        case "fish": FishCompletion.script
        default: nil
        }
    }
}

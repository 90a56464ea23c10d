// `trimctl completions`: prints a shell's completion script. It needs no daemon.
internal import Media

/// `trimctl completions`.
struct CompletionsCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let shell = arguments.texts.first ?? ""
        guard let text = CompletionScript.text(for: shell) else {
            throw UsageError.of("there are no completions for '\(shell)'")
        }
        console.print(text)
        return 0
    }
}

extension CommandTable {
    static let completions = CommandEntry(
        "completions", CompletionsCommand.self, synopsis: ["SHELL"],
        abstract: "Print completions for a shell",
        discussion: [
            "Commands and options are those of this trimctl; presets and jobs are asked of the daemon while you type.",
            "`make install` and the package put them where each shell looks for them.",
        ],
        positionals: [Positional("SHELL", .choice(CompletionScript.shells), "The shell")],
        options: [], exclusive: [],
        examples: [
            Example("trimctl completions bash", "for eval, or for a file in bash-completion/completions"),
            Example("trimctl completions zsh", "for a file _trimctl in a folder of $fpath"),
            Example("trimctl completions fish", "for ~/.config/fish/completions/trimctl.fish"),
        ],
        exitCodes: codes(0, 1, 2))
}

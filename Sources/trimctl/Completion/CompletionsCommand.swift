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

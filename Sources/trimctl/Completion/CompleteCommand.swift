// `trimctl complete`: the dynamic values of shell completions. It prints no errors, and waits at most 200 ms: a blocked shell
// is worse than no completions. Presets are available without a daemon too.
internal import Media
internal import Text
internal import Wire

/// `trimctl complete`.
struct CompleteCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    /// Timeout for the daemon.
    static let patience = Duration.milliseconds(200)

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() -> Int32 {
        let words = arguments.texts
        let lines =
            words.first == "jobs" ? jobs(words.dropFirst().first.flatMap(CommandTable.entry)) : presets()
        if !lines.isEmpty {
            surroundings.console.print(lines.map { "\($0.0)\t\($0.1.oneLine)\n" }.joined())
        }
        return 0
    }

    private func jobs(_ entry: CommandEntry?) -> [(String, String)] {
        let jobs: [JobReport] = ask(.jobList, ListParams(limit: 100)) ?? []
        return jobs.filter { entry?.concerns($0) ?? true }.map { job in
            let name = job.output.pathNames.last ?? job.output
            return ("\(job.id)", "\(job.status.rawValue), \(job.preset), \(name)")
        }
    }

    private func presets() -> [(String, String)] {
        let known: PresetListResult? = ask(.presetList, Empty())
        // Without a daemon (--standalone), the installed presets.
        let presets = known?.presets ?? PresetCatalogue(folders: surroundings.presetFolders).presets
        let own = OwnPresets(surroundings, extending: presets).catalogue.presets
        let all = presets.filter { preset in !own.contains { $0.id == preset.id } } + own
        return all.sorted { $0.id < $1.id }.map { ($0.id, $0.name) }
    }

    private func ask<Result: Decodable>(_ method: Method, _ params: some Encodable) -> Result? {
        let path = surroundings.socket(option: arguments.given(.socket))
        guard let socket = try? UnixSocket.connect(to: path, waiting: false) else { return nil }
        let client = Client(adopting: socket)
        return try? client.call(
            method.rawValue, params: params, timeout: Self.patience, returning: Result.self)
    }
}

extension CommandTable {
    static let complete = CommandEntry(
        "complete", CompleteCommand.self, synopsis: ["WHAT [COMMAND] [--socket PATH]"],
        abstract: "Print what a shell may complete with, a line each: the word, a tab, what it is",
        discussion: [
            "It never says that something went wrong: then it prints less, or nothing, within a fifth of a second."
        ],
        positionals: [
            Positional("WHAT", .choice(["presets", "jobs"]), "The kind of words"),
            Positional("COMMAND", .text, "Only jobs that this command can do something about", minimum: 0),
        ],
        options: [.socket], exclusive: [],
        examples: [Example("trimctl complete jobs cancel", "the jobs that have not ended")],
        exitCodes: codes(0, 2), isHidden: true)
}

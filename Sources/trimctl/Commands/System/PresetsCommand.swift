// `trimctl presets`: lists the daemon's presets and the user's, or prints the settings of one. Presets are files: without a daemon
// they are read here.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl presets`.
struct PresetsCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        if arguments.texts.first == PresetsImportCommand.word {
            return try PresetsImportCommand(arguments, surroundings).run()
        }
        for option in [Option.presetOutput, .overwritePreset] where arguments.has(option) {
            throw UsageError.of(
                "--\(option.name) is for `trimctl presets import` alone", in: CommandTable.presets)
        }
        guard arguments.texts.count < 2 else {
            throw UsageError.of("'\(arguments.texts[1])' is one argument too many", in: CommandTable.presets)
        }
        return try show(merged(try known()))
    }

    /// The presets of the daemon, else those that are installed. A daemon that was named is asked.
    private func known() throws(MediaError) -> PresetListResult {
        var list = PresetListResult(presets: [], problems: [])
        do throws(MediaError) {
            _ = try Session.run(arguments, surroundings) { daemon throws(MediaError) in
                list = try daemon.call(.presetList)
                return 0
            }
        } catch {
            guard error.code == .noDaemon, !arguments.has(.socket), !arguments.has(.standalone) else {
                throw error
            }
            let files = PresetCatalogue(folders: surroundings.presetFolders)
            guard !files.presets.isEmpty else { throw error }
            list = PresetListResult(presets: files.presets, problems: files.problems)
        }
        return list
    }

    private func show(_ all: PresetCatalogue) throws(MediaError) -> Int32 {
        if let id = arguments.texts.first {
            let preset = try all.preset(id)
            if asJSON { console.json(preset) } else { console.print(PresetText.page(preset)) }
            return 0
        }
        for problem in all.problems {
            console.say("trimctl: \(problem.file) is left out: \(problem.message)")
        }
        if asJSON {
            console.json(PresetListResult(presets: all.presets, problems: all.problems))
        } else {
            console.print(PresetText.table(all.presets, width: console.outputWidth))
        }
        return 0
    }

    /// The user's presets replace the daemon's with the same ID; a daemon of the same user already has them.
    private func merged(_ list: PresetListResult) -> PresetCatalogue {
        let own = OwnPresets(surroundings, extending: list.presets).catalogue
        let others = list.presets.filter { preset in !own.presets.contains { $0.id == preset.id } }
        let problems = list.problems.filter { !own.problems.contains($0) }
        return PresetCatalogue(others + own.presets, problems: problems + own.problems)
    }
}

extension CommandTable {
    static let presets = CommandEntry(
        "presets", PresetsCommand.self,
        synopsis: ["[ID] [--json]", "import FILE… [--output-dir DIR] [--overwrite] [--json]"],
        abstract: "List the presets, show one, or import those of HandBrake",
        discussion: [
            "Presets of your own are JSON files in ~/.config/trimd/presets, those of a machine in /etc/trimd/presets.",
            """
            `trimctl presets import` reads presets that HandBrake has exported (HandBrakeCLI --preset-export NAME \
            --preset-export-file FILE, or Export in its Presets menu), with their folders, and writes a file for each: Fast \
            1080p30 becomes fast-1080p30. It says of every preset what is carried over, what is only near (approximated), and \
            what is left out. No file is replaced without --overwrite. It needs no trimd.
            """,
        ],
        positionals: [
            Positional(
                "ID", .preset, "The preset to show; after `import`, files of HandBrake's presets", minimum: 0,
                isRepeatable: true)
        ],
        options: [.presetOutput, .overwritePreset, .json, .standalone, .socket],
        exclusive: [[.standalone, .socket]],
        examples: [
            Example("trimctl presets", "their ids, and their names in AVFoundation"),
            Example("trimctl presets m4v720 --json", "one, with all its settings"),
            Example(
                "trimctl presets import mine.json", "presets of HandBrake's, into ~/.config/trimd/presets"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5))
}

extension Option {
    static let presetOutput = Option(
        "output-dir", value: "DIR", .outputFile,
        "Where `import` writes, made where it is missing (otherwise ~/.config/trimd/presets)")
    static let overwritePreset = Option("overwrite", "Let `import` replace presets that exist")
}

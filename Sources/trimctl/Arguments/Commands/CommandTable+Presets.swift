// The entry of `trimctl presets` in the command table.
internal import Media

extension CommandTable {
    static let presets = CommandEntry(
        verb: .presets,
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

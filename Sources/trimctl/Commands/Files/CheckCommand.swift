// `trimctl check`: asks the daemon which presets are valid for a file, and prints the result. It checks nothing itself.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl check`.
struct CheckCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let own = try OwnPresets.read(arguments, surroundings, daemon)
            let preset = try own.reference(arguments)
            let presets = preset == nil && !own.catalogue.presets.isEmpty ? own.catalogue.presets : nil
            var params = CheckParams(
                path: input, preset: preset, presets: presets, type: arguments.given(.type))
            params.range = arguments.range
            params.options = try arguments.exportOptions(in: surroundings)
            let report = try daemon.check(params)
            if asJSON {
                console.json(report)
            } else {
                console.print(CheckText(isUnicode: console.isUnicode).page(report, of: params.path))
            }
            return CheckCommand.exitCode(report, isOne: preset != nil)
        }
    }

    /// 7 if policy refuses the file, 3 if the one requested preset is not valid, 1 if the file cannot be trimmed.
    static func exitCode(_ report: CompatibilityReport, isOne: Bool) -> Int32 {
        if !report.canTrim {
            let code = report.reason?.error?.exitCode ?? 1
            return code == 7 ? 7 : isOne ? 3 : max(code, 1)
        }
        return isOne && report.presets.contains { !$0.valid } ? 3 : 0
    }
}

extension CommandTable {
    static let check = CommandEntry(
        "check", CheckCommand.self,
        synopsis: ["INPUT [--preset ID] [--type EXT] [--start T] [--end T | --duration T] [--json]"],
        abstract: "Show which presets are valid for a file, and why the others are not",
        discussion: [
            "With the times and the other options of an export, that export is checked.",
            times,
        ],
        positionals: [input],
        options: [
            .checkPreset, .presetFile, .type, .start, .end, .duration, .keep, .remove, .keepOnly, .snap,
            .round,
        ] + Option.export(for: .checks) + [.json, .standalone, .sandbox, .socket],
        exclusive: [
            [.end, .duration], [.keep, .start], [.keep, .end], [.keep, .duration], [.keep, .remove],
            [.keep, .keepOnly],
            [.checkPreset, .presetFile], [.standalone, .socket],
        ] + Option.contradictions,
        examples: [
            Example("trimctl check in.mov", "all presets"),
            Example("trimctl check in.mov --preset m4v720 --type m4v", "one preset; exit code 0 or 3"),
        ],
        exitCodes: codes(0, 1, 2, 3, 4, 5, 7))
}

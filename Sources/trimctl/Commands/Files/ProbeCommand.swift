// `trimctl probe`: asks the daemon for a file's properties, and prints them. A worker reads the file; no media is parsed here.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl probe`.
struct ProbeCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let wanted = arguments.all(.property).compactMap(AssetProperty.init(rawValue:))
        var params = ProbeParams(
            path: input, keyframes: arguments.has(.keyframes) ? true : nil,
            properties: wanted.isEmpty ? nil : wanted)
        params.variant = try arguments.variant()
        let question = params
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let asset = try daemon.probe(question)
            if asJSON { console.json(asset) } else { console.print(AssetText.page(asset, of: question.path)) }
            return 0
        }
    }
}

extension CommandTable {
    static let probe = CommandEntry(
        "probe", ProbeCommand.self,
        synopsis: ["INPUT [--keyframes] [--property NAME]… [--variant WHICH] [--json]"],
        abstract: "Show tracks, times, metadata, chapters and faults of a file",
        discussion: [
            "Time 0 is the earliest presentation time of the file's tracks.",
            "Of an HLS playlist it also shows the interstitials that are marked in it, the qualities and the alternative tracks.",
        ],
        positionals: [input],
        options: [.keyframes, .property, .variant, .json, .standalone, .sandbox, .socket],
        exclusive: [[.standalone, .socket]],
        examples: [Example("trimctl probe in.mov", "what is in it, for people")],
        exitCodes: codes(0, 1, 2, 4, 5, 7))
}

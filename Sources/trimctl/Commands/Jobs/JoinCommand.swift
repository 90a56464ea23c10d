// `trimctl join`: submits one export of several inputs, which are played one after the other, and follows it as `trimctl export` does.
internal import Media
internal import TrimClient

/// `trimctl join`.
struct JoinCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let sources = arguments.texts.enumerated().map { number, name in
            SourcePart(surroundings.absolute(name), arguments.own(ofInput: number).range)
        }
        guard sources.count > 1 else {
            throw UsageError.of(
                "one INPUT cannot be joined with anything",
                remedy: "name the others behind it, or use `trimctl export`")
        }
        try sources.check(sources[0].path, arguments.range)
        var export = ExportCommand(arguments, surroundings)
        export.sources = sources
        return try export.run()
    }
}

extension Option {
    /// What is taken of each INPUT.
    fileprivate static let rangesOfInputs = [Option.start, .end, .duration, .keep, .remove].map(
        \.forEachInput)
}

extension CommandTable {
    static let join = CommandEntry(
        "join", JoinCommand.self,
        synopsis: [
            "INPUT INPUT… [-o OUTPUT] [--preset ID] [options]",
            "INPUT --keep A..B [--keep C..D] INPUT [--start T] [--end T | --duration T]… [options]",
        ],
        abstract: "Play files one after the other, as one file",
        discussion: [
            """
            The output shows each INPUT from its first frame to its last, then the next one: every frame and every sample of \
            them, and nothing else. What is stored alike is copied, and only what the seams need is encoded.
            """,
            """
            --start, --end, --duration, --keep and --remove belong to the INPUT before them, and their times are its own. Before the \
            first INPUT they belong to all together.
            """,
            times,
            """
            The first INPUT says what the output is like: its file type, its codecs, its metadata. Of the others, frames of another \
            size and sound of another rate are encoded to that, and tracks are matched by language, then in order. Each is a chapter, \
            by its file's name, unless it has chapters itself, or --no-seam-chapters is given.
            """,
            "Without -o the output is named after the first INPUT, NAME-join.",
        ],
        positionals: [
            Positional("INPUT", .inputFile, "The video or audio files, in order", isRepeatable: true)
        ],
        options: Option.exports(of: Option.rangesOfInputs) + [.noSeamChapters],
        exclusive: Option.exclusiveOfExports.filter { !$0.contains(.keepOnly) }.map { group in
            group.map { option in Option.rangesOfInputs.first { $0.name == option.name } ?? option }
        },
        examples: [
            Example("trimctl join a.mp4 b.mp4 c.mp4 -o all.mp4", "three files as one"),
            Example(
                "trimctl join talk.mp4 --keep 1:00..21:30 end.mp4 --start -10 -o talk-end.mp4",
                "a part of the first, then the last ten seconds of the second"),
            Example(
                "trimctl join part1.mov part2.mov --preset m4v720 -o whole.m4v",
                "both encoded as 720p M4V"),
        ],
        exitCodes: exitCodes, hasHeadings: true)
}

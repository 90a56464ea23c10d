// `trimctl verify`: asks the daemon whether a file exactly matches a range of another, and prints the result. It compares
// nothing itself; a worker decodes both files.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl verify`.
struct VerifyCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let output = surroundings.absolute(arguments.texts.dropFirst().first ?? "")
        var params = VerifyParams(path: input, output: output)
        params.range = arguments.range
        params.options = try arguments.exportOptions(in: surroundings)
        params.picture = arguments.given(.joins).map(surroundings.absolute)
        params.overwrite = arguments.has(.overwritePicture) ? true : nil
        if arguments.has(.show), params.picture == nil {
            throw UsageError.of("--show needs an image", remedy: "add --picture joins.png")
        }
        let shown = ShownPicture(arguments, surroundings)
        params.preview = shown.preview(of: params.picture)
        let wanted = params
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let report: ComparisonReport = try OpenedFiles.passing(
                wanted.path, output: wanted.picture ?? output, artwork: output, to: daemon
            ) { files throws(MediaError) in
                try daemon.call(.assetVerify, wanted, passing: files)
            }
            if asJSON {
                console.json(report)
            } else {
                console.print(FrameText.page(report, of: output))
            }
            if let path = report.picture {
                let size = (width: report.pictureWidth ?? 0, height: report.pictureHeight ?? 0)
                shown.show(path, size: size, preview: report.preview)
            }
            return report.exact ? 0 : 1
        }
    }
}

extension CommandTable {
    static let verify = CommandEntry(
        "verify", VerifyCommand.self,
        synopsis: [
            "SOURCE OUTPUT [--start T] [--end T | --duration T] [--picture PICTURE] [--json]",
            "SOURCE OUTPUT --keep A..B [--keep C..D] [--picture PICTURE] [--json]",
            "SOURCE OUTPUT --remove A..B [--picture PICTURE] [--json]",
        ],
        abstract: "Check whether a file is exactly a part of another",
        discussion: [
            "Decodes both and compares every frame: its time, and whether it matches its own source frame best; the audio's "
                + "lag and length, whether it is the source's sound all along, and whether each channel has its own; and whether OUTPUT decodes without errors. The exit code is 0 where OUTPUT is exactly that "
                + "part, and 1 where it is not. The image of --picture has the result in its heading; frames that are missing or "
                + "wrong are framed in red.",
            "Of an output that was made with --crop, --rotate, --deinterlace or --speed, give the same here.",
            showing, times,
        ],
        positionals: [
            Positional("SOURCE", .inputFile, "The video or audio file it was made from"),
            Positional("OUTPUT", .inputFile, "The file that is to be a part of it"),
        ],
        options: [
            .start, .end, .duration, .keep, .remove, .keepOnly, .snap, .round,
        ] + Option.export(for: .comparisons) + [
            .joins, .show,
            .overwritePicture, .json, .standalone, .sandbox, .socket,
        ],
        exclusive: [
            [.end, .duration], [.keep, .start], [.keep, .end], [.keep, .duration], [.keep, .remove],
            [.keep, .keepOnly],
            [.standalone, .socket], [.show, .json],
        ],
        examples: [
            Example("trimctl verify in.mov in-trim.m4v --start 10 --end 70", "whether the export is exact"),
            Example(
                "trimctl verify in.mp4 cut.mp4 --keep 0..1:30 --keep 5:00..end --picture joins.png",
                "the same of two parts that were joined, with an image of the joins"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 6, 7))
}

extension Option {
    static let joins = Option(
        "picture", value: "PICTURE", .outputFile,
        "Draw the first frame, the joins and the last frame, source and output side by side, as .png or .jpg")
}

// `trimctl frame`: asks the daemon for the frame at a time as an image file, and prints which frame it is. A worker decodes and
// draws; no media is parsed here.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// `trimctl frame`.
struct FrameCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        guard let at = arguments.time(.at) else {
            throw UsageError.of(
                "--at is missing", remedy: "say which time, for example: trimctl frame in.mov --at 1:10")
        }
        var params = FrameParams(path: input, at: at)
        params.picture = arguments.given(.picture).map(surroundings.output)
        params.overwrite = arguments.has(.overwritePicture) ? true : nil
        params.width = arguments.number(.pictureWidth).map { Int($0) }
        params.variant = try arguments.variant()
        let shown = ShownPicture(arguments, surroundings)
        params.preview = shown.preview(of: params.picture)
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let report: FrameReport = try OpenedFiles.passing(
                params.path, output: params.picture ?? params.path, to: daemon
            ) { files throws(MediaError) in
                try daemon.call(.assetFrame, params, passing: files)
            }
            if asJSON { console.json(report) } else { console.print(FrameText.page(report)) }
            shown.show(report.output, size: (report.width, report.height), preview: report.preview)
            return 0
        }
    }
}

extension CommandTable {
    static let frame = CommandEntry(
        "frame", FrameCommand.self,
        synopsis: ["INPUT --at T [-o PICTURE] [--width N] [--variant WHICH] [--show] [--overwrite] [--json]"],
        abstract: "Write the frame on screen at a time as a PNG or JPEG image",
        discussion: [
            "It is the frame that an export from T on would begin with: the last one that begins at T or before it, upright, with "
                + "square pixels, HDR tone-mapped. The requested time and the frame's own time are printed.",
            showing, times,
        ],
        positionals: [input],
        options: [
            .at, .picture, .pictureWidth, .variant, .show, .overwritePicture, .json, .standalone, .sandbox,
            .socket,
        ],
        exclusive: [[.standalone, .socket], [.show, .json]],
        examples: [
            Example("trimctl frame in.mov --at 1:10", "the frame at 70 seconds, as in-frame.png"),
            Example("trimctl frame in.mov --at 250f -o still.jpg --width 640", "frame 250, as a small JPEG"),
            Example("trimctl frame in.mov --at end --show", "the last frame, shown in the terminal too"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 6, 7))
}

extension Option {
    static let at = Option("at", value: "T", .time, "The time whose frame is wanted")
    static let picture = Option(
        "output", short: "o", value: "PICTURE", .outputFile,
        "Where to write: .png or .jpg, or a folder (otherwise a PNG beside INPUT, with a number if that exists)"
    )
    static let pictureWidth = Option(
        "width", value: "N", .count(16...16384), "Make the image so many pixels wide, if the film is wider")
    static let overwritePicture = Option("overwrite", "Replace the image if it exists")
    static let show = Option("show", "Show the picture in the terminal too, where it can")
}

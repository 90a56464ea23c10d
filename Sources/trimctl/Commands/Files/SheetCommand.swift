// `trimctl sheet`: asks the daemon for a contact sheet. A worker decodes and draws; no media is parsed here.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// `trimctl sheet`.
struct SheetCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        var params = SheetParams(path: input)
        params.range = arguments.range
        params.picture = arguments.given(.picture).map(surroundings.output)
        params.overwrite = arguments.has(.overwritePicture) ? true : nil
        params.options = try options()
        params.variant = try arguments.variant()
        let shown = ShownPicture(arguments, surroundings)
        params.preview = shown.preview(of: params.picture)
        let wanted = params
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let report: SheetReport = try OpenedFiles.passing(
                wanted.path, output: wanted.picture ?? wanted.path, to: daemon
            ) { files throws(MediaError) in
                try daemon.call(.assetSheet, wanted, passing: files)
            }
            if asJSON { console.json(report) } else { console.print(FrameText.page(report)) }
            shown.show(report.output, size: (report.width, report.height), preview: report.preview)
            return 0
        }
    }

    /// The layout that is asked for.
    private func options() throws(MediaError) -> SheetOptions {
        var options = SheetOptions()
        options.columns = arguments.number(.columns).map { Int($0) }
        options.rows = arguments.number(.rows).map { Int($0) }
        options.width = arguments.number(.thumbnailWidth).map { Int($0) }
        if let every = arguments.time(.every) {
            guard let time = every.assetTime, time.isNumeric, time > .zero else {
                throw UsageError.of("--every is not a duration", remedy: "write seconds, such as 10 or 10s")
            }
            options.every = time
        }
        if let text = arguments.given(.sheetSize) {
            let sides = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false).map {
                Int($0)
            }
            guard sides.allSatisfy({ $0.map { 160...16384 ~= $0 } ?? false }) else {
                throw UsageError.of(
                    "--size: '\(text)' is not a size from 160 to 16384",
                    remedy: "write the sheet's width, such as 1280, or the most it may be, such as 1280x720")
            }
            options.sheetWidth = sides[0]
            if sides.count > 1 { options.sheetHeight = sides[1] }
        }
        return options
    }
}

extension CommandTable {
    static let sheet = CommandEntry(
        "sheet", SheetCommand.self,
        synopsis: [
            "INPUT [-o PICTURE] [--start T] [--end T | --duration T] [--columns N] [--rows N | --every T] [options]",
            "INPUT --keep A..B [--keep C..D] [-o PICTURE] [options]",
            "INPUT --remove A..B [-o PICTURE] [options]",
        ],
        abstract: "Draw a contact sheet: thumbnails with their times, and the audio's waveform",
        discussion: [
            "The first and last frames of each range are exact, and marked in green and red. Between them keyframes are taken "
                + "where they are close enough, so that a long film is not decoded as a whole; each label is the time of the "
                + "frame that is shown. With --every all of them are exact. The waveform is scaled to its peak, whose level is "
                + "printed in dBFS; a file of audio alone makes a sheet of its waveform.",
            showing, times,
        ],
        positionals: [input],
        options: [
            .picture, .start, .end, .duration, .keep, .remove, .keepOnly, .snap, .round, .columns, .rows,
            .every,
            .thumbnailWidth,
            .sheetSize, .variant, .show, .overwritePicture, .json, .standalone, .sandbox, .socket,
        ],
        exclusive: [
            [.end, .duration], [.keep, .start], [.keep, .end], [.keep, .duration], [.keep, .remove],
            [.keep, .keepOnly],
            [.rows, .every], [.thumbnailWidth, .sheetSize], [.standalone, .socket], [.show, .json],
        ],
        examples: [
            Example("trimctl sheet in.mov", "all of it, as in-sheet.png"),
            Example(
                "trimctl sheet in.mov --every 10s --columns 6 --size 1280",
                "a thumbnail each ten seconds, on a sheet 1280 pixels wide"),
            Example(
                "trimctl sheet in.mov --start 10 --end 70 --columns 6 --rows 4 -o part.jpg",
                "24 thumbnails of the minute that an export would take"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 6, 7))
}

extension Option {
    static let columns = Option(
        "columns", value: "N", .count(1...20),
        "Thumbnails in a row (otherwise 5, or 8 of a portrait film; fewer for a short one)")
    static let rows = Option(
        "rows", value: "N", .count(1...50),
        "Rows of thumbnails (otherwise 4, or 3 of a portrait film; fewer for a short one)"
    )
    static let every = Option(
        "every", value: "T", .time, "A thumbnail each T, exact, instead of a number of rows")
    static let thumbnailWidth = Option(
        "width", value: "N", .count(64...1024),
        "Make each thumbnail so many pixels wide (otherwise its longer side has 240)")
    static let sheetSize = Option(
        "size", value: "W[xH]", .text,
        "Make the whole sheet so many pixels wide, or as large as fits WxH")
}

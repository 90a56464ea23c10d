// The entries of the commands that draw images and compare files, before and after an export.
internal import Media

extension CommandTable {
    static let frame = CommandEntry(
        verb: .frame,
        synopsis: ["INPUT --at T [-o PICTURE] [--width N] [--variant WHICH] [--show] [--overwrite] [--json]"],
        abstract: "Write the frame on screen at a time as a PNG or JPEG image",
        discussion: [
            "It is the frame that an export from T on would begin with: the last one that begins at T or before it, upright, with "
                + "square pixels, HDR tone-mapped. The requested time and the frame's own time are printed.",
            show, times,
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

    static let sheet = CommandEntry(
        verb: .sheet,
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
            show, times,
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

    static let verify = CommandEntry(
        verb: .verify,
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
            show, times,
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

    private static let show =
        "--show draws the picture in the terminal, besides the file: by the kitty graphics protocol, by that of iTerm2, or as "
        + "Sixel, whichever the terminal says it has. Where it has none, a line on stderr says why."
}

extension Option {
    // Images.
    static let at = Option("at", value: "T", .time, "The time whose frame is wanted")
    static let picture = Option(
        "output", short: "o", value: "PICTURE", .outputFile,
        "Where to write: .png or .jpg, or a folder (otherwise a PNG beside INPUT, with a number if that exists)"
    )
    static let pictureWidth = Option(
        "width", value: "N", .count(16...16384), "Make the image so many pixels wide, if the film is wider")
    static let overwritePicture = Option("overwrite", "Replace the image if it exists")
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
    static let show = Option("show", "Show the picture in the terminal too, where it can")
    static let joins = Option(
        "picture", value: "PICTURE", .outputFile,
        "Draw the first frame, the joins and the last frame, source and output side by side, as .png or .jpg")
}

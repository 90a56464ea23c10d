// The entry of the command that converts lists.
internal import Lists
internal import Media

extension CommandTable {
    static let convert = CommandEntry(
        verb: .convert,
        synopsis: [
            "LIST [-o OUTPUT] [--to FORMAT] [--rate RATE] [--timecode TC] [--input FILE] [--overwrite]"
        ],
        abstract: "Write a list of exports in another format",
        discussion: [
            "LIST is a list as `trimctl batch` reads it, or - for standard input. Ranges, labels and sources are carried over; a line "
                + "on stderr says what the other format cannot hold. LosslessCut's projects and tables hold seconds in six decimals, "
                + "which mean the frame; timelines stay exact; an EDL holds whole frames.",
            "It needs no trimd.",
        ],
        positionals: [Positional("LIST", .inputFile, "The list, or - for standard input")],
        options: [
            .convertOutput, .toFormat, .format, .batchRate, .sourceTimecode, .batchInput, .overwriteList,
        ],
        exclusive: [],
        examples: [
            Example("trimctl convert film-proj.llc -o film.csv", "LosslessCut's segments as a table"),
            Example(
                "trimctl convert cuts.csv -o cuts.edl --rate 30000/1001 --timecode 01:00:00;00",
                "for an editor, whose source begins at one hour"),
        ],
        exitCodes: codes(0, 1, 2, 6))
}

extension Option {
    static let convertOutput = Option(
        "output", short: "o", value: "OUTPUT", .outputFile, "The file to write (otherwise standard output)")
    static let toFormat = Option(
        "to", value: "FORMAT", .choice(ListFormat.written.map(\.rawValue)),
        "The format to write (otherwise that of the output's extension)")
    static let sourceTimecode = Option(
        "timecode", value: "TC", .text,
        "The timecode at which the source begins, for an EDL (otherwise 00:00:00:00)")
    static let overwriteList = Option("overwrite", "Replace the output if it exists")
}

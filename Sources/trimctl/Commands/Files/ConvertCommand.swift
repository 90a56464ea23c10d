// `trimctl convert`: writes a list of exports in another format, with names as its new folder sees them. It needs no daemon, and opens no
// file of media.
internal import Lists
internal import Media
internal import MediaTime
internal import Platform
internal import Text

/// `trimctl convert`.
struct ConvertCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let output = arguments.given(.convertOutput).flatMap { $0 == "-" ? nil : surroundings.absolute($0) }
        guard
            let format = arguments.given(.toFormat).flatMap(ListFormat.init(rawValue:))
                ?? output.flatMap({ ListFormat(name: $0, bytes: []) })
        else {
            let all = ListFormat.written.map(\.rawValue).joined(separator: ", ")
            throw UsageError.of("the format to write is not known", remedy: "give --to: \(all)")
        }
        let source = try BatchList(arguments, surroundings)
        let name = BatchNames.last(source.path)
        guard source.list.faults.isEmpty else {
            for fault in source.list.faults {
                console.say("trimctl: \(name):\(fault.line): \(fault.message)".oneLine)
            }
            throw UsageError.of("the list \(source.path) has faults; nothing was written")
        }
        let folder = output.map(BatchNames.folder) ?? surroundings.absolute(".")
        var list = source.list
        if folder != source.folder { rename(&list, from: source.folder, to: folder) }
        if let given = arguments.given(.batchInput) {
            let input = path(surroundings.absolute(given), in: folder)
            for index in list.exports.indices
            where list.exports[index].input == nil || list.exports[index].isClipName {
                (list.exports[index].input, list.exports[index].isClipName) = (input, false)
            }
        }
        let rate = try arguments.rate(.batchRate)
        let written: WrittenList
        do throws(ListFault) {
            written = try list.written(as: format, rate: rate, timecode: try timecode())
        } catch {
            throw UsageError.of("\(name):\(error.line): \(error.message)", remedy: remedy(format))
        }
        for note in list.notes + written.notes {
            console.say("trimctl: \(name):\(note.line): \(note.message)".oneLine)
        }
        guard let output else {
            console.print(String(written.text.dropLast(written.text.hasSuffix("\n") ? 1 : 0)))
            return 0
        }
        try write(written.text, to: output)
        return 0
    }

    /// Names the files of a list as its new folder sees them. Absolute names stay.
    private func rename(_ list: inout ExportList, from old: String, to new: String) {
        func seen(_ name: String?) -> String? {
            guard let name, !name.isAbsolutePath else { return name }
            return path(old + "/" + name, in: new)
        }
        for index in list.exports.indices where !list.exports[index].isClipName {
            list.exports[index].input = seen(list.exports[index].input)
            if let file = list.exports[index].options?.burnedFile {
                list.exports[index].options?.burnSubtitles = seen(file)
            }
        }
    }

    /// A path as named in a folder: relative beneath it, absolute elsewhere, where `..` might pass through a link.
    private func path(_ path: String, in folder: String) -> String {
        let beneath = folder == "/" ? "/" : folder + "/"
        let isPlain = !path.split(separator: "/").contains { $0 == ".." || $0 == "." }
        return isPlain && path.hasPrefix(beneath) ? String(path.dropFirst(beneath.count)) : path
    }

    private func remedy(_ format: ListFormat) -> String? {
        format == .edl && !arguments.has(.batchRate) ? "give --rate, such as 25 or 30000/1001" : nil
    }

    private func timecode() throws(ListFault) -> TimeSpelling? {
        guard let text = arguments.given(.sourceTimecode) else { return nil }
        guard let spelling = try? TimeSpelling.parse(text), case .timecode = spelling else {
            throw ListFault(1, "'\(text)' is no timecode; write 01:00:00:00, or 01:00:00;00 in drop-frame")
        }
        return spelling
    }

    private func write(_ text: String, to path: String) throws(MediaError) {
        guard arguments.has(.overwriteList) || !FileSystem.exists(path) else {
            throw MediaError(
                .fileAlreadyExists, "the output exists: \(path)",
                remedy: "choose another name, or give --overwrite")
        }
        do throws(SystemError) { try FileSystem.write(Array(text.utf8), to: path) } catch {
            throw MediaError(.notWritable, "\(error)")
        }
    }
}

extension CommandTable {
    static let convert = CommandEntry(
        "convert", ConvertCommand.self,
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

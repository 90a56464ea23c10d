// `trimctl manual`: writes the manual pages. It needs no daemon, and replaces existing pages.
internal import FoundationEssentials
internal import Media
internal import Wire

/// `trimctl manual`.
struct ManualCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let folder = surroundings.absolute(arguments.texts.first ?? "")
        for (name, text) in CommandPages(version: trimdVersion).all {
            try write(text, "\(name).1", in: folder)
        }
        for words in arguments.texts.dropFirst() {
            let (name, section, document) = try document(words)
            let text = DocumentPage.text(document, name: name, section: section, version: trimdVersion)
            try write(text, "\(name).\(section)", in: folder)
        }
        return 0
    }

    private func document(_ words: String) throws(MediaError) -> (String, Character, String) {
        let parts = words.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let section = parts[0].last, ("1"..."9").contains(section),
            let dot = parts[0].lastIndex(of: "."), parts[0].index(dot, offsetBy: 2) == parts[0].endIndex
        else {
            throw UsageError.of(
                "'\(words)' is not a manual page",
                remedy: "write its name, section and document: trimd.8=trimd.md")
        }
        let path = surroundings.absolute(String(parts[1]))
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw MediaError(.fileNotFound, "the document \(path) cannot be read")
        }
        return (String(parts[0][..<dot]), section, String(decoding: bytes, as: UTF8.self))
    }

    private func write(_ text: String, _ name: String, in folder: String) throws(MediaError) {
        let sub = "\(folder)/man\(name.suffix(1))"
        do {
            try FileManager.default.createDirectory(atPath: sub, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: "\(sub)/\(name)"))
        } catch {
            throw MediaError(
                .notWritable, "writing the manual page \(sub)/\(name): \(error)",
                remedy: "name a folder that you may write in")
        }
    }
}

extension CommandTable {
    static let manual = CommandEntry(
        "manual", ManualCommand.self, synopsis: ["FOLDER [NAME.SECTION=FILE…]"],
        abstract: "Write the manual pages into a folder",
        discussion: [
            "One page for trimctl and one for each command, from the same table as --help.",
            "With NAME.SECTION=FILE also a page of that name, made from a document in Markdown.",
        ],
        positionals: [
            Positional("FOLDER", .outputFile, "Where to write, in folders man1, man5 and so on"),
            Positional(
                "NAME.SECTION=FILE", .text, "A document, and its page", minimum: 0, isRepeatable: true),
        ],
        options: [], exclusive: [],
        examples: [Example("trimctl manual man", "trimctl.1 and its like in man/man1")],
        exitCodes: codes(0, 1, 2), isHidden: true)
}

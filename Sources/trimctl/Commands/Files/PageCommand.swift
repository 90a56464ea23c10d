// `trimctl page`: becomes trim-page, which serves the trimming page. It opens no file of the user's.
internal import Glibc
internal import Lists
internal import Media
internal import Platform
internal import Text
internal import TrimClient

/// `trimctl page`.
struct PageCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let path = surroundings.socket(option: arguments.given(.socket))
        // An error about the daemon is better told here, with its remedy.
        let start = surroundings.start(socket: path)
        try DaemonConnection(path: path, interrupts: surroundings.interrupts, remedy: start.remedy())
            .connect()
        let program = try StandaloneDaemon.program("trim-page", for: surroundings)
        try replace(by: program, words(socket: path))
    }

    /// The command line of trim-page.
    func words(socket: String) -> [String] {
        var words = ["--socket", socket, "--open"]
        if let folder = arguments.given(.pageOutput) { words += ["--output", surroundings.absolute(folder)] }
        if arguments.has(.stays) { words.append("--keep") }
        if let path = arguments.given(.listen) { words += ["--listen", surroundings.absolute(path)] }
        for host in arguments.all(.host) { words += ["--host", host] }
        if let folder = arguments.given(.pageFiles) { words += ["--files", surroundings.absolute(folder)] }
        if let format = arguments.given(.savedFormat) { words += ["--save", format] }
        if let rating = arguments.given(.restriction) { words += ["--restrict", rating] }
        if arguments.has(.unratedRestriction) { words.append("--restrict-unrated") }
        if let path = arguments.given(.pinFile) { words += ["--pin-file", surroundings.absolute(path)] }
        return words + ["--"] + arguments.texts.map(surroundings.absolute)
    }

    /// Becomes another program: the terminal's signals and its end reach it.
    private func replace(by program: String, _ words: [String]) throws(MediaError) -> Never {
        let copies = unsafe ([program] + words).map { word in unsafe strdup(word.nameBytes) } + [nil]
        unsafe execv(program.nameBytes, copies)
        throw MediaError(.internalError, "starting \(program): \(SystemError.reason(errno))")
    }
}

extension CommandTable {
    static let page = CommandEntry(
        "page", PageCommand.self,
        synopsis: [
            "FILE | FOLDER | LIST… [-o FOLDER] [--save FORMAT] [--restrict RATING [--restrict-unrated] [--pin-file PATH]] [--keep] [--listen PATH --host NAME]"
        ],
        abstract: "Serve a page on which to find the points of a cut, and to export",
        discussion: [
            "Prints the page's address, and opens it where there is a desktop. The page shows FILE, the files of FOLDER, or those "
                + "of LIST (a text file with a path a line), and no others. It plays them, steps through their frames, shows what each "
                + "preset would make of a part, and submits exports to the daemon, whose jobs it shows.",
            "The address leads to this machine alone, is another one at each start, and has a key: whoever knows it may use the page with "
                + "your rights. The key is for the tab that opens the address; no cookie is set. The page is served until Ctrl-C, or until "
                + "the terminal is closed; a tab that is open goes on once the page is started again for the same files. Over SSH, forward the "
                + "address, as in ssh -L PORT:127.1.2.3:PORT HOST, and open it with localhost in the place of 127.1.2.3.",
            "Ranges, texts and chapters belong to the file, by its identity, and are kept in $XDG_STATE_HOME/trimd/page; with --save ranges are "
                + "also kept in a file beside the film, as LosslessCut's project (llc), a table, an EDL or a timeline. A list that another program wrote there is read, and replaced only after a question.",
            "With --restrict, files with a higher content rating, and what is made of them, are shown only after a PIN, which is asked for at "
                + "the terminal when the page is started, or read from a file. Ratings are read from the file and its tracks, and one that is not "
                + "understood counts as the highest, as does a source that is gone. Files without a rating are shown, unless --restrict-unrated "
                + "is given. The PIN protects the page only; file permissions do not change.",
            "With --listen it is served on a Unix socket instead, for a reverse proxy with a login of its own; whoever may connect to "
                + "the socket may use the page.",
        ],
        positionals: [
            Positional(
                "FILE", .inputFile, "A video or audio file, a folder of such, or a list (.txt, .m3u)",
                isRepeatable: true)
        ],
        options: [
            .pageOutput, .savedFormat, .restriction, .unratedRestriction, .pinFile, .stays, .listen, .host,
            .pageFiles, .socket,
        ],
        exclusive: [],
        examples: [
            Example("trimctl page film.mov", "the page, about one film"),
            Example(
                "trimctl page /films -o /films/cut", "about all films of a folder; exports go to another"),
            Example("trimctl page film.mov --save llc", "with the ranges in film-proj.llc too"),
            Example("trimctl page /films --restrict PG-13", "with a PIN for what is rated higher"),
        ],
        exitCodes: codes(0, 1, 2, 5))
}

extension Option {
    static let pageOutput = Option(
        "output", short: "o", value: "FOLDER", .outputFile,
        "The folder for exports (otherwise beside each file)")
    static let savedFormat = Option(
        "save", value: "FORMAT", .choice(ListFormat.written.map(\.rawValue)),
        "Save the ranges beside each file, or in the folder for exports")
    static let restriction = Option(
        "restrict", value: "RATING", .text,
        "The highest rating that is shown without a PIN: PG-13, TV-14, FSK 12, or an age")
    static let unratedRestriction = Option(
        "restrict-unrated", "With --restrict: files without a rating need the PIN too")
    static let pinFile = Option(
        "pin-file", value: "PATH", .inputFile,
        "A file that only you can read, with the PIN in its first line (otherwise it is asked for)")
    static let stays = Option("keep", "Serve on when the terminal is closed")
    static let listen = Option(
        "listen", value: "PATH", .outputFile, "Serve on a Unix socket, for a reverse proxy")
    static let host = Option(
        "host", value: "NAME", .text,
        "With --listen: the name, and the port if it is not the usual one, that browsers ask for",
        isRepeatable: true)
    static let pageFiles = Option("files", value: "FOLDER", .inputFile, "The folder of the page's own files")
}

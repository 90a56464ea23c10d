// `trimctl page`: becomes trim-page, which serves the trimming page. It opens no file of the user's.
internal import Glibc
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

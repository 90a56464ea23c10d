// The terminal as a place for pictures: which protocol it speaks, and how much room there is. Finds out by asking it.
internal import Media
internal import Text
internal import TrimClient

/// A terminal that shows pictures.
struct PictureScreen: Hashable, Sendable {
    /// How a terminal takes pictures.
    enum Language: Hashable, Sendable {
        /// The kitty graphics protocol: PNG.
        case kitty
        /// OSC 1337 of iTerm2: any image file.
        case iterm
        /// Sixel: colours of pixels.
        case sixel
    }

    let language: Language
    /// Its size in cells, and that of a cell in pixels.
    let columns: Int, rows: Int
    let cell: TerminalAnswers.CellSize

    /// A reason for which no picture is shown.
    struct Unavailable: Error {
        let reason: String
    }

    /// Where a terminal does not say how large its cells are.
    private static let usualCell = TerminalAnswers.CellSize(width: 8, height: 16)

    /// The terminal of a command, or the reason why it shows no picture.
    static func find(_ surroundings: Surroundings) throws(Unavailable) -> PictureScreen {
        let environment = surroundings.environment
        guard surroundings.console.isOutputTerminal else {
            throw Unavailable(reason: "stdout is not a terminal")
        }
        let type = environment["TERM"] ?? ""
        // The Linux console would print a question that it does not know.
        guard !["", "dumb", "linux"].contains(type) else {
            throw Unavailable(reason: "a terminal of the type '\(type)' shows no pictures")
        }
        guard let answers = TerminalQuery.ask(surroundings.interrupts) else {
            throw Unavailable(reason: "trimctl is not in the foreground of a terminal")
        }
        guard let language = choose(answers, environment) else {
            let isSilent = !answers.isComplete && answers == TerminalAnswers([])
            throw Unavailable(
                reason: isSilent
                    ? "the terminal did not answer within a second"
                    : "the terminal has none of the kitty protocol, iTerm2's and Sixel")
        }
        let size = Terminal.size(Terminal.standardOutput)
        let pixels = Terminal.pixels(Terminal.standardOutput)
        let cell = pixels.map {
            TerminalAnswers.CellSize(width: $0.width / size.columns, height: $0.height / size.rows)
        }
        return PictureScreen(
            language: language, columns: size.columns, rows: size.rows,
            cell: cell ?? answers.cell ?? usualCell)
    }

    /// The protocol to use: the one with the most exact pictures.
    static func choose(_ answers: TerminalAnswers, _ environment: [String: String]) -> Language? {
        if answers.hasKitty { return .kitty }
        let names = ["iTerm2", "WezTerm"]
        if let name = answers.name, names.contains(where: name.hasPrefix) { return .iterm }
        if answers.hasSixel { return .sixel }
        // Old versions have no answer to the question for a name; a multiplexer passes the variables on, and no picture.
        let isInside = ["TMUX", "STY"].contains { !(environment[$0] ?? "").isEmpty }
        let isNamed = environment["TERM_PROGRAM"] == "iTerm.app" || environment["LC_TERMINAL"] == "iTerm2"
        return answers.name == nil && isNamed && !isInside ? .iterm : nil
    }

    /// The room for a picture in pixels: the window without the lines of the prompt.
    var room: (width: Int, height: Int) {
        (max(16, columns * cell.width), max(16, max(1, rows - 2) * cell.height))
    }

    /// The preview to ask for; nil: the picture itself is sent.
    /// - Parameter path: that of the picture; nil: the daemon's choice, which is PNG.
    func preview(of path: String?) -> PreviewRequest? {
        let isPNG = path.map { $0.endsInSlash || $0.lowercased().hasSuffix(".png") } ?? true
        let format: PreviewRequest.Format
        switch language {
        case .sixel: format = .sixel
        case .kitty where !isPNG: format = .png
        case .kitty, .iterm: return nil
        }
        return PreviewRequest(format, width: min(room.width, 4096), height: min(room.height, 4096))
    }
}

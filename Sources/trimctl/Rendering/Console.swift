// A command's output: results to stdout, everything else to stderr. Knows the terminal's capabilities; callers decide what to
// write. Sanitises texts: control characters from untrusted sources never reach the terminal.
internal import Media
internal import MediaTime
internal import Text
internal import Wire

/// The output of a command. Used on one thread.
final class Console {
    /// The errno of a failed write to stdout: the reader has gone, or the disk is full.
    private(set) var failure: Int32?
    /// Progress can be drawn on stderr.
    let canDraw: Bool
    /// Full-screen output is possible on stdout, and keys are read.
    let canShow: Bool
    /// Colours may be used on stderr.
    let isColored: Bool
    /// Non-ASCII characters may be used.
    let isUnicode: Bool

    /// Width of the terminal on stdout in columns; nil: it is none, and lines are not broken.
    let outputWidth: Int?

    private let columns: () -> Int
    private let standardOutput: (String) -> Int32
    private let standardError: (String) -> Int32

    /// A console with two sinks, which return 0 or an errno.
    init(
        environment: [String: String], isTerminal: Bool, isScreen: Bool = false, outputWidth: Int? = nil,
        columns: @escaping () -> Int,
        out: @escaping (String) -> Int32, err: @escaping (String) -> Int32
    ) {
        let isDumb = environment["TERM"] == "dumb"
        canDraw = isTerminal && !isDumb
        canShow = isScreen && !isDumb && !(environment["TERM"] ?? "").isEmpty
        isColored = isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
        let locale =
            [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
            .compactMap(\.self).first { !$0.isEmpty } ?? ""
        let encoding = locale.lowercased()
        isUnicode = encoding.contains("utf-8") || encoding.contains("utf8")
        self.columns = columns
        self.outputWidth = outputWidth
        standardOutput = out
        standardError = err
    }

    /// A console that prints results to stderr too.
    private init(diverting other: Console) {
        (canDraw, canShow, outputWidth) = (other.canDraw, false, nil)
        (isColored, isUnicode) = (other.isColored, other.isUnicode)
        columns = other.columns
        standardOutput = other.standardError
        standardError = other.standardError
    }

    /// The same console with results on stderr: stdout carries media.
    var diverted: Console { Console(diverting: self) }

    /// The console of this process.
    convenience init(environment: [String: String]) {
        self.init(
            environment: environment, isTerminal: Terminal.isTerminal(Terminal.standardError),
            isScreen: Terminal.isTerminal(Terminal.standardInput)
                && Terminal.isTerminal(Terminal.standardOutput),
            outputWidth: Terminal.isTerminal(Terminal.standardOutput)
                ? Terminal.columns(Terminal.standardOutput) : nil,
            columns: { Terminal.columns(Terminal.standardError) },
            out: { Terminal.write($0, to: Terminal.standardOutput) },
            err: { Terminal.write($0, to: Terminal.standardError) })
    }

    /// Nothing more can be written to stdout.
    var isAbandoned: Bool { failure != nil }

    /// Stdout is a terminal.
    var isOutputTerminal: Bool { outputWidth != nil }

    /// Current width of the terminal in columns.
    var width: Int { columns() }

    /// Prints a result for people, with a line break; long lines are broken for a terminal.
    func print(_ text: String) {
        let text = outputWidth.map { TextWrap.wrapped(text.printable, to: max($0, 20)) } ?? text.printable
        write(text.hasSuffix("\n") ? text : text + "\n")
    }

    /// Prints a value as one line of JSON.
    func json(_ value: some Encodable) {
        do throws(WireError) {
            write(String(decoding: try JSONValue(encoding: value).encoded, as: UTF8.self) + "\n")
        } catch {
            say("trimctl: \(error)")
        }
    }

    private func write(_ text: String) {
        guard failure == nil else { return }
        let code = standardOutput(text)
        if code != 0 { failure = code }
    }

    /// Prints a line on stderr.
    func say(_ text: String) { _ = standardError(text.printable + "\n") }

    /// Writes the control sequence of a picture to stdout: with `draw`, the only text that may contain control characters.
    func show(_ text: String) { write(text) }

    /// Writes terminal control sequences to stderr.
    func draw(_ text: String) { _ = standardError(text) }

    /// Prints an error on stderr, with its position and its remedy; with `--json` also as the last line of stdout.
    func report(_ error: MediaError, asJSON: Bool) {
        say("trimctl: \(ErrorText.line(error))")
        if asJSON { json(ErrorReport(error: error)) }
    }
}

/// The JSON shape of a command that failed.
struct ErrorReport: Codable, Hashable, Sendable {
    /// The error.
    var error: MediaError
    /// The input that it is about, if the command has several.
    @SpelledPathIfAny var input: String? = nil
}

/// Formats an error.
enum ErrorText {
    /// The message, then time and track where known and not in the message, then the remedy.
    static func line(_ error: MediaError) -> String {
        var details: [String] = []
        if let track = error.track, !error.message.contains("track \(track)") {
            details.append("track \(track)")
        }
        // The message of an invalid time already contains that time.
        let isSaid =
            error.code == .invalidTime
            && error.time.map { time in
                error.message.contains("\(time)") || error.message.contains(time.clock())
            } == true
        if let time = error.time, time.isNumeric, !isSaid { details.append("at \(Units.clock(time))") }
        let text = error.message + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
        return error.remedy.map { "\(text); \($0)" } ?? text
    }
}

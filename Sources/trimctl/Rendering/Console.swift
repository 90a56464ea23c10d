// Where a command's words go: results to stdout, everything else to stderr. It knows what the terminal can show; what is
// written, others decide. Texts are made harmless here: control characters of strangers never reach the terminal.
internal import Media
internal import MediaTime
internal import Wire

/// What a command writes to. Used on one thread.
final class Console {
    /// What writing to stdout failed with: the reader has gone, or the disk is full.
    private(set) var failure: Int32?
    /// Progress can be drawn on stderr.
    let canDraw: Bool
    /// A whole screen can be drawn on stdout, and keys are read.
    let canShow: Bool
    /// Colours may be used on stderr.
    let isColored: Bool
    /// Characters beyond ASCII may be used.
    let isUnicode: Bool

    private let columns: () -> Int
    private let standardOutput: (String) -> Int32
    private let standardError: (String) -> Int32

    /// A console of two sinks, which answer 0 or an errno.
    init(
        environment: [String: String], isTerminal: Bool, isScreen: Bool = false, columns: @escaping () -> Int,
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
        standardOutput = out
        standardError = err
    }

    /// The console of this process.
    convenience init(environment: [String: String]) {
        self.init(
            environment: environment, isTerminal: Terminal.isTerminal(Terminal.standardError),
            isScreen: Terminal.isTerminal(Terminal.standardInput)
                && Terminal.isTerminal(Terminal.standardOutput),
            columns: { Terminal.columns(Terminal.standardError) },
            out: { Terminal.write($0, to: Terminal.standardOutput) },
            err: { Terminal.write($0, to: Terminal.standardError) })
    }

    /// Nobody will see more of stdout.
    var isAbandoned: Bool { failure != nil }

    /// Columns of the terminal, now.
    var width: Int { columns() }

    /// A result for people, ending in a line break.
    func print(_ text: String) {
        write(text.printable.hasSuffix("\n") ? text.printable : text.printable + "\n")
    }

    /// A value as one line of JSON.
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

    /// A line on stderr.
    func say(_ text: String) { _ = standardError(text.printable + "\n") }

    /// Steers the terminal on stderr: the only text that may.
    func draw(_ text: String) { _ = standardError(text) }

    /// An error on stderr, with its place and its remedy; under `--json` also as the last line of stdout.
    func report(_ error: MediaError, asJSON: Bool) {
        say("trimctl: \(ErrorText.line(error))")
        if asJSON { json(ErrorReport(error: error)) }
    }
}

/// The JSON shape of a command that failed.
struct ErrorReport: Codable, Hashable, Sendable {
    /// What went wrong.
    var error: MediaError
}

/// An error in words.
enum ErrorText {
    /// The message, then time and track where they are known and not yet said, then the remedy.
    static func line(_ error: MediaError) -> String {
        var place: [String] = []
        if let track = error.track, !error.message.contains("track \(track)") {
            place.append("track \(track)")
        }
        // The error of a wrong time speaks of that time already.
        let isSaid = error.code == .invalidTime && error.time.map { error.message.contains("\($0)") } == true
        if let time = error.time, time.isNumeric, !isSaid { place.append("at \(Units.clock(time))") }
        let text = error.message + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))")
        return error.remedy.map { "\(text); \($0)" } ?? text
    }
}

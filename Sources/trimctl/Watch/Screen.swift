// A terminal's whole screen: the alternate one, so that what was there before comes back, and only the lines that differ are
// written, in one piece that the terminal shows at once. Whoever opens it must close it on every path. One thread.
internal import Glibc

/// The screen while a view is on it.
final class Screen {
    private var before: termios?
    private var shown: [String] = []
    private var size = (columns: 0, rows: 0)
    private var isOpen = false

    private static let input = Terminal.standardInput, output = Terminal.standardOutput
    /// The alternate screen without a cursor, and lines that are cut at the edge; and back.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    /// Between these a terminal that knows them shows nothing new.
    private static let hold = "\u{1B}[?2026h", release = "\u{1B}[?2026l"

    /// Takes the screen and the keys; again after `close` too. False: there is no terminal any more.
    func open() -> Bool {
        guard !isOpen else { return true }
        before = Terminal.takeKeys(Self.input)
        shown = []
        size = (0, 0)
        isOpen = before != nil && Terminal.write(Self.enter, to: Self.output) == 0
        return isOpen
    }

    /// Gives both back as they were.
    func close() {
        if isOpen { _ = Terminal.write(Self.leave, to: Self.output) }
        if let before { Terminal.set(before, Self.input) }
        before = nil
        isOpen = false
    }

    /// The columns and rows there are now.
    var present: (columns: Int, rows: Int) { Terminal.size(Self.output) }

    /// Shows lines; false where the terminal has gone.
    func draw(_ lines: [String]) -> Bool {
        let now = present
        var text = Screen.changes(from: now == size ? shown : nil, to: lines)
        if now != size { text = "\u{1B}[2J" + text }
        (shown, size) = (lines, now)
        guard !text.isEmpty else { return true }
        return Terminal.write(Self.hold + text + Self.release, to: Self.output) == 0
    }

    /// What to write where some lines stand (nil: nothing) and others shall.
    static func changes(from old: [String]?, to new: [String]) -> String {
        let old = old ?? []
        return (0..<max(old.count, new.count)).reduce(into: "") { text, row in
            let line = row < new.count ? new[row] : ""
            if row < old.count, old[row] == line { return }
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
    }
}

// A full-screen terminal view: uses the alternate screen, which restores the previous content, and writes only changed lines, in
// one synchronised update. The opener must close it on every path. One thread.
internal import Glibc

/// The screen while a view is shown.
final class Screen {
    private var before: termios?
    private var shown: [String] = []
    private var size = (columns: 0, rows: 0)
    private var isOpen = false

    private static let input = Terminal.standardInput, output = Terminal.standardOutput
    /// The alternate screen without a cursor and without line wrap; and back.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    /// Terminals that support these sequences show no changes between them.
    private static let hold = "\u{1B}[?2026h", release = "\u{1B}[?2026l"

    /// Enters full-screen mode and reads keys; also after `close`. False: there is no terminal any more.
    func open() -> Bool {
        guard !isOpen else { return true }
        before = Terminal.takeKeys(Self.input)
        shown = []
        size = (0, 0)
        isOpen = before != nil && Terminal.write(Self.enter, to: Self.output) == 0
        return isOpen
    }

    /// Restores both.
    func close() {
        if isOpen { _ = Terminal.write(Self.leave, to: Self.output) }
        if let before { Terminal.set(before, Self.input) }
        before = nil
        isOpen = false
    }

    /// The current columns and rows.
    var present: (columns: Int, rows: Int) { Terminal.size(Self.output) }

    /// Draws lines; false if the terminal has gone.
    func draw(_ lines: [String]) -> Bool {
        let now = present
        var text = Screen.changes(from: now == size ? shown : nil, to: lines)
        if now != size { text = "\u{1B}[2J" + text }
        (shown, size) = (lines, now)
        guard !text.isEmpty else { return true }
        return Terminal.write(Self.hold + text + Self.release, to: Self.output) == 0
    }

    /// The output that changes the old lines (nil: none) to the new ones.
    static func changes(from old: [String]?, to new: [String]) -> String {
        let old = old ?? []
        return (0..<max(old.count, new.count)).reduce(into: "") { text, row in
            let line = row < new.count ? new[row] : ""
            if row < old.count, old[row] == line { return }
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
    }
}

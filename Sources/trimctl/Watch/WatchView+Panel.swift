// The panels of the live view, over the whole screen: the details and the log of the selected job, and the keys. Pure.
internal import Media

extension WatchView {
    /// A text that is shown instead of the jobs.
    enum Panel: Hashable, Sendable {
        /// All keys.
        case keys
        /// The details of a job, and its log so far.
        case job(Int64)
    }

    /// The job whose log is shown; nil: none.
    var shownJob: Int64? {
        if case .job(let id)? = panel { return id }
        return nil
    }

    private static let keyTable = [
        ("up, down, j, k", "choose a job, or scroll"),
        ("Page Up, Page Down", "a screen at once"),
        ("Home, End, g, G", "to the first, to the last"),
        ("Enter", "the details and the log of the chosen job; back from them"),
        ("c", "cancel it, after a question"),
        ("h", "hold it: do not start it, or pause it where it is"),
        ("r, l", "release it"),
        ("R", "retry it"),
        ("?", "these keys"),
        ("q", "back, or the end of the view; Ctrl-C always ends it"),
    ]

    /// The lines of a panel, without limits of width and number.
    func text(of panel: Panel, now: Moment) -> [String] {
        switch panel {
        case .keys:
            let width = Self.keyTable.map(\.0.count).max() ?? 0
            return ["Keys", ""] + Self.keyTable.map { "  \($0.0.padded(to: width))  \($0.1)" }
        case .job(let id):
            guard let job = jobs.first(where: { $0.id == id }) else { return ["job \(id) is gone"] }
            var lines = JobText(now: now).page(job).split(separator: "\n").map(String.init)
            lines += ["", log.isEmpty ? "no log yet" : "log"]
            return lines + log.map { "  \($0)" }
        }
    }

    /// The lines of a screen that shows a panel.
    func frame(of panel: Panel, _ painter: Painter, rows: Int, now: Moment) -> [String] {
        let text = text(of: panel, now: now)
        var lines = text.dropFirst(min(scroll, max(0, text.count - (rows - 1)))).prefix(max(0, rows - 1))
            .map { painter.line($0, .plain) }
        while lines.count < rows - 1 { lines.append("") }
        let rest = "up/down scroll  Enter back  q back"
        return Array((lines + [painter.line(note ?? rest, note == nil ? .dim : .strong)]).prefix(rows))
    }
}

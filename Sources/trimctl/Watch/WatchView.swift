// The state of the live view: jobs, their progress, the selection, and the last message. A pure value: events and keys go in,
// actions and lines come out (WatchView+Frame). It performs no I/O and reads no clock.
internal import Media
internal import MediaTime
internal import Text
internal import Wire

/// The state of the live view.
struct WatchView {
    /// The action of a key.
    enum Action: Hashable, Sendable {
        /// Ends the view.
        case quit
        /// A request to the daemon about a job.
        case order(Method, Int64)
    }

    /// The jobs watched; nil: all.
    let ids: [Int64]?
    /// The jobs in display order: running, waiting, held, ended.
    private(set) var jobs: [JobReport] = []
    /// The progress of running jobs.
    private(set) var progress: [Int64: ProgressState] = [:]
    /// The selected job.
    private(set) var chosen: Int64?
    /// The index of the first job shown.
    private(set) var top = 0
    /// The last message, shown until the next key.
    var note: String?
    /// The daemon does not answer.
    var isLost = false
    /// Shown instead of the jobs; nil: the jobs.
    private(set) var panel: Panel?
    /// The first line of the panel that is shown.
    private(set) var scroll = 0
    /// The log of the job whose details are shown, in lines; set by the caller that reads it.
    var log: [String] = []
    /// The job whose cancellation is asked about.
    private var asked: Int64?
    /// The number of jobs that fit on the screen; set by the caller that draws.
    private(set) var page = 10

    /// Maximum number of ended jobs kept.
    private static let history = 500

    /// A view of some jobs, or of all.
    init(_ ids: [Int64]? = nil) { self.ids = ids }

    /// All named jobs have ended.
    var isDone: Bool {
        ids.map { $0.allSatisfy { id in jobs.contains { $0.id == id && $0.status.isFinal } } } ?? false
    }

    /// Replaces all jobs, after a new connection.
    mutating func begin(_ present: [JobReport]) {
        jobs = []
        isLost = false
        for job in present { insert(job) }
        progress = progress.filter { id, _ in jobs.contains { $0.id == id && $0.status == .exporting } }
        settle()
    }

    /// Adds or updates a job.
    mutating func take(_ job: JobReport) {
        if let ids, !ids.contains(job.id) { return }
        insert(job)
        settle()
    }

    /// Updates a job's progress.
    mutating func take(_ news: JobProgress) {
        guard jobs.contains(where: { $0.id == news.id && $0.status == .exporting }) else { return }
        progress[news.id] = ProgressState(news).notBehind(progress[news.id])
    }

    private mutating func insert(_ job: JobReport) {
        jobs.removeAll { $0.id == job.id }
        // Of all jobs, those that were refused would fill the view: their command has said why.
        if ids == nil, job.wasRefused {
            progress[job.id] = nil
            return
        }
        let index = jobs.firstIndex { Self.isBefore(job, $0) } ?? jobs.endIndex
        jobs.insert(job, at: index)
        progress[job.id] = job.status == .exporting ? ProgressState(job).notBehind(progress[job.id]) : nil
        // Named jobs are never removed: the view ends when all have ended.
        if ids == nil, jobs.count(where: \.status.isFinal) > Self.history { jobs.removeLast() }
    }

    private static func isBefore(_ one: JobReport, _ other: JobReport) -> Bool {
        let (own, theirs) = (rank(one), rank(other))
        if own != theirs { return own < theirs }
        if one.status.isFinal {
            let (own, theirs) = (one.ended?.milliseconds ?? 0, other.ended?.milliseconds ?? 0)
            return own != theirs ? own > theirs : one.id > other.id
        }
        return one.id < other.id
    }

    private static func rank(_ job: JobReport) -> Int {
        switch job.status {
        case .exporting: 0
        case .waiting: 1
        case .held: 2
        case .completed, .failed, .cancelled: 3
        }
    }

    /// Sets the number of jobs that fit on the screen.
    mutating func fit(_ page: Int) {
        self.page = max(page, 1)
        settle()
    }

    /// Keeps a job selected where there is one, and scrolls it into view.
    private mutating func settle() {
        if !jobs.contains(where: { $0.id == chosen }) { chosen = jobs.first?.id }
        guard let index = jobs.firstIndex(where: { $0.id == chosen }) else { return top = 0 }
        top = min(max(top, index - page + 1), index, max(0, jobs.count - page))
    }

    /// Handles a key.
    mutating func press(_ key: Key) -> Action? {
        note = nil
        if let asked {
            self.asked = nil
            guard key == .letter("y") || key == .letter("Y") else {
                note = "job \(asked) is not cancelled"
                return nil
            }
            // It may have ended meanwhile.
            return order(.jobCancel, "cancelled", asked) { !$0.isFinal }
        }
        if panel != nil, scrolls(key) { return nil }
        switch key {
        case .enter: open(chosen.map(Panel.job))
        case .letter("?"): open(.keys)
        case .up, .letter("k"): choose(-1)
        case .down, .letter("j"): choose(1)
        case .pageUp: choose(-page)
        case .pageDown: choose(page)
        case .first, .letter("g"): choose(-jobs.count)
        case .last, .letter("G"): choose(jobs.count)
        case .letter("q"), .letter("Q"): return .quit
        case .letter("c"):
            guard case .order(_, let id)? = order(.jobCancel, "cancelled", nil, { !$0.isFinal }) else {
                break
            }
            asked = id
            note = "cancel job \(id)? y cancels it, any other key does not"
        case .letter("h"): return order(.jobHold, "held") { $0 == .waiting || $0 == .exporting }
        case .letter("l"), .letter("r"): return order(.jobRelease, "released") { !$0.isFinal }
        case .letter("R"): return order(.jobRetry, "tried again") { $0 == .failed || $0 == .cancelled }
        case .letter: break
        }
        return nil
    }

    private mutating func choose(_ step: Int) {
        guard let index = jobs.firstIndex(where: { $0.id == chosen }) else { return }
        chosen = jobs[min(max(index + step, 0), jobs.count - 1)].id
        settle()
    }

    private mutating func open(_ panel: Panel?) { (self.panel, scroll, log) = (panel, 0, []) }

    /// Handles a key of a panel; false if it is none.
    private mutating func scrolls(_ key: Key) -> Bool {
        switch key {
        case .enter, .letter("q"), .letter("Q"), .letter("?"): open(nil)
        case .up, .letter("k"): scroll = max(0, scroll - 1)
        case .down, .letter("j"): scroll += 1
        case .pageUp: scroll = max(0, scroll - page)
        case .pageDown: scroll += page
        case .first, .letter("g"): scroll = 0
        case .last, .letter("G"): scroll = .max / 2
        case .letter: return false
        }
        // No further than to the last line.
        let lines = panel.map { text(of: $0, now: Moment(milliseconds: 0)).count } ?? 0
        scroll = min(scroll, max(0, lines - 1))
        return true
    }

    private mutating func order(
        _ method: Method, _ word: String, _ id: Int64? = nil, _ suits: (JobStatus) -> Bool
    ) -> Action? {
        guard let job = jobs.first(where: { $0.id == id ?? chosen }) else { return nil }
        guard !isLost else {
            note = "trimd does not answer; nothing can be asked of it now"
            return nil
        }
        guard suits(job.status) else {
            note = "job \(job.id) is \(job.status.rawValue), and cannot be \(word)"
            return nil
        }
        return .order(method, job.id)
    }
}

// Renders the live view as screen lines. A narrow screen drops columns, the least important first; a low one drops the details of
// the selected job. Colours only repeat information in the text. Pure.
extension WatchView {
    /// The screen's capabilities.
    struct Style: Hashable, Sendable {
        /// Non-ASCII characters.
        var isUnicode: Bool
        /// Colours.
        var isColored: Bool
    }

    /// Lines for details of the selected job on a high screen.
    private static let details = 3
    /// Minimum width of a name in columns.
    private static let leastName = 16

    /// Number of jobs that fit on a screen with this many rows.
    static func page(rows: Int) -> Int { max(1, rows - 3 - (rows >= 12 ? details : 0)) }

    /// The lines of a screen, each at most `columns` wide; never more than `rows`.
    func frame(columns: Int, rows: Int, now: Moment, style: Style) -> [String] {
        let painter = Painter(style: style, width: columns)
        if let panel { return frame(of: panel, painter, rows: rows, now: now) }
        var lines = [painter.line(summary, isLost ? .bad : .strong), painter.line(heads(columns), .dim)]
        for job in jobs.dropFirst(top).prefix(Self.page(rows: rows)) {
            let isChosen = job.id == chosen
            let text = row(job, columns, style, now)
            lines.append(
                painter.line((isChosen ? "> " : "  ") + text, isChosen ? .chosen : Self.tone(job.status)))
        }
        while lines.count < rows - 1 - (rows >= 12 ? Self.details : 0) { lines.append("") }
        if rows >= 12 { lines += details(now).map { painter.line("  " + $0, .plain) } }
        lines.append(painter.line(note ?? Self.keys(columns), note == nil ? .dim : .strong))
        return Array(lines.prefix(rows))
    }

    private static func keys(_ columns: Int) -> String {
        columns >= 60
            ? "up/down choose  Enter details  c cancel  ? keys  q quit"
            : "Enter details  ? keys  q quit"
    }

    /// The number of jobs of each kind.
    private var summary: String {
        if isLost { return "trimd does not answer; trying again" }
        guard !jobs.isEmpty else { return "no jobs yet" }
        let order: [JobStatus] = [.exporting, .waiting, .held, .completed, .failed, .cancelled]
        let counts = order.compactMap { status in
            let count = jobs.count { $0.status == status }
            return count > 0 ? "\(count) \(status.rawValue)" : nil
        }
        let speeds = progress.values.compactMap(\.speed)
        let speed = speeds.isEmpty ? "" : "  \(Units.speed(speeds.reduce(0, +)))"
        let draining = jobs.contains { $0.draining == true } ? "  (trimd is draining: no job is started)" : ""
        return counts.joined(separator: ", ") + speed + draining
    }

    // MARK: Columns

    /// The widths of the columns; nil: left out.
    private struct Widths {
        var id = 4, status = 9, bar: Int? = 14, left: Int? = 12, speed: Int? = 5, preset: Int? = 12
        var name = 0

        /// Assigns the available width.
        init(_ columns: Int, id: Int, leastName: Int) {
            self.id = id
            for step in 0..<5 {
                if step == 1 { preset = nil }
                if step == 2 { speed = nil }
                if step == 3 { bar = nil }
                if step == 4 { left = nil }
                name = columns - used
                if name >= leastName { return }
            }
            name = max(name, 0)
        }

        /// Width used by the visible columns and their gaps.
        private var used: Int {
            let others = [bar, left, speed, preset].compactMap(\.self)
            return 2 + id + 2 + status + 2 + 5 + 2 + others.reduce(0) { $0 + $1 + 2 }
        }

        /// From the bar to the time left.
        var middle: Int { 5 + [bar, speed, left].compactMap(\.self).reduce(0) { $0 + $1 + 2 } }
    }

    private func widths(_ columns: Int) -> Widths {
        Widths(columns, id: max(2, jobs.map { "\($0.id)".count }.max() ?? 2), leastName: Self.leastName)
    }

    private func heads(_ columns: Int) -> String {
        let widths = widths(columns)
        var cells = [
            "ID".aligned(to: widths.id), "STATUS".padded(to: widths.status),
            "PROGRESS".padded(to: widths.middle),
        ]
        if let preset = widths.preset { cells.append("PRESET".padded(to: preset)) }
        return "  " + (cells + ["OUTPUT"]).joined(separator: "  ")
    }

    private func row(_ job: JobReport, _ columns: Int, _ style: Style, _ now: Moment) -> String {
        let widths = widths(columns)
        let state = progress[job.id]
        var cells = [
            "\(job.id)".aligned(to: widths.id),
            (state?.word ?? job.status.rawValue).padded(to: widths.status),
        ]
        cells.append(
            middle(job, state, widths, style, now).filling(widths.middle, isUnicode: style.isUnicode))
        if let preset = widths.preset { cells.append(job.preset.filling(preset, isUnicode: style.isUnicode)) }
        let name = job.output.pathNames.last ?? job.output
        cells.append(name.filling(widths.name, isUnicode: style.isUnicode))
        return cells.joined(separator: "  ")
    }

    /// The progress of a running job; the outcome of an ended one.
    private func middle(
        _ job: JobReport, _ state: ProgressState?, _ widths: Widths, _ style: Style, _ now: Moment
    ) -> String {
        guard let state else {
            switch job.status {
            case .completed:
                let text = JobText(now: now).taken(job).map { " in \($0)" } ?? ""
                return (job.bytes.map(Units.size) ?? "") + text
            case .failed: return job.error?.message ?? ""
            case .waiting:
                if job.error != nil { return WaitingText.status(job) }
                return job.attempts > 0 ? "after attempt \(job.attempts)" : Units.age(job.created, now: now)
            case .held, .cancelled, .exporting: return ""
            }
        }
        var cells: [String] = []
        if let bar = widths.bar {
            let line = ProgressLine(isUnicode: style.isUnicode, isColored: false)
            cells.append(line.drawn(state.fraction, bar - 2))
        }
        cells.append("\(Units.percent(state.fraction)) %".aligned(to: 5))
        if let speed = widths.speed { cells.append((state.speed.map(Units.speed) ?? "").aligned(to: speed)) }
        if let left = widths.left {
            cells.append((state.remaining.map { Units.remaining($0) } ?? "").aligned(to: left))
        }
        return cells.joined(separator: "  ")
    }

    /// Further details of the selected job.
    private func details(_ now: Moment) -> [String] {
        guard let job = jobs.first(where: { $0.id == chosen }) else { return ["", "", ""] }
        let range = (job.actual ?? job.requested).map { "  \(Units.span($0))" } ?? ""
        let error = job.error.map(ErrorText.line)
        let warning = job.warnings.first.map { "warning: \($0.message)" }
        return ["from \(job.input)\(range)", "to   \(job.output)", error ?? warning ?? ""]
    }

    private static func tone(_ status: JobStatus) -> Painter.Tone {
        switch status {
        case .exporting, .waiting: .plain
        case .held: .warning
        case .completed: .good
        case .failed: .bad
        case .cancelled: .dim
        }
    }
}

/// Formats a line to an exact width, with a colour where supported.
struct Painter {
    /// The style of a line.
    enum Tone: String {
        case plain = "", strong = "1", dim = "2", chosen = "7", good = "32", bad = "31", warning = "33"
    }

    let style: WatchView.Style
    let width: Int

    /// A line; without trailing spaces if there are no colours.
    func line(_ text: String, _ tone: Tone) -> String {
        let text = text.filling(width, isUnicode: style.isUnicode)
        guard style.isColored, tone != .plain else { return text.trimmingEnd }
        return "\u{1B}[\(tone.rawValue)m\(tone == .chosen ? text : text.trimmingEnd)\u{1B}[0m"
    }
}

// The panels of the live view, over the whole screen: the details and the log of the selected job, and the keys. Pure.
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

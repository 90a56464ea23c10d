// Renders the live view as screen lines. A narrow screen drops columns, the least important first; a low one drops the details of
// the selected job. Colours only repeat information in the text. Pure.
internal import Media
internal import MediaTime
internal import Text

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

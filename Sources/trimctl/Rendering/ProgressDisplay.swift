// Shows the progress of one or several jobs while a command waits: decides when a line is due, and keeps the terminal clean. Bars
// and plain lines go to stderr, JSON lines to stdout. It does not wait or read the clock itself.
internal import Media
internal import Wire

/// The progress format.
enum ProgressStyle: String, Hashable, Sendable, CaseIterable {
    case auto, bar, plain, json, none
}

/// Shows the progress of jobs as it arrives.
final class ProgressDisplay {
    private let console: Console
    private let style: ProgressStyle
    private let line: ProgressLine
    /// Lines name their job, since there are several.
    private let namesJobs: Bool
    /// The names of the jobs in such lines; otherwise their IDs.
    var names: [Int64: String] = [:]
    private var states: [Int64: ProgressState] = [:]
    private var shown: [Int64: (word: String, step: Int, at: Double)] = [:]
    private var isBarDrawn = false
    private var reasons: [Int64: String] = [:]

    /// Seconds after which a plain line is due despite little progress, and the percentage step after which one is due.
    private static let interval = 5.0, step = 10

    /// Creates a display with a style; `auto` is a bar on a terminal that supports it, otherwise plain lines.
    init(_ style: ProgressStyle, console: Console, jobs: Int) {
        self.console = console
        namesJobs = jobs > 1
        let canDraw = console.canDraw && jobs == 1
        self.style = style == .auto ? (canDraw ? .bar : .plain) : style
        line = ProgressLine(isUnicode: console.isUnicode, isColored: console.isColored)
    }

    /// Shows a progress notification at a given time (seconds of any clock).
    func show(_ progress: JobProgress, at now: Double) {
        if style == .json {
            console.json(progress)
        } else {
            show(ProgressState(progress), at: now)
        }
    }

    /// Shows a job's state; skips ended jobs, whose result is printed instead.
    func show(_ job: JobReport, at now: Double) {
        guard style != .json, !job.status.isFinal else { return }
        showReason(job, at: now)
        show(ProgressState(job), at: now)
    }

    /// Prints why a job waits, once per reason.
    private func showReason(_ job: JobReport, at now: Double) {
        guard style != .none, let reason = WaitingText.reason(job, now: .now) else { return }
        // The remaining time differs on each call.
        let key = (job.retry ?? job.notBefore).map { "\($0)" } ?? reason
        guard reasons.updateValue(key, forKey: job.id) != key else { return }
        say(prefix(job.id) + reason)
        let state = ProgressState(job)
        if job.status == .waiting {
            shown[job.id] = (state.word, Units.percent(state.fraction) / Self.step, now)
        }
    }

    private func show(_ new: ProgressState, at now: Double) {
        let state = new.notBehind(states[new.id])
        states[state.id] = state
        switch style {
        case .bar:
            // One line is rewritten; for several jobs it shows the latest one that progressed.
            let text = (namesJobs ? "job \(state.id)  " : "")
            let columns = max(console.width - 1, 1)
            console.draw("\r" + text + line.bar(state, width: columns - text.count) + "\u{1B}[K")
            isBarDrawn = true
        case .plain:
            let step = Units.percent(state.fraction) / Self.step
            if let last = shown[state.id], last.word == state.word, last.step == step,
                now - last.at < Self.interval
            {
                return
            }
            if let last = shown[state.id], last.word == state.word, state.status != .exporting { return }
            shown[state.id] = (state.word, step, now)
            console.say(prefix(state.id) + line.words(state))
        case .json, .none, .auto: break
        }
    }

    private func prefix(_ id: Int64) -> String { namesJobs ? (names[id] ?? "job \(id)") + ": " : "" }

    /// Prints a line without corrupting the bar.
    func say(_ text: String) {
        clear()
        console.say(text)
    }

    /// Removes the bar; the next output begins on an empty line.
    func clear() {
        if isBarDrawn { console.draw("\r\u{1B}[K") }
        isBarDrawn = false
    }
}

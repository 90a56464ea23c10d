// Shows a whole batch: how many exports are done, which are running, the time left. On a terminal it redraws a few lines,
// elsewhere it prints a line per finished export. It does not wait or read the clock itself.
internal import Media
internal import Wire

/// Shows a batch.
final class BatchDisplay {
    private let console: Console
    private let style: ProgressStyle
    private let line: ProgressLine
    private let total: Int
    private var done = 0, failed = 0
    /// Seconds of media: the total, and the usual length of an export.
    private let allWork: Double, usualWork: Double
    private var endedWork = 0.0
    private var works: [Int64: (work: Double, name: String)] = [:]
    private var running: [Int64: ProgressState] = [:]
    private var began: Double?
    private var estimatedTime = SteadyEstimate()
    private var drawnLines = 0
    private var drawnAt = -1.0
    private let printsPaths: Bool
    /// The last reported retry times of waiting jobs.
    private var reasons: [Int64: Moment?] = [:]

    /// Maximum number of running exports shown, and seconds between two updates.
    private static let mostLines = 6, interval = 0.1

    init(_ style: ProgressStyle, console: Console, items: [BatchItem], printsPaths: Bool) {
        self.console = console
        self.printsPaths = printsPaths
        self.style = style == .auto ? (console.canDraw ? .bar : .plain) : style
        line = ProgressLine(isUnicode: console.isUnicode, isColored: console.isColored)
        total = items.count
        let lengths = items.compactMap(\.length)
        usualWork = lengths.isEmpty ? 1 : max(lengths.reduce(0, +) / Double(lengths.count), 0.001)
        let usual = usualWork
        allWork = items.filter { $0.outcome == .waiting }.reduce(0) { $0 + ($1.length ?? usual) }
        done = items.count { $0.outcome != .waiting }
    }

    /// Updates a job's state.
    func show(_ job: JobReport, at now: Double) {
        began = began ?? now
        if works[job.id] == nil { works[job.id] = (usualWork, BatchNames.last(job.output)) }
        if style != .json, style != .none, let reason = WaitingText.reason(job, now: .now),
            reasons.updateValue(job.retry, forKey: job.id) != .some(job.retry)
        {
            say("trimctl: \(BatchNames.last(job.output)): \(reason)")
        }
        guard job.status == .exporting else { return }
        running[job.id] = ProgressState(job).notBehind(running[job.id])
        draw(at: now)
    }

    /// Shows a progress notification.
    func show(_ progress: JobProgress, at now: Double) {
        if style == .json { return console.json(progress) }
        running[progress.id] = ProgressState(progress).notBehind(running[progress.id])
        draw(at: now)
    }

    /// Records the end of an export.
    func ended(_ item: BatchItem) {
        done += 1
        if item.outcome == .failed { failed += 1 }
        endedWork += item.length ?? usualWork
        if let id = item.job?.id { running[id] = nil }
        clear()
        if style == .json, let job = item.job { console.json(job) }
        if item.outcome == .completed, printsPaths { console.print(item.output) }
        let head = "[\(done)/\(total)] line \(item.line)"
        switch item.outcome {
        case .completed:
            let size = item.job?.bytes.map { ", \(Units.size($0))" } ?? ""
            if style == .plain { console.say("\(head): \(BatchNames.last(item.output))\(size)") }
        case .failed: console.say("trimctl: \(head): \(item.failure.map(ErrorText.line) ?? "failed")".oneLine)
        default: if style == .plain { console.say("\(head): \(item.outcome.rawValue)") }
        }
        drawnAt = -1
    }

    /// Prints a line without corrupting the drawn lines.
    func say(_ text: String) {
        clear()
        console.say(text)
    }

    /// Removes the drawn lines.
    func clear() {
        guard drawnLines > 0 else { return }
        console.draw("\r" + (drawnLines > 1 ? "\u{1B}[\(drawnLines - 1)A" : "") + "\u{1B}[J")
        drawnLines = 0
    }

    /// Overall progress, from 0 to 1.
    var fraction: Double {
        let moving = running.values.reduce(0) { $0 + $1.fraction * usualWork }
        return allWork > 0 ? min(max((endedWork + moving) / allWork, 0), 1) : 1
    }

    /// Seconds left, from the elapsed time; nil before there is an estimate.
    func remaining(at now: Double) -> Double? {
        guard let began, now - began > 1, fraction > 0.005 else { return nil }
        return (now - began) * (1 - fraction) / fraction
    }

    private func draw(at now: Double) {
        guard style == .bar, now - drawnAt >= BatchDisplay.interval else { return }
        drawnAt = now
        let columns = max(console.width - 1, 10)
        var words = "\(done) of \(total)"
        if failed > 0 { words += ", \(failed) failed" }
        var all = ProgressState(JobProgress(id: 0, Progress(fraction: fraction, phase: .exporting)))
        all.remaining = estimatedTime.take(remaining(at: now), at: now)
        let bar = line.bar(all, width: max(columns - words.count - 2, 10), showsPhase: false)
        var lines = [words + "  " + bar]
        let moving = running.sorted { $0.key < $1.key }
        for (id, state) in moving.prefix(BatchDisplay.mostLines) {
            let name = (works[id]?.name ?? "job \(id)").printable
            let speed = state.speed.map { "  " + Units.speed($0) } ?? ""
            let rest = "\(Units.percent(state.fraction)) %".aligned(to: 5) + speed
            lines.append("  " + String(name.prefix(max(columns - rest.count - 4, 4))) + "  " + rest)
        }
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n")
        let back = "\r" + (drawnLines > 1 ? "\u{1B}[\(drawnLines - 1)A" : "")
        console.draw(back + text + (lines.count < drawnLines ? "\u{1B}[J" : ""))
        drawnLines = lines.count
    }
}

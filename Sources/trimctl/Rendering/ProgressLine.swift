// One line of export progress: a bar for a terminal, plain text elsewhere. Pure text; ProgressDisplay decides when to write it.
internal import Media
internal import Wire

/// The state of a job in a progress line.
struct ProgressState: Hashable, Sendable {
    /// The job.
    var id: Int64
    /// Its status.
    var status: JobStatus
    /// From 0 to 1.
    var fraction: Double
    /// The current phase.
    var phase: ExportPhase?
    /// Seconds of media per second.
    var speed: Double?
    /// Estimated seconds until done.
    var remaining: Double?
    /// A more specific status text, if there is one.
    private var waiting: String?
    /// Whether its worker is stopped.
    private var isPaused = false

    /// From a job report.
    init(_ job: JobReport) {
        id = job.id
        status = job.status
        fraction = job.progress
        phase = job.phase
        speed = job.speed
        remaining = job.remaining
        waiting = job.status == .waiting ? WaitingText.word(job) : nil
        isPaused = job.paused == true
    }

    /// From a notification, which is sent only during export.
    init(_ progress: JobProgress) {
        id = progress.id
        status = .exporting
        fraction = progress.progress
        phase = progress.phase
        speed = progress.speed
        remaining = progress.remaining
    }

    /// The current activity in one word.
    var word: String {
        if isPaused { return "paused" }
        return status == .exporting ? (phase ?? .preparing).rawValue : waiting ?? status.rawValue
    }

    /// Never less than an earlier state of the same job: a reconnection may deliver older data than was shown.
    func notBehind(_ earlier: ProgressState?) -> ProgressState {
        guard let earlier, earlier.id == id, earlier.fraction > fraction else { return self }
        var state = self
        state.fraction = earlier.fraction
        return state
    }
}

/// Formats a line of progress.
struct ProgressLine: Hashable, Sendable {
    /// Block characters may be used.
    var isUnicode: Bool
    /// Colours may be used.
    var isColored: Bool

    private static let cells = 10...40
    private static let green = "\u{1B}[32m", plain = "\u{1B}[0m"

    /// A bar and the details that fit, in at most `width` columns: a narrow terminal loses first the speed, then the phase, the
    /// time left, and the bar. The width of the bar depends on that of the terminal alone: room is kept for what is not known yet.
    func bar(_ state: ProgressState, width: Int, showsPhase: Bool = true) -> String {
        let percent = "\(Units.percent(state.fraction)) %".aligned(to: 5)
        guard state.status == .exporting else {
            return String("\(percent)  \(state.word)".prefix(max(width, 0)))
        }
        let left = Self.cell(state.remaining.map { "\(Units.remaining($0)) left" }, Self.longestTime).padded(
            to: Self.longestTime + 2)
        let phase =
            showsPhase ? Self.cell(state.word, Self.longestPhase).padded(to: Self.longestPhase + 2) : ""
        let speed = Self.cell(
            state.speed.map { Units.speed($0).aligned(to: Self.longestSpeed) }, Self.longestSpeed
        )
        .padded(to: Self.longestSpeed + 2)
        for rest in [percent + phase + speed + left, percent + phase + left, percent + left, percent] {
            let room = width - rest.count - 3
            guard room >= Self.cells.lowerBound else { continue }
            let cells = min(room, Self.cells.upperBound)
            return (drawn(state.fraction, cells) + " " + rest).trimmingEnd
        }
        return String(percent.prefix(max(width, 0)))
    }

    /// The columns of the longest `59 min 59 s left`, of the longest phase, and of a speed.
    private static let longestTime = 16, longestPhase = 9, longestSpeed = 5

    /// A detail behind its space; nothing if it is not known, or too long.
    private static func cell(_ text: String?, _ longest: Int) -> String {
        guard let text, text.count <= longest else { return "" }
        return "  " + text
    }

    /// The bar only, with this many cells between its brackets.
    func drawn(_ fraction: Double, _ cells: Int) -> String {
        let done = Int((min(max(fraction, 0), 1) * Double(cells)).rounded(.down))
        let full = String(repeating: isUnicode ? "█" : "#", count: done)
        let rest = String(repeating: isUnicode ? "░" : "-", count: cells - done)
        return "[" + (isColored && done > 0 ? Self.green + full + Self.plain : full) + rest + "]"
    }

    /// Text only: `exporting 40 %, 2.1x, 12 s left`.
    func words(_ state: ProgressState) -> String {
        guard state.status == .exporting else { return state.word }
        let speed = state.speed.map { ", \(Units.speed($0))" } ?? ""
        let left = state.remaining.map { ", \(Units.remaining($0)) left" } ?? ""
        return "\(state.word) \(Units.percent(state.fraction)) %\(speed)\(left)"
    }
}

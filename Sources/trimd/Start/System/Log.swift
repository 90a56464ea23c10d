// Log: lines on stderr; where the journal reads that, entries with priorities, and with the job they are about (JOB=,
// USER=). A value; any thread; a line is one write, so that lines do not mix. What happens to a job goes to the job's own log (JobLogs).
internal import JobQueue
internal import Media
internal import Platform
internal import Text

/// The daemon's log.
struct Log: Sendable {
    /// How much is said; each level says what those before it say.
    enum Level: String, Codable, Hashable, Sendable, CaseIterable {
        case error, warning, info, debug

        var priority: Int {
            switch self {
            case .error: 3
            case .warning: 4
            case .info: 6
            case .debug: 7
            }
        }
    }

    let level: Level
    /// Lines begin with the journal's priority, and leave the time to it.
    let isJournal: Bool

    /// Something is wrong and needs somebody.
    func error(_ line: String, about job: Job? = nil) { write(.error, line, job) }
    /// Something is wrong and trimd goes on.
    func warning(_ line: String, about job: Job? = nil) { write(.warning, line, job) }
    /// What happens.
    func info(_ line: String, about job: Job? = nil) { write(.info, line, job) }
    /// What happens, in detail.
    func debug(_ line: String, about job: Job? = nil) { write(.debug, line, job) }

    private func write(_ level: Level, _ line: String, _ job: Job?) {
        guard level.priority <= self.level.priority else { return }
        let text = Log.printable(line)
        guard isJournal else { return Kernel.write("\(Moment.now) \(level.rawValue): \(text)\n", to: 2) }
        var fields = ["MESSAGE=\(text)", "PRIORITY=\(level.priority)", "SYSLOG_IDENTIFIER=trimd"]
        if let job { fields += ["JOB=\(job.id)", "USER=\(job.user)"] }
        if !Journal.send(fields) { Kernel.write("<\(level.priority)>\(text)\n", to: 2) }
    }

    /// A line that stays one line and sends no commands to a terminal.
    static func printable(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                PathBytes.readable(line).unicodeScalars.map { $0.isSteering ? " " : $0 }))
    }
}

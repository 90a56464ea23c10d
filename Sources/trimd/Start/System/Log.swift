// Log: writes lines to stderr; if the journal reads it, entries with priorities and the fields of their job (JOB=, USER=). A
// value; any thread; a line is one write, so that lines do not mix. Events of a job go to the job's own log (JobLogs).
internal import JobQueue
internal import Media
internal import Platform
internal import Text

/// The daemon's log.
struct Log: Sendable {
    /// The log levels; each includes those before it.
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
    /// Lines begin with the journal's priority and have no timestamp.
    let isJournal: Bool

    /// An error that needs attention.
    func error(_ line: String, about job: Job? = nil) { write(.error, line, job) }
    /// A problem that trimd can work with.
    func warning(_ line: String, about job: Job? = nil) { write(.warning, line, job) }
    /// An event.
    func info(_ line: String, about job: Job? = nil) { write(.info, line, job) }
    /// An event, in detail.
    func debug(_ line: String, about job: Job? = nil) { write(.debug, line, job) }

    private func write(_ level: Level, _ line: String, _ job: Job?) {
        guard level.priority <= self.level.priority else { return }
        let text = Log.printable(line)
        guard isJournal else { return Kernel.write("\(Moment.now) \(level.rawValue): \(text)\n", to: 2) }
        var fields = ["MESSAGE=\(text)", "PRIORITY=\(level.priority)", "SYSLOG_IDENTIFIER=trimd"]
        if let job { fields += ["JOB=\(job.id)", "USER=\(job.user)"] }
        if !Journal.send(fields) { Kernel.write("<\(level.priority)>\(text)\n", to: 2) }
    }

    /// Replaces line breaks and control characters with spaces, so that it stays one line and sends no commands to a terminal.
    static func printable(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                PathBytes.readable(line).unicodeScalars.map { $0.isSteering ? " " : $0 }))
    }
}

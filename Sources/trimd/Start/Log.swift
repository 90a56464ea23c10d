// Log: lines on stderr, with the journal's priorities where the journal reads them. A value; any thread; a
// line is one write, so that lines do not mix. What happens to a job goes to the job's own log (JobLogs).
internal import Media

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
    func error(_ line: String) { write(.error, line) }
    /// Something is wrong and trimd goes on.
    func warning(_ line: String) { write(.warning, line) }
    /// What happens.
    func info(_ line: String) { write(.info, line) }
    /// What happens, in detail.
    func debug(_ line: String) { write(.debug, line) }

    private func write(_ level: Level, _ line: String) {
        guard level.priority <= self.level.priority else { return }
        let text = Log.printable(line)
        let whole = isJournal ? "<\(level.priority)>\(text)\n" : "\(Moment.now) \(level.rawValue): \(text)\n"
        Kernel.write(whole, to: 2)
    }

    /// A line that stays one line and sends no commands to a terminal.
    static func printable(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}

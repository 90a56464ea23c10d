// Prints a job's log beside its result, for --verbose. A log that cannot be read changes nothing of the result.
internal import Media
internal import TrimClient
internal import Wire

/// The log of a job, on stderr.
struct JobLogText {
    private let console: Console

    /// Creates one that prints to a console.
    init(_ console: Console) { self.console = console }

    /// Prints the log of a job, if it is wanted.
    func print(_ job: Int64, of daemon: DaemonConnection, if isWanted: Bool) {
        guard isWanted else { return }
        do throws(MediaError) {
            let log: LogResult = try daemon.call(.jobLog, JobParams(id: job))
            for line in log.text.split(separator: "\n") { console.say(String(line)) }
        } catch { console.say("trimctl: the log of job \(job) cannot be read: \(ErrorText.line(error))") }
    }
}

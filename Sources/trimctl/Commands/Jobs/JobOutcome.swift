// Prints the end of a job, the same after `export` and `wait`: the output to stdout, the error to stderr.
internal import Media
internal import Wire

/// Prints how a job ended.
struct JobOutcome {
    private let console: Console
    /// Of a completed job only the output's path is printed.
    private let isQuiet: Bool

    /// Creates one that prints to a console.
    init(_ console: Console, isQuiet: Bool = false) {
        self.console = console
        self.isQuiet = isQuiet
    }

    /// Prints it.
    /// - Parameter name: the job's name if there are several; nil: there is one.
    func report(_ job: JobReport, asJSON: Bool, as name: String? = nil) {
        let prefix = name.map { "\($0): " } ?? ""
        switch job.status {
        case .failed:
            let error = job.error ?? MediaError(.unknown, "the job failed for an unknown reason")
            console.say("trimctl: \(prefix)\(ErrorText.line(error))")
        case .cancelled: console.say("trimctl: job \(job.id) was cancelled")
        case .completed:
            if !asJSON { console.print(isQuiet ? job.output : JobText(now: .now).result(job)) }
        case .waiting, .exporting, .held: if !asJSON { console.print(JobText(now: .now).line(job)) }
        }
        if asJSON { console.json(job) }
    }
}

// Prints the end of a job, the same after `export` and `wait`: the output to stdout, the error to stderr.
internal import Media
internal import Wire

/// Prints how a job ended.
struct JobOutcome {
    private let console: Console

    /// Creates one that prints to a console.
    init(_ console: Console) { self.console = console }

    /// Prints it; `named` if there are several jobs.
    func report(_ job: JobReport, asJSON: Bool, named: Bool) {
        let name = named ? "job \(job.id): " : ""
        switch job.status {
        case .failed:
            let error = job.error ?? MediaError(.unknown, "the job failed for an unknown reason")
            console.say("trimctl: \(name)\(ErrorText.line(error))")
        case .cancelled: console.say("trimctl: job \(job.id) was cancelled")
        case .completed: if !asJSON { console.print(JobText(now: .now).result(job)) }
        case .waiting, .exporting, .held: if !asJSON { console.print(JobText(now: .now).line(job)) }
        }
        if asJSON { console.json(job) }
    }
}

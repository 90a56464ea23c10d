// `trimctl wait`: waits until jobs have ended, and exits with the worst of their exit codes. Ctrl-C ends the wait; the jobs
// continue.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl wait`.
struct WaitCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let ids = arguments.jobs
            let display = ProgressDisplay(progressStyle, console: console, jobs: ids.count)
            let outcome = JobOutcome(console, isQuiet: arguments.has(.quiet))
            let follower = JobFollower(daemon, ids)
            var printed: Set<Int64> = []
            follower.onChange = { [asJSON] job in
                guard job.status.isFinal else { return display.show(job, at: Terminal.now) }
                guard printed.insert(job.id).inserted else { return }
                display.clear()
                outcome.report(job, asJSON: asJSON, as: ids.count > 1 ? "job \(job.id)" : nil)
            }
            follower.onProgress = { display.show($0, at: Terminal.now) }
            follower.onNotice = { display.say("trimctl: \($0)") }
            follower.onInterrupt = { _ in .stop }
            defer { display.clear() }
            guard try follower.run() else {
                throw MediaError(
                    .operationCancelled, "not waiting any longer; the jobs go on",
                    remedy: "`trimctl cancel \(ids.map(String.init).joined(separator: " "))` cancels them")
            }
            return follower.jobs.values.map(\.exitCode).max() ?? 0
        }
    }
}

extension CommandTable {
    static let wait = CommandEntry(
        "wait", WaitCommand.self, synopsis: ["ID… [--progress HOW] [--quiet] [--json]"],
        abstract: "Wait until jobs have ended, and say how",
        discussion: [
            "Ends with the exit code that an export of the job would have; of several jobs, with the highest.",
            "Ctrl-C stops waiting (exit code 4); the jobs go on.",
        ],
        positionals: [jobs], options: [.progress, .quiet, .json, .socket], exclusive: [[.quiet, .json]],
        examples: [Example("trimctl wait 5 6", "the results of both")],
        exitCodes: exitCodes,
        concerns: { !$0.status.isFinal })
}

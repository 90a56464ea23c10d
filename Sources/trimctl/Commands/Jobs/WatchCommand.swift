// `trimctl watch`: prints a line for each change and for progress, until all named jobs have ended, or without end. It changes
// nothing: Ctrl-C ends the command only. On a terminal it is a live view, LiveWatch.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// `trimctl watch`.
struct WatchCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let ids = arguments.jobs.isEmpty ? nil : arguments.jobs
            if console.canShow, !asJSON, !arguments.has(.plain) {
                return try LiveWatch(daemon, ids, surroundings).run()
            }
            let follower = JobFollower(daemon, ids, interval: asJSON ? nil : Time(seconds: 1))
            let lines = Lines(console, asJSON: asJSON)
            follower.onChange = { job in
                // When watching all jobs, skip those that had already ended: `trimctl list` shows them.
                if ids == nil, job.status.isFinal, !lines.knows(job.id) { return }
                lines.show(job)
            }
            follower.onProgress = lines.show
            follower.onNotice = { [console] in console.say("trimctl: \($0)") }
            follower.onInterrupt = { _ in .stop }
            follower.isAbandoned = { [console] in console.isAbandoned }
            _ = try follower.run()
            return 0
        }
    }

    /// Prints lines without repeating any.
    private final class Lines {
        private let console: Console
        private let asJSON: Bool
        private let text = ProgressLine(isUnicode: false, isColored: false)
        private var last: [Int64: String] = [:]

        func knows(_ id: Int64) -> Bool { last[id] != nil }

        init(_ console: Console, asJSON: Bool) {
            self.console = console
            self.asJSON = asJSON
        }

        func show(_ job: JobReport) {
            guard asJSON else { return print(JobText(now: .now).line(job), of: job.id) }
            last[job.id] = job.status.rawValue
            console.json(job)
        }

        func show(_ progress: JobProgress) {
            if asJSON { return console.json(progress) }
            print("job \(progress.id): \(text.words(ProgressState(progress)))", of: progress.id)
        }

        private func print(_ line: String, of id: Int64) {
            if last.updateValue(line, forKey: id) != line { console.print(line) }
        }
    }
}

extension CommandTable {
    static let watch = CommandEntry(
        "watch", WatchCommand.self, synopsis: ["[ID…] [--plain] [--json]"],
        abstract: "Show changes and progress of jobs as they happen",
        discussion: [
            "Ends when all jobs that were named have ended; without any, it goes on until Ctrl-C.",
            "On a terminal it is a live view of all jobs. Keys: up, down, j and k choose a job; Enter shows its details and its "
                + "log; c cancels it, after a question, h holds it, l or r releases it, R retries it; ? shows all keys; q ends "
                + "the view. Elsewhere it is a line for each change.",
        ],
        positionals: [Positional("ID", .job, "The jobs to watch", minimum: 0, isRepeatable: true)],
        options: [.plain, .json, .socket], exclusive: [[.plain, .json]],
        examples: [
            Example("trimctl watch", "all jobs, those submitted later too"),
            Example("trimctl watch 5 6 --json", "two jobs, as JSON lines"),
        ],
        exitCodes: codes(0, 1, 2, 5, 7),
        concerns: { !$0.status.isFinal })
}

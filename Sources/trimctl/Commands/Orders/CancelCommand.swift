// `trimctl cancel`: asks the daemon to cancel jobs, and waits until they have ended. A job that had already ended keeps its
// status, without an error.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl cancel`.
struct CancelCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            var accepted: [Int64] = []
            let worst = try JobSelection(.cancel, arguments).each(daemon, console, asJSON: asJSON) {
                id throws(MediaError) in
                let job: JobReport = try daemon.commit(.jobCancel, JobParams(id: id))
                if job.status.isFinal { show(job) } else { accepted.append(id) }
            }
            guard !accepted.isEmpty else { return worst }
            let follower = JobFollower(daemon, accepted)
            follower.onChange = { if $0.status.isFinal { show($0) } }
            follower.onNotice = { [console] in console.say("trimctl: \($0)") }
            guard try follower.run() else {
                throw MediaError(
                    .operationCancelled, "not waiting any longer; the jobs go on being cancelled")
            }
            return worst
        }
    }

    private func show(_ job: JobReport) {
        if asJSON { return console.json(job) }
        console.print(
            job.status == .cancelled
                ? JobText(now: .now).line(job) : "job \(job.id) had already finished")
    }
}

extension CommandTable {
    static let cancel = CommandEntry(
        "cancel", CancelCommand.self, synopsis: ["ID… [--json]", "--all [--json]"],
        abstract: "Cancel jobs, and wait until they are",
        discussion: [
            "A job that has ended already stays what it is.",
            selection("those that wait, are held or are exporting"),
        ],
        positionals: [ordered(.all)], options: [.all, .json, .socket], exclusive: [],
        examples: [
            Example("trimctl cancel 5", "nothing of its output stays behind"),
            Example("trimctl cancel 3-7 9", "those of jobs 3 to 7 that have not ended, and job 9"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 7),
        concerns: { !$0.status.isFinal })
}

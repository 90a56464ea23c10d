// `trimctl cancel`: asks the daemon to cancel jobs, and waits until they have ended. A job that had already ended keeps its
// status, without an error.
internal import Media
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
            var worst: Int32 = 0
            var accepted: [Int64] = []
            for id in arguments.jobs {
                do throws(MediaError) {
                    let _: JobReport = try daemon.commit(.jobCancel, JobParams(id: id))
                    accepted.append(id)
                } catch {
                    // The other jobs are still cancelled.
                    guard error.code != .noDaemon else { throw error }
                    console.report(error, asJSON: asJSON)
                    worst = max(worst, error.code.exitCode)
                }
            }
            guard !accepted.isEmpty else { return worst }
            let follower = JobFollower(daemon, accepted)
            follower.onChange = { [console, asJSON] job in
                guard job.status.isFinal else { return }
                if asJSON { return console.json(job) }
                console.print(
                    job.status == .cancelled
                        ? JobText(now: .now).line(job) : "job \(job.id) had already finished")
            }
            follower.onNotice = { [console] in console.say("trimctl: \($0)") }
            guard try follower.run() else {
                throw MediaError(
                    .operationCancelled, "not waiting any longer; the jobs go on being cancelled")
            }
            return worst
        }
    }
}

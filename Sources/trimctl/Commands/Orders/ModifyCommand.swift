// `trimctl modify`: changes how jobs are queued, one call per job. It reports a job that refuses, and continues with the others.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl modify`.
struct ModifyCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        guard let priority = arguments.number(.priority).map({ Int($0) }) else {
            throw UsageError.of(
                "nothing is named that is to be changed",
                remedy: "for example: trimctl modify 5 --priority 80")
        }
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            var worst: Int32 = 0
            for id in arguments.jobs {
                do throws(MediaError) {
                    let job: JobReport = try daemon.commit(
                        .jobModify, ModifyParams(id: id, priority: priority))
                    if asJSON {
                        console.json(job)
                    } else {
                        console.print("job \(id): priority \(job.priority)")
                    }
                } catch {
                    guard error.code != .noDaemon else { throw error }
                    console.report(error, asJSON: asJSON)
                    worst = max(worst, error.code.exitCode)
                }
            }
            return worst
        }
    }
}

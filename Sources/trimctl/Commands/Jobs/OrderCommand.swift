// `trimctl retry`, `hold`, `release` and `remove`: sends one call per named job. It reports a job that refuses, and continues
// with the others.
internal import Media
internal import Wire

/// `trimctl retry`, `hold`, `release`, `remove`.
struct OrderCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    private var method: Method {
        switch arguments.verb {
        case .hold: .jobHold
        case .release: .jobRelease
        case .remove: .jobRemove
        default: .jobRetry
        }
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            var worst: Int32 = 0
            for id in arguments.jobs {
                do throws(MediaError) {
                    let job = try OpenedFiles.order(method, id, to: daemon)
                    if asJSON {
                        console.json(job)
                    } else {
                        console.print(
                            method == .jobRemove ? "job \(id): removed" : JobText(now: .now).line(job))
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

// `trimctl retry`, `hold`, `release` and `remove`: sends one call per job. It reports a job that refuses, and continues with the
// others.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl retry`, `hold`, `release`, `remove`.
struct OrderCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let order = JobOrder(arguments.verb) ?? .retry
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            try JobSelection(order, arguments).each(daemon, console, asJSON: asJSON) {
                id throws(MediaError) in
                let job = try OpenedFiles.order(order.method, id, to: daemon)
                if asJSON { return console.json(job) }
                console.print(order == .remove ? "job \(id): removed" : JobText(now: .now).line(job))
            }
        }
    }
}

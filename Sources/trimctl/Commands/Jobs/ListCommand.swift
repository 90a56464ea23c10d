// `trimctl list`: the user's jobs, newest first. It requests long lists in pages, since a response is one line of bounded
// length.
internal import Media
internal import Wire

/// `trimctl list`.
struct ListCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    private static let page = 100

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let limit = arguments.number(.limit).map { Int($0) } ?? 100
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            var jobs: [JobReport] = []
            var after = arguments.number(.after)
            while jobs.count < limit {
                let wanted = min(Self.page, limit - jobs.count)
                let next: [JobReport] = try daemon.call(.jobList, ListParams(limit: wanted, after: after))
                jobs += next
                after = next.last?.id
                // A page may be shorter than requested, since a line has a limit. Only an empty page is the end.
                if next.isEmpty { break }
            }
            if asJSON {
                console.json(jobs)
            } else {
                console.print(JobText(now: .now).table(jobs, width: console.outputWidth))
            }
            return 0
        }
    }
}

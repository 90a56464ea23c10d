// `trimctl list`: the user's jobs, newest first. It requests long lists in pages, since a response is one line of bounded
// length.
internal import Media
internal import Platform
internal import TrimClient
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
        var params = ListParams()
        let statuses = arguments.all(.status).compactMap(JobStatus.init(rawValue:))
        if !statuses.isEmpty { params.statuses = statuses }
        params.user = try arguments.given(.user).map(Self.user)
        (params.since, params.after) = (arguments.moment(.since), arguments.number(.after))
        // A script gets all; people find what ran, unless they ask for what failed.
        let showsRefused = asJSON || statuses.contains(.failed)
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            var jobs: [JobReport] = []
            var refused = 0
            while jobs.count < limit {
                params.limit = min(Self.page, limit - jobs.count)
                let next: [JobReport] = try daemon.call(.jobList, params)
                let shown = next.filter { showsRefused || !$0.wasRefused }
                jobs += shown
                refused += next.count - shown.count
                params.after = next.last?.id
                // A page may be shorter than requested, since a line has a limit. Only an empty page is the end.
                if next.isEmpty { break }
            }
            if asJSON {
                console.json(jobs)
            } else {
                console.print(JobText(now: .now).table(jobs, width: console.outputWidth))
                if refused > 0 {
                    console.say(
                        "trimctl: \(Units.count(refused, "job")) refused before anything was made: --status failed shows them"
                    )
                }
            }
            return 0
        }
    }

    /// A user by number or by name.
    private static func user(_ word: String) throws(MediaError) -> UInt32 {
        guard let id = UInt32(word) ?? UserNames.id(of: word) else {
            throw UsageError.of("--user: there is no user '\(word)'", remedy: "write a name, or a number")
        }
        return id
    }
}

extension CommandTable {
    static let list = CommandEntry(
        "list", ListCommand.self,
        synopsis: ["[--status STATUS]… [--user USER] [--since T] [--limit N] [--after ID] [--json]"],
        abstract: "List your jobs, the newest first",
        discussion: [
            "Root and the user that trimd runs as see the jobs of all users, everybody else their own."
        ],
        positionals: [], options: [.status, .user, .since, .limit, .after, .json, .socket], exclusive: [],
        examples: [
            Example("trimctl list --status failed --since 1d", "those of the last day that failed"),
            Example("trimctl list --limit 10", "the last ten"),
            Example("trimctl list --limit 10 --after 42", "the ten before job 42"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5))
}

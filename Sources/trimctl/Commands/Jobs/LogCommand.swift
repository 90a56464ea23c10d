// `trimctl log`: prints a job's log from the daemon; with --follow, what is added to it, until the job has ended. It changes
// nothing: Ctrl-C ends it.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl log`.
struct LogCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    /// Milliseconds between two looks at a log that is followed.
    private static let interval: Int32 = 250
    /// Looks at the log of a job that has ended: its last line is written just after its end is recorded.
    private static let looksAfterEnd = 3

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            for id in arguments.jobs {
                if arguments.has(.follow) {
                    try follow(id, daemon)
                } else {
                    show(try daemon.call(.jobLog, LogParams(id: id)))
                }
            }
            return 0
        }
    }

    private func show(_ log: LogResult) {
        if asJSON { return console.json(log) }
        if !log.text.isEmpty { console.print(log.text) }
    }

    private func follow(_ id: Int64, _ daemon: DaemonConnection) throws(MediaError) {
        var params = LogParams(id: id)
        var looks = 0
        while looks < Self.looksAfterEnd, !console.isAbandoned {
            do throws(MediaError) {
                let job: JobReport = try daemon.call(.jobGet, JobParams(id: id))
                let log: LogResult = try daemon.call(.jobLog, params)
                if !log.text.isEmpty { show(log) }
                looks = job.status.isFinal && log.text.isEmpty ? looks + 1 : 0
                guard let next = log.next else {
                    throw MediaError(
                        .operationNotSupported, "this trimd cannot say what is added to a log",
                        remedy: "install trimd and trimctl from one release")
                }
                params.from = next
            } catch {
                if error.code == .operationCancelled { return }
                guard error.code == .noDaemon else { throw error }
                guard try daemon.reconnect({ console.say("trimctl: \($0)") }) else { return }
            }
            if !daemon.pause(milliseconds: Self.interval) { return }
        }
    }
}

extension CommandTable {
    static let log = CommandEntry(
        "log", LogCommand.self, synopsis: ["ID [-f] [--json]"],
        abstract: "Print a job's log",
        discussion: ["With -f it goes on with what is added, until the job has ended, or until Ctrl-C."],
        positionals: [job], options: [.follow, .json, .socket], exclusive: [],
        examples: [
            Example("trimctl log 5", "what the worker said"),
            Example("trimctl log -f 5", "what it says, until the job has ended"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 7))
}

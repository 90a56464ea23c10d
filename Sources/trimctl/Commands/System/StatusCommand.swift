// `trimctl status`: the daemon's version, process, queue and disk.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl status`.
struct StatusCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let status: StatusResult = try daemon.call(.serverStatus)
            if asJSON { console.json(status) } else { console.print(StatusCommand.page(status, now: .now)) }
            return 0
        }
    }

    /// The sandbox state of the workers.
    private static func sandbox(_ status: SandboxStatus) -> String {
        let landlock = status.landlock.map { "Landlock \($0)" } ?? "no Landlock"
        let means = "\(landlock), \(status.seccomp == true ? "seccomp" : "no seccomp")"
        switch status.sealed {
        case nil: return status.policy
        case true: return "\(status.policy): \(means)"
        case false:
            let effect = status.policy == "required" ? "NO JOB CAN RUN" : "WORKERS ARE NOT FULLY SEALED"
            return "\(status.policy): \(effect) (\(means)): \(status.missing.joined(separator: "; "))"
        }
    }

    /// The status as text.
    static func page(_ status: StatusResult, now: Moment) -> String {
        var lines = Labelled()
        lines.add("process", "\(status.pid), user \(status.user)")
        lines.add("since", "\(status.since) (\(Units.age(status.since, now: now)))")
        lines.add("socket", status.socket)
        lines.add("workers", (status.busy.map { "\($0) busy of " } ?? "") + "\(status.workers)")
        lines.add(
            "processors",
            status.processors.map { all in (status.busyProcessors.map { "\($0) busy of " } ?? "") + "\(all)" }
        )
        lines.add(
            "memory",
            status.memoryBytes.map { all in
                (status.reservedMemoryBytes.map { "\(Units.size($0)) reserved of " } ?? "") + Units.size(all)
            })
        if status.draining == true {
            let what = status.refusing == true ? "started or accepted" : "started"
            lines.add("draining", "no job is \(what); `trimctl drain --off` starts jobs again")
        }
        let order = JobStatus.allCases.map(\.rawValue)
        let known =
            order.filter { status.jobs[$0] != nil } + status.jobs.keys.filter { !order.contains($0) }.sorted()
        let counts = known.compactMap { word in status.jobs[word].map { "\($0) \(word)" } }
        lines.add("jobs", counts.isEmpty ? "none" : counts.joined(separator: ", "))
        lines.add(
            "oldest", status.oldestWaiting.map { "of those that wait, accepted \(Units.age($0, now: now))" })
        lines.add(
            "versions",
            [status.protocolVersion.map { "protocol \($0)" }, status.queueVersion.map { "queue \($0)" }]
                .compactMap { $0 }.joined(separator: ", "))
        lines.add("queue", status.queue)
        lines.add("damaged", status.damagedQueue.map { "a damaged queue was moved to \($0)" })
        lines.add(
            "lost",
            status.lostJobs.map { jobs in
                let names = jobs.prefix(20).map(String.init).joined(separator: ", ")
                return
                    "jobs \(names)\(jobs.count > 20 ? " and \(jobs.count - 20) more" : ""): submit them again"
            })
        lines.add("state", "\(status.state), \(Units.size(status.freeBytes)) free")
        lines.add("sandbox", status.sandbox.map(sandbox))
        return "trimd \(status.version)\n" + lines.text
    }
}

extension CommandTable {
    static let status = CommandEntry(
        "status", StatusCommand.self, synopsis: ["[--json]"],
        abstract: "Show the daemon's version, queue and disk",
        discussion: [], positionals: [], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl status", "whether a daemon is there, and what it does")],
        exitCodes: codes(0, 1, 2, 4, 5))
}

// `trimctl modify`: changes jobs, one call per job. It reports a job that refuses, and continues with the others.
internal import Media
internal import Text
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
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let wanted = try ExportCommand(arguments, surroundings).request(
                OwnPresets.read(arguments, surroundings, daemon))
            let changes = try ModifyCommand.changes(wanted)
            guard wanted.priority != nil || !changes.isEmpty else {
                throw UsageError.of(
                    "nothing is named that is to be changed",
                    remedy: "for example: trimctl modify 5 --priority 80")
            }
            var worst: Int32 = 0
            for id in arguments.jobs {
                do throws(MediaError) {
                    let job = try OpenedFiles.modify(
                        ModifyParams(id: id, priority: wanted.priority, changes: changes), wanted, to: daemon)
                    if asJSON {
                        console.json(job)
                    } else if changes.isEmpty {
                        console.print("job \(id): priority \(job.priority)")
                    } else {
                        console.print(JobText(now: .now).line(job))
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

    /// The keys of a request that were given.
    private static func changes(_ wanted: SubmitParams) throws(MediaError) -> [String: JSONValue] {
        do throws(WireError) {
            let all = try JSONValue(encoding: wanted).object?.dictionary ?? [:]
            return all.filter { ModifyParams.changeable.contains($0.key) && $0.value.content != .null }
        } catch { throw MediaError(.invalidRequest, "\(error)") }
    }
}

extension CommandTable {
    /// The options of an export that say how it is submitted and followed: a job that is there has none of them.
    private static let ofSubmission: Set<Option> = [
        .outputType, .dryRun, .detach, .key, .quiet, .verbose, .json, .progress, .standalone, .sandbox,
        .socket,
    ]

    static let modify = CommandEntry(
        "modify", ModifyCommand.self, synopsis: ["ID… [--priority N] [options of trimctl export] [--json]"],
        abstract:
            "Change jobs: the priority of those that have not ended, and any option of those that wait or are held",
        discussion: [
            "Options that are not given stay as they are. The changed job is checked as a new one, and keeps its ID.",
            "The priority orders your own jobs alone: turns between users come first. "
                + "That of a job that is exporting counts where it has to start again.",
        ],
        positionals: [jobs],
        options: export.options.filter { !ofSubmission.contains($0) } + [.json, .socket],
        exclusive: export.exclusive.filter { ofSubmission.isDisjoint(with: $0) },
        examples: [
            Example("trimctl modify 5 --priority 20", "job 5 starts after your other jobs"),
            Example("trimctl modify 5 --preset m4v1080 --end 2:00", "before it has begun"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 6, 7), hasHeadings: true,
        concerns: { !$0.status.isFinal })
}

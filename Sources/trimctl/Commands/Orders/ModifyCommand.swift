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

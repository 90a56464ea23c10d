// `trimctl complete`: the dynamic values of shell completions. It prints no errors, and waits at most 200 ms: a blocked shell
// is worse than no completions. Presets are available without a daemon too.
internal import Media
internal import Text
internal import Wire

/// `trimctl complete`.
struct CompleteCommand {
    let arguments: Arguments
    let surroundings: Surroundings

    /// Timeout for the daemon.
    static let patience = Duration.milliseconds(200)

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() -> Int32 {
        let words = arguments.texts
        let lines = words.first == "jobs" ? jobs(words.dropFirst().first.flatMap(Verb.init)) : presets()
        if !lines.isEmpty {
            surroundings.console.print(lines.map { "\($0.0)\t\($0.1.oneLine)\n" }.joined())
        }
        return 0
    }

    private func jobs(_ verb: Verb?) -> [(String, String)] {
        let jobs: [JobReport] = ask(.jobList, ListParams(limit: 100)) ?? []
        return jobs.filter { verb?.concerns($0) ?? true }.map { job in
            let name = job.output.pathNames.last ?? job.output
            return ("\(job.id)", "\(job.status.rawValue), \(job.preset), \(name)")
        }
    }

    private func presets() -> [(String, String)] {
        let known: PresetListResult? = ask(.presetList, Empty())
        // Without a daemon (--standalone), the installed presets.
        let presets = known?.presets ?? PresetCatalogue(folders: surroundings.presetFolders).presets
        let own = OwnPresets(surroundings, extending: presets).catalogue.presets
        let all = presets.filter { preset in !own.contains { $0.id == preset.id } } + own
        return all.sorted { $0.id < $1.id }.map { ($0.id, $0.name) }
    }

    private func ask<Result: Decodable>(_ method: Method, _ params: some Encodable) -> Result? {
        let path = surroundings.socket(option: arguments.given(.socket))
        guard let socket = try? UnixSocket.connect(to: path, waiting: false) else { return nil }
        let client = Client(adopting: socket)
        return try? client.call(
            method.rawValue, params: params, timeout: Self.patience, returning: Result.self)
    }
}

extension Verb {
    /// Whether the command applies to a job.
    func concerns(_ job: JobReport) -> Bool {
        let status = job.status
        return switch self {
        case .cancel, .wait, .watch, .modify: !status.isFinal
        case .retry: status == .failed || status == .cancelled
        case .hold: JobOrder.hold.suits(job)
        case .release: status == .waiting || JobOrder.release.suits(job)
        case .remove: status.isFinal
        default: true
        }
    }
}

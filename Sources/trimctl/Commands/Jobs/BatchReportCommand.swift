// `trimctl batch report`: merges the JSON reports of shards, and writes them in any form. It needs no daemon.
internal import Lists
internal import Media
internal import Text
internal import Wire

/// `trimctl batch report`.
struct BatchReportCommand: Command {
    /// The word that stands instead of a list; a list of that name is `./report`.
    static let word = "report"

    let arguments: Arguments
    let surroundings: Surroundings

    /// Maximum bytes of a report: 10,000 exports with their jobs.
    private static let largest = 256 << 20

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let kept: Set<String> = Set([Option.report, .quiet, .json, .progress].map(\.name))
        if let other = arguments.values.keys.sorted().first(where: { !kept.contains($0) }) {
            throw UsageError.of("--\(other) is not for `trimctl batch report`", in: CommandTable.batch)
        }
        guard arguments.texts.count > 1 else {
            throw UsageError.of(
                "there is no report to merge",
                remedy:
                    "`trimctl batch report a.json b.json --report all.xml`; a list named report is ./report")
        }
        var outputs: [ReportFile] = []
        for path in arguments.all(.report) { outputs.append(try ReportFile(surroundings.absolute(path))) }
        var reports: [BatchReport.Named] = []
        for path in arguments.texts.dropFirst() {
            reports.append((path, try read(surroundings.absolute(path))))
        }
        let (report, notes) = try BatchReport.merged(reports)
        for note in notes { console.say("trimctl: \(note)".oneLine) }
        for fault in report.faults {
            let place = fault.line == 0 ? "" : "\(BatchNames.last(report.list)):\(fault.line): "
            console.say("trimctl: \(place)\(fault.message)".oneLine)
        }
        for file in outputs { try file.write(report) }
        if asJSON { console.json(report) }
        if progressStyle != .none { console.say(report.summary) }
        return report.exitCode
    }

    private func read(_ path: String) throws(MediaError) -> BatchReport {
        guard let size = FileSystem.status(path)?.size else {
            throw MediaError(.fileNotFound, "the report \(path) does not exist")
        }
        guard size <= Self.largest, let bytes = try? FileSystem.contents(path) else {
            throw MediaError(.inputOutput, "the report \(path) cannot be read")
        }
        do throws(WireError) {
            return try JSONValue(parsing: bytes).decode()
        } catch {
            let reason = if case .malformed(let what) = error { what } else { "\(error)" }
            throw UsageError.of(
                "\(path) is not a report of a batch: \(reason)",
                remedy: "give the files that `trimctl batch LIST --shard I/N --report FILE.json` wrote")
        }
    }
}

// `trimctl batch`: runs all exports of a list. It reads and checks the whole list before it starts; BatchPlanner plans,
// BatchRun runs the exports.
internal import FoundationEssentials
internal import Glibc
internal import Lists
internal import Media
internal import MediaTime
internal import Platform
internal import Text
internal import Wire

/// `trimctl batch`.
struct BatchCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    private var isResuming: Bool { arguments.has(.resume) }

    func run() throws(MediaError) -> Int32 {
        let started = Moment.now
        let template = try NameTemplate(arguments.text(.name) ?? BatchNames.standard)
        var reports: [ReportFile] = []
        for path in arguments.all(.report) { reports.append(try ReportFile(surroundings.absolute(path))) }
        let (path, list, identity) = try read()
        for note in list.notes { console.say("trimctl: \(name(path)):\(note.line): \(note.message)".oneLine) }
        let jobs = arguments.number(.jobs).map { Int($0) }
        let state =
            arguments.has(.standalone)
            ? BatchState.folder(for: identity, in: surroundings) : nil
        return try Session.run(
            arguments, surroundings, workers: jobs, state: state
        ) { daemon throws(MediaError) in
            // Jobs left by an interrupted run would start again.
            if state != nil, !isResuming { try cancelAll(but: [], daemon) }
            let own = try OwnPresets.read(arguments, surroundings, daemon)
            let planner = try BatchPlanner(
                settings(own, identity), daemon, own, listFolder: folder(of: path))
            try planner.plan(list) { sources in
                BatchNames(
                    template, arguments.text(.clash).flatMap(ClashPolicy.init(rawValue:)) ?? .fail,
                    folder: arguments.given(.outputDir).map { withoutSlash(surroundings.absolute($0)) },
                    listFolder: folder(of: path), listName: name(path), sources: sources)
            }
            // A private queue may hold jobs of lines that are no longer in the list.
            if state != nil { try cancelAll(but: Set(planner.items.compactMap { $0.job?.id }), daemon) }
            var items = planner.items
            var faults = planner.faults
            if arguments.has(.dryRun), faults.isEmpty { faults = try BatchForecast.fill(&items, daemon) }
            var end = (items: items, isInterrupted: false)
            if faults.isEmpty { end = try work(items, daemon, jobs) } else { end.items = items.map(unbegun) }
            for fault in faults {
                console.say("trimctl: \(name(path)):\(fault.line): \(ErrorText.line(fault.error))".oneLine)
            }
            let report = BatchReport(
                list: path, started: started, ended: .now, items: end.items, faults: faults,
                interrupted: end.isInterrupted)
            for file in reports { try file.write(report) }
            printReport(report, faults.count)
            // Without its own folder, the queue of a private daemon is gone.
            let isKept = !arguments.has(.standalone) || state != nil
            if end.isInterrupted, isKept, end.items.contains(where: \.isLeft) { sayHowToResume() }
            return report.exitCode
        }
    }

    // MARK: List

    /// Maximum bytes of a list, and maximum number of exports: the whole list is checked before the first export starts.
    private static let largestList = 16 << 20, mostExports = 10_000

    /// The list's path, content and identity.
    private func read() throws(MediaError) -> (path: String, list: ExportList, identity: String) {
        let word = arguments.texts.first ?? ""
        let path = word == "-" ? "/dev/stdin" : surroundings.absolute(word)
        let found =
            word == "-"
            ? Terminal.readStandardInput() : try? FileSystem.contents(path)
        guard let bytes = found else {
            let isThere = word == "-" || FileSystem.exists(path)
            throw MediaError(
                isThere ? .inputOutput : .fileNotFound,
                "the list \(path) \(isThere ? "cannot be read" : "does not exist")")
        }
        guard bytes.count <= Self.largestList else {
            throw UsageError.of(
                "the list \(path) has \(bytes.count >> 20) MiB, and a list may have \(Self.largestList >> 20)",
                remedy: "split it")
        }
        let given = arguments.given(.format).flatMap(ListFormat.init(rawValue:))
        guard let format = given ?? ListFormat(name: word == "-" ? "" : path, bytes: bytes) else {
            let all = ListFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError.of(
                "the format of \(word == "-" ? "standard input" : path) is unknown",
                remedy: "give --format: \(all)")
        }
        var rate: Ratio?
        if let text = arguments.given(.batchRate) {
            guard let found = Ratio(text) ?? decimalRate(text), 1...240 ~= found.value else {
                throw UsageError.of("--rate: '\(text)' is not a frame rate", remedy: "write 25 or 30000/1001")
            }
            rate = found
        }
        var list = ExportList.read(bytes, format, rate: rate)
        if arguments.has(.join) { list = list.joined() }
        guard list.exports.count <= Self.mostExports else {
            throw UsageError.of(
                "the list \(path) has \(list.exports.count) exports, and a batch may have \(Self.mostExports)",
                remedy: "split it")
        }
        let identity = word == "-" ? "-" + BatchKey.hash(String(decoding: bytes, as: UTF8.self)) : path
        return (path, list, identity)
    }

    /// 29.97 and 23.976 mean 30000/1001 and 24000/1001.
    private func decimalRate(_ text: String) -> Ratio? {
        guard let number = Double(text), number > 0, number < 1000,
            let near = Ratio(Int64((number * 1000).rounded()), 1000)
        else { return nil }
        return TimecodeRate.rate(for: near, dropFrame: false)?.frameRate ?? near
    }

    private func settings(_ own: OwnPresets, _ identity: String) throws(MediaError) -> BatchPlanner.Settings {
        let render = arguments.given(.render).flatMap(RenderMode.init(rawValue:))
        let reference = try own.reference(arguments)
        let name =
            switch reference {
            case .preset(let preset): preset.id
            case .id(let id): id
            case nil: Preset.unnamed
            }
        return BatchPlanner.Settings(
            input: arguments.given(.batchInput).map(surroundings.absolute), preset: reference, presetID: name,
            render: render, snap: arguments.given(.snap).flatMap(Snap.init(rawValue:)),
            options: try RenderWords.options(arguments) ?? RenderOptions(),
            isStrict: arguments.has(.strict), priority: arguments.number(.priority).map { Int($0) },
            isResuming: isResuming, identity: identity)
    }

    private func folder(of path: String) -> String {
        path == "/dev/stdin" ? withoutSlash(surroundings.folder) : BatchNames.folder(of: path)
    }

    private func name(_ path: String) -> String { BatchNames.last(path) }

    private func withoutSlash(_ path: String) -> String {
        path.endsInSlash && path.utf8.count > 1 ? String(path.dropLast()) : path
    }

    // MARK: Run

    private func work(
        _ items: [BatchItem], _ daemon: DaemonConnection, _ jobs: Int?
    ) throws(MediaError) -> (items: [BatchItem], isInterrupted: Bool) {
        if arguments.has(.dryRun) { return (items, false) }
        if let folder = arguments.given(.outputDir).map(surroundings.absolute) {
            do throws(SystemError) {
                try FileSystem.makeFolder(folder)
            } catch {
                throw MediaError(.notWritable, "\(error)", remedy: "name another --output-dir")
            }
        }
        let display = BatchDisplay(progressStyle, console: console, items: items, printsPaths: !asJSON)
        defer { display.clear() }
        let run = BatchRun(items, daemon, display, limit: jobs, failsFast: arguments.has(.failFast))
        run.run()
        display.clear()
        if let failure = run.failure { console.report(failure, asJSON: false) }
        return (run.items, run.isInterrupted)
    }

    private func unbegun(_ item: BatchItem) -> BatchItem {
        guard item.outcome == .waiting else { return item }
        var item = item
        item.outcome = .notStarted
        return item
    }

    /// Cancels the jobs of a private queue, except these.
    private func cancelAll(but own: Set<Int64>, _ daemon: DaemonConnection) throws(MediaError) {
        let all: [JobReport] = try daemon.call(.jobList, ListParams(limit: 1000))
        for job in all where !job.status.isFinal && !own.contains(job.id) {
            let _: JobReport = try daemon.commit(.jobCancel, JobParams(id: job.id))
        }
    }

    // MARK: Output

    private func sayHowToResume() {
        let words = surroundings.words + (isResuming ? [] : ["--resume"])
        let command = (["trimctl"] + words.map(ShellWord.quoted)).joined(separator: " ")
        let again = arguments.texts.first == "-" ? ", with the same list" : ""
        console.say("trimctl: to do the rest: \(command)\(again)".oneLine)
    }

    private func printReport(_ report: BatchReport, _ faults: Int) {
        if asJSON { console.json(report) }
        if faults > 0 {
            console.say("trimctl: \(faults) line\(faults == 1 ? " is" : "s are") wrong; nothing was begun")
        } else if arguments.has(.dryRun) {
            if !asJSON { console.print(BatchPlanText.table(report, width: console.outputWidth)) }
        } else if progressStyle != .none {
            console.say(report.summary)
        }
    }
}

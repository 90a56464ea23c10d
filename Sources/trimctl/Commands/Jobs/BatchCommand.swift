// `trimctl batch`: runs all exports of a list. It reads and checks the whole list before it starts; BatchPlanner plans,
// BatchRun runs the exports.
internal import FoundationEssentials
internal import Glibc
internal import Lists
internal import Media
internal import MediaTime
internal import Platform
internal import Text
internal import TrimClient
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
        if arguments.texts.first == BatchReportCommand.word {
            return try BatchReportCommand(arguments, surroundings).run()
        }
        guard arguments.texts.count == 1 else {
            throw UsageError.of(
                "'\(arguments.texts[1])' is one argument too many; a name with spaces needs quotes",
                in: CommandTable.batch)
        }
        let started = Moment.now
        let template = try NameTemplate(arguments.text(.name) ?? BatchNames.standard)
        let policy = arguments.text(.clash).flatMap(ClashPolicy.init(rawValue:)) ?? .fail
        let shard = try shard(policy)
        var reports: [ReportFile] = []
        let folder = arguments.given(.outputDir).map(surroundings.absolute)
        if let folder, FileSystem.exists(folder), !FileSystem.isFolder(folder) {
            throw MediaError(
                .notAFolder, "--output-dir: \(folder) is not a folder", remedy: "name another --output-dir")
        }
        for path in arguments.all(.report) {
            reports.append(try ReportFile(surroundings.absolute(path), besides: folder))
        }
        let source = try BatchList(arguments, surroundings)
        let (path, list) = (source.path, source.list)
        // A batch under --strict lists the losses among what is wrong.
        for note in list.notes where !(note.isLoss && arguments.has(.strict)) {
            console.say("trimctl: \(name(path)):\(note.line): \(note.message)".oneLine)
        }
        let part = shard.map { BatchPart(source, $0, arguments, surroundings) }
        let held = try part?.begin()
        defer { held?.end() }
        let jobs = arguments.number(.jobs).map { Int($0) }
        let identity = source.identity
        let queue = identity + (shard.map { "\u{0}\($0)" } ?? "")
        let state = arguments.has(.standalone) ? BatchState.folder(for: queue, in: surroundings) : nil
        return try Session.run(
            arguments, surroundings, state: state
        ) { daemon throws(MediaError) in
            // Jobs left by an interrupted run would start again.
            if state != nil, !isResuming { try cancelAll(but: [], daemon) }
            let own = try OwnPresets.read(arguments, surroundings, daemon)
            var settings = try settings(own, identity)
            settings.journal = held?.journal
            if arguments.has(.standalone) { held?.journal.queue = ShardJournal.queue(at: state) }
            if let indices = part?.indices { settings.isOwn = { indices.contains($0) } }
            let planner = try BatchPlanner(settings, daemon, own, listFolder: source.folder)
            try planner.plan(list) { sources in
                var names = BatchNames(
                    template, policy, folder: source.outputFolder, listFolder: source.folder,
                    listName: name(path), sources: sources)
                if isResuming {
                    names.remedy =
                        arguments.has(.standalone) && state == nil
                        ? "no queue is kept for a user without a folder for it: set XDG_STATE_HOME, or give --clash"
                        : "the earlier run had another list or other options: give the same ones, or --clash"
                }
                return names
            }
            var items = planner.items.filter { settings.isOwn($0.index) }
            // A private queue may hold jobs of lines that are no longer in the list.
            if state != nil { try cancelAll(but: Set(items.compactMap { $0.job?.id }), daemon) }
            var faults = planner.faults
            if arguments.has(.dryRun), faults.isEmpty { faults = try BatchForecast.fill(&items, daemon) }
            if faults.isEmpty, let missing = part?.missingFolder { throw missing }
            var end = (items: items, isInterrupted: false)
            if faults.isEmpty {
                end = try work(items, daemon, jobs, held)
            } else {
                end.items = items.map(unbegun)
            }
            for fault in faults {
                console.say("trimctl: \(name(path)):\(fault.line): \(ErrorText.line(fault.error))".oneLine)
            }
            var report = BatchReport(
                list: path, started: started, ended: .now, items: end.items, faults: faults,
                interrupted: end.isInterrupted)
            report.shard = part?.report
            for file in reports { try file.write(report) }
            printReport(report, Set(faults.map(\.line)).count)
            // Without its own folder, the queue of a private daemon is gone.
            let isKept = !arguments.has(.standalone) || state != nil
            if end.isInterrupted, isKept, end.items.contains(where: \.isLeft) { sayHowToResume() }
            return report.exitCode
        }
    }

    /// The shard that the options ask for.
    private func shard(_ policy: ClashPolicy) throws(MediaError) -> Shard? {
        let shard: Shard
        switch arguments.shard(.shard) {
        case .shard(let given)?: shard = given
        case .automatic(let count)?:
            shard = try ShardEnvironment(variables: surroundings.environment).shard(count: count)
        case nil: return nil
        }
        guard policy != .number else {
            throw UsageError.of(
                "--clash number and --shard: the names would depend on which shard runs first",
                remedy: "put {index} into --name, or give --clash skip")
        }
        return shard
    }

    // MARK: Settings

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
            round: arguments.given(.round).flatMap(CutRounding.init(rawValue:)),
            options: try arguments.exportOptions(in: surroundings) ?? ExportOptions(),
            isStrict: arguments.has(.strict), priority: arguments.number(.priority).map { Int($0) },
            needs: arguments.tags(.needs),
            isResuming: isResuming, identity: identity)
    }

    private func name(_ path: String) -> String { BatchNames.last(path) }

    // MARK: Run

    private func work(
        _ items: [BatchItem], _ daemon: DaemonConnection, _ jobs: Int?, _ shard: ShardRun?
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
        let run = BatchRun(
            items, daemon, display, limit: jobs, failsFast: arguments.has(.failFast), shard: shard)
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

extension CommandTable {
    static let batch = CommandEntry(
        "batch", BatchCommand.self,
        synopsis: [
            "LIST [--input FILE] [--preset ID] [--output-dir DIR] [--name TEMPLATE] [options]",
            "LIST --resume [options]",
            "LIST --shard I/N|auto|auto/N --resume [options]",
            "report REPORT… --report FILE… [--json]",
        ],
        abstract: "Export everything that a list asks for",
        discussion: [
            """
            LIST is CSV or TSV with a header (input, start, end, duration, preset, output, label, render, snap) or with \
            start,end,label alone, JSON lines or a JSON array with the keys of a request, a CMX3600 EDL, a project of LosslessCut (.llc), a \
            timeline of OpenTimelineIO (.otio), or chapters as ffmetadata or Matroska's XML; - is standard input.
            """,
            """
            Every line is checked before the first export begins; where one is wrong, all that is wrong is said, and \
            nothing is done. Paths in LIST are relative to its folder.
            """,
            """
            A TEMPLATE is text with any of {stem} {index:03} {label} {preset} {start} {end} {duration} {line} {list} \
            {ext}; what is not there leaves out the separator before it.
            """,
            """
            After Ctrl-C, a crash or a failure, --resume does what is not done yet: what was completed, and is still \
            there, is not done again. With --standalone the queue is kept in $XDG_STATE_HOME/trimd/batches for that.
            """,
            """
            --shard 2/8 does the second of eight parts of LIST, for engines that run a command many times. Every shard checks \
            the whole list first. Which line belongs to which shard follows from LIST alone; the shards have about the same \
            length of film, as far as the times in LIST say it. --shard auto takes the shard from the environment: \
            SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _MAX of a Slurm array (from any index, in steps), CI_NODE_INDEX and \
            CI_NODE_TOTAL of GitLab, BUILDKITE_PARALLEL_JOB and _COUNT, CIRCLE_NODE_INDEX and _TOTAL, and with --shard auto/8 \
            JOB_COMPLETION_INDEX of a Kubernetes Indexed Job with eight completions.
            """,
            """
            A shard keeps a lock and a record of what it has completed in the folder .trimd-batch beside the outputs (in \
            --output-dir, otherwise beside its first output), so that two runs of it do nothing twice, on two hosts that share \
            the outputs either. A second run ends with an error that names the first; with --resume it waits for it, and does what it \
            leaves. A run that was killed holds nothing; where the file system does not carry locks to other hosts, \
            another host goes on after a minute without a sign of it. LIST, sources and outputs have the same paths on all hosts.
            """,
            """
            `trimctl batch report` merges the JSON reports of all shards; its exit code is the one that the whole batch would \
            have had. A list with the name report is ./report.
            """,
        ],
        positionals: [
            Positional("LIST", .inputFile, "The list, or - for standard input"),
            Positional(
                "REPORT", .inputFile, "After `report`: the JSON reports of shards", minimum: 0,
                isRepeatable: true),
        ],
        options: [
            .batchInput, .batchPreset, .presetFile, .render, .snap, .round, .outputDir, .name, .clash,
            .format,
            .batchRate, .join,
        ] + Option.export(for: .lists) + [
            .strict, .jobs, .failFast, .resume, .shard, .dryRun, .report, .priority, .needs, .quiet, .json,
            .progress, .standalone, .sandbox, .socket,
        ],
        exclusive: [
            [.batchPreset, .presetFile], [.standalone, .socket], [.dryRun, .report], [.quiet, .json],
        ] + Option.contradictions.filter { Set($0).isSubset(of: Option.export(for: .lists)) },
        examples: [
            Example(
                "trimctl batch cuts.csv --preset m4v720 --output-dir out --report report.xml",
                "every line of a table, with a report for a CI system"),
            Example(
                "trimctl batch film.edl --input film.mov --preset passthrough --render smart",
                "every event of an edit decision list, encoded again only at the cuts"),
            Example(
                "trimctl batch cuts.csv --dry-run", "what would be made, and what is wrong with the list"),
            Example("trimctl batch cuts.csv --resume", "what is not done yet"),
            Example(
                "trimctl batch cuts.csv --shard auto --resume --standalone --output-dir out --report out/part-$SLURM_ARRAY_TASK_ID.json",
                "the part of this task of a Slurm array"),
            Example(
                "trimctl batch report a.json b.json --report all.xml", "one report of all shards"),
        ],
        exitCodes: exitCodes)
}

extension Option {
    static let batchInput = Option(
        "input", value: "FILE", .inputFile, "The source of every line that names none")
    static let batchPreset = Option(
        "preset", value: "ID", .preset,
        "The preset of every line that names none; `trimctl presets` lists them. Without it, as for `export`"
    )
    static let outputDir = Option(
        "output-dir", value: "DIR", .outputFile,
        "Where to write, made where it is missing (otherwise beside each source)")
    static let name = Option(
        "name", value: "TEMPLATE", .text, "How to name the outputs of lines that do not",
        standard: BatchNames.standard)
    static let clash = Option(
        "clash", value: "HOW", .choice(ClashPolicy.allCases.map(\.rawValue)),
        "The action where an output exists; where two lines have the same one, only number makes both",
        standard: ClashPolicy.fail.rawValue)
    static let format = Option(
        "format", value: "FORMAT", .choice(ListFormat.allCases.map(\.rawValue)),
        "The format of LIST (otherwise it is recognised by its extension or its beginning)")
    static let batchRate = Option(
        "rate", value: "RATE", .text,
        "Frames a second of an EDL's timecodes, such as 25 or 30000/1001 (otherwise those of each source)")
    static let join = Option(
        "join", "Join the parts of each source, in the order of the edit, into one output")
    static let jobs = Option(
        "jobs", value: "N", .count(1...64),
        "At most so many at once (otherwise as many as the daemon runs)")
    static let failFast = Option("fail-fast", "Cancel the rest when one has failed")
    static let resume = Option("resume", "Do only what an earlier run of the same list has not completed")
    static let shard = Option(
        "shard", value: "I/N", .shard,
        "Do the Ith of N parts of LIST, or auto: the one that the environment says, auto/N where it does not say of how many"
    )
    static let report = Option(
        "report", value: "FILE", .outputFile,
        "Write what became of everything: .json, .xml (JUnit) or .md (a table)", isRepeatable: true)
}

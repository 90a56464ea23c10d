// `trimctl export`: submits one export, shows its progress, and prints the result. The daemon checks the request; this command
// converts arguments to the request, and the report to text.
internal import Media
internal import MediaTime
internal import Text
internal import TrimClient
internal import Wire

/// `trimctl export`.
struct ExportCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings
    /// All inputs as the sources of one export; nil: each is exported by itself.
    var sources: [SourcePart]?

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        // Errors in the command line are reported before a daemon is looked up.
        let streams = StandardStreams(arguments)
        try streams.check(arguments, in: surroundings)
        if sources == nil { try SeveralExports.check(self) }
        let early = OwnPresets(surroundings)
        let ready =
            arguments.given(.presetFile) == nil && early.catalogue.unresolved.isEmpty
            ? try request(early) : nil
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let request: SubmitParams
            if let ready {
                request = ready
            } else {
                request = try self.request(OwnPresets.read(arguments, surroundings, daemon))
            }
            if streams.areUsed { return try PipedExport(self, daemon).run(request) }
            if sources == nil, arguments.texts.count > 1 {
                return try SeveralExports(self, daemon).run(request)
            }
            if arguments.has(.dryRun) { return try plan(request, daemon) }
            let job = try submit(request, daemon)
            if job.status == .completed, !FileSystem.exists(job.output) {
                console.say(
                    "trimctl: job \(job.id) with this key is completed, and its output \(job.output) is not there; another key makes it again"
                        .oneLine)
            }
            if arguments.has(.detach) {
                if asJSON { console.json(job) } else { console.print("\(job.id)") }
                if job.draining == true { console.say("trimctl: \(JobReport.drainingWords)") }
                return 0
            }
            return try follow(job, daemon)
        }
    }

    /// Prints the plan of a request.
    func plan(_ request: SubmitParams, _ daemon: DaemonConnection) throws(MediaError) -> Int32 {
        let plan = try daemon.plan(request)
        if asJSON { console.json(plan) } else { console.print(PlanText().page(plan)) }
        return 0
    }

    /// Submits a request.
    func submit(_ request: SubmitParams, _ daemon: DaemonConnection) throws(MediaError) -> JobReport {
        do throws(MediaError) {
            return try daemon.submit(request)
        } catch {
            guard error.code == .noDaemon, error.remedy == nil else { throw error }
            let remedy =
                request.key == nil
                ? "`trimctl list` shows whether the job was accepted"
                : "give the same command again: its key keeps it from being done twice"
            throw MediaError(error.code, error.message, remedy: remedy)
        }
    }

    /// The request from the arguments.
    func request(_ presets: OwnPresets) throws(MediaError) -> SubmitParams {
        var request = SubmitParams(input: input)
        request.output = arguments.given(.output).map(surroundings.output)
        request.range = arguments.range
        request.sources = sources
        request.render = arguments.given(.render).flatMap(RenderMode.init(rawValue:))
        request.preset = try presets.reference(arguments)
        request.toleranceBefore = arguments.tolerance(.toleranceBefore)
        request.toleranceAfter = arguments.tolerance(.toleranceAfter)
        request.noHidden = arguments.has(.noHidden) ? true : nil
        request.overwrite = arguments.has(.overwrite) ? true : nil
        request.strict = arguments.has(.strict) ? true : nil
        request.key = arguments.given(.key)
        request.options = try arguments.exportOptions(in: surroundings)
        request.priority = arguments.number(.priority).map { Int($0) }
        request.after = arguments.numbers(.afterJob)
        request.notBefore = arguments.moment(.notBefore)
        request.needs = arguments.tags(.needs)
        request.chapters = chapters
        request.metadata = try metadata
        return request
    }

    private var metadata: MetadataRequest? {
        get throws(MediaError) {
            var metadata = MetadataRequest()
            var items: [String: String] = [:]
            for word in arguments.all(.metadata) {
                guard let cut = word.firstIndex(of: "="), cut > word.startIndex else {
                    throw UsageError.of(
                        "--metadata: '\(word)' is not KEY=VALUE", remedy: "write it as in title=A film")
                }
                items[String(word[..<cut])] = String(word[word.index(after: cut)...])
            }
            if !items.isEmpty { metadata.items = items }
            metadata.artwork = arguments.given(.artwork).map(surroundings.absolute)
            if arguments.has(.forSharing) { metadata.policy = .sharing }
            if arguments.has(.stripMetadata) { metadata.policy = .strip }
            if arguments.has(.keepDates) { metadata.keepsDates = true }
            if arguments.has(.advanceDate) { metadata.advancesDate = true }
            try metadata.check()
            return metadata == MetadataRequest() ? nil : metadata
        }
    }

    private var chapters: ChapterRequest? {
        var chapters =
            arguments.given(.chapterRange).flatMap(ChapterRequest.parse(range:)) ?? ChapterRequest()
        let marks = arguments.all(.chapter).compactMap { try? ChapterMark.parse($0) }
        if !marks.isEmpty { chapters.marks = marks }
        if arguments.has(.noSeamChapters) { chapters.seams = false }
        return chapters == ChapterRequest() ? nil : chapters
    }

    /// Follows a job to its end, and prints it; returns the exit code.
    private func follow(_ job: JobReport, _ daemon: DaemonConnection) throws(MediaError) -> Int32 {
        let end = try finished(job, daemon)
        report(end)
        printLog(of: end, daemon)
        return end.exitCode
    }

    /// Prints how a job ended.
    func report(_ end: JobReport) {
        JobOutcome(console, isQuiet: arguments.has(.quiet)).report(end, asJSON: asJSON)
    }

    /// Prints a job's log, if it is wanted.
    func printLog(of end: JobReport, _ daemon: DaemonConnection) {
        JobLogText(console).print(end.id, of: daemon, if: arguments.has(.verbose))
    }

    /// Shows a job's progress to its end; returns the ended job.
    func finished(_ job: JobReport, _ daemon: DaemonConnection) throws(MediaError) -> JobReport {
        let display = ProgressDisplay(progressStyle, console: console, jobs: 1)
        let follower = JobFollower(daemon, [job.id])
        follower.onChange = { display.show($0, at: Terminal.now) }
        follower.onProgress = { display.show($0, at: Terminal.now) }
        follower.onNotice = { display.say("trimctl: \($0)") }
        follower.onInterrupt = { count in
            if count > 1 { return .stop }
            display.say("trimctl: cancelling job \(job.id); Ctrl-C again stops waiting for that")
            return .cancel
        }
        defer { display.clear() }
        guard try follower.run(), let end = follower.jobs[job.id] else {
            let rest =
                arguments.has(.standalone)
                ? "the private trimd is ended" : "job \(job.id) goes on being cancelled"
            throw MediaError(.operationCancelled, "not waiting any longer; \(rest)")
        }
        return end
    }
}

extension Option {
    /// The options of a command that exports.
    /// - Parameter ranges: those that say what is taken.
    static func exports(of ranges: [Option]) -> [Option] {
        [.output, .outputType] + ranges + [
            .preset, .presetFile, .render, .snap, .round, .toleranceBefore, .toleranceAfter, .noHidden,
            .strict, .overwrite,
        ] + export + [
            .dryRun, .detach, .key, .priority, .afterJob, .notBefore, .needs,
            .chapter, .chapterRange, .metadata, .artwork, .forSharing, .keepDates, .stripMetadata,
            .advanceDate,
            .quiet, .verbose, .json, .progress, .standalone, .sandbox, .socket,
        ]
    }

    /// Those of them that exclude each other.
    static let exclusiveOfExports: [[Option]] =
        [
            [.quiet, .json], [.quiet, .verbose], [.verbose, .detach],
            [.end, .duration], [.keep, .start], [.keep, .end], [.keep, .duration], [.keep, .remove],
            [.keep, .keepOnly],
            [.chapterRange, .start], [.chapterRange, .end], [.chapterRange, .duration],
            [.chapterRange, .keep],
            [.preset, .presetFile], [.standalone, .socket], [.standalone, .detach],
            [.standalone, .afterJob], [.dryRun, .detach],
            [.forSharing, .stripMetadata], [.keepDates, .stripMetadata],
        ] + contradictions
}

extension CommandTable {
    static let export = CommandEntry(
        "export", ExportCommand.self,
        synopsis: [
            "INPUT [-o OUTPUT] [--start T] [--end T | --duration T] [--preset ID] [options]",
            "INPUT --keep A..B [--keep C..D] [options]",
            "INPUT --remove A..B [options]",
            "PLAYLIST --keep-only program [options]",
            "INPUT… [-o FOLDER/] [options]",
        ],
        abstract: "Export the part [start, end) of a file",
        discussion: [
            "The output shows at time t exactly what INPUT shows at start + t, and holds nothing else.",
            times,
            "Several files are a job each, with the same options; the exit code is the worst of theirs.",
            """
            -o - writes to standard output once the export is verified (a movie with its index first, for readers that \
            cannot seek), and the result to stderr, under --json too. - as \
            INPUT reads standard input to its end first. trimd keeps both in its state folder, within its limits, until \
            this command ends.
            """,
            "Ctrl-C cancels the export and waits for that; a second one stops waiting.",
        ],
        positionals: [inputs],
        options: Option.exports(of: [.start, .end, .duration, .keep, .remove, .keepOnly]),
        exclusive: Option.exclusiveOfExports,
        examples: [
            Example(
                "trimctl export in.mov --start 10 --end 70 --preset m4v720",
                "one minute from second 10 on, as 720p M4V, to in-trim.m4v"),
            Example("trimctl export in.mov -o tail.m4v --start -30", "the last 30 seconds"),
            Example(
                "trimctl export talk.mkv --start 1:10 --duration 250f --json",
                "250 frames; the result as JSON"),
            Example(
                "trimctl export in.mp4 --render smart --keep 0..1:30 --keep 5:00..end",
                "two parts joined, encoded again only at the cuts"),
            Example(
                "trimctl export film.m3u8 --keep-only program -o film.mp4",
                "a playlist without its advertisements"),
            Example("trimctl export a.mp4 b.mp4 --start 10 -o cut/", "each without its first ten seconds"),
            Example(
                "trimctl export - -o - --end 10 --type ts",
                "from one pipe into another, as a transport stream"),
        ],
        exitCodes: exitCodes, hasHeadings: true)
}

// SeveralExports: `trimctl export` with more than one INPUT: each is a job of its own, with the same options. A file that is refused
// does not keep the others from being exported; one that is not there does, as it may be no input. The exit code is the worst.
internal import Media
internal import MediaTime
internal import Text
internal import TrimClient
internal import Wire

/// The exports of several inputs.
struct SeveralExports {
    private let command: ExportCommand
    private let daemon: DaemonConnection
    private var console: Console { command.console }
    private var arguments: Arguments { command.arguments }
    private var asJSON: Bool { command.asJSON }

    /// The exports of a command.
    init(_ command: ExportCommand, _ daemon: DaemonConnection) {
        self.command = command
        self.daemon = daemon
    }

    /// Throws if several inputs cannot have these options.
    static func check(_ command: ExportCommand) throws(MediaError) {
        let inputs = command.arguments.texts
        guard inputs.count > 1 else { return }
        // A shell splits a name at its spaces.
        let joined = inputs.joined(separator: " ")
        if !inputs.contains(where: { FileSystem.exists(command.surroundings.absolute($0)) }),
            FileSystem.exists(command.surroundings.absolute(joined))
        {
            throw UsageError.of(
                "there are \(inputs.count) inputs, and none of them exists",
                remedy: "a name with spaces needs quotes: \(RemoteFile.quoted(joined))")
        }
        let missing = inputs.filter {
            $0 != StandardStreams.word && !FileSystem.exists(command.surroundings.absolute($0))
        }
        if let first = missing.first { throw absent(first, missing, command) }
        if let output = command.arguments.given(.output),
            !command.surroundings.output(output).endsInSlash
        {
            throw UsageError.of(
                "-o \(output) names one file, and there are \(inputs.count) inputs",
                remedy: "name a folder that exists, or leave -o out to write beside each")
        }
        if command.arguments.has(.key) {
            throw UsageError.of(
                "--key names one request, and there are \(inputs.count) inputs",
                remedy: "give one input; `trimctl batch` gives each line of a list a key of its own")
        }
    }

    /// The error of inputs of which some are not there: times without their options, an output without `-o`, or names that are wrong.
    private static func absent(
        _ name: String, _ missing: [String], _ command: ExportCommand
    ) -> MediaError {
        let arguments = command.arguments
        let message = "there is no file '\(name)', and nothing was exported"
        let given = arguments.texts.filter { !missing.contains($0) }.map(ShellWord.quoted).joined(
            separator: " ")
        let times = missing.filter { (try? TimeSpelling.parse($0)) != nil }
        if times.count == missing.count, times.count < 3, arguments.range == RangeRequest() {
            let words = zip(["--start", "--end"], times).map { "\($0) \($1)" }.joined(separator: " ")
            return UsageError.of(
                message, remedy: "a time needs its option: trimctl export \(given) \(words)")
        }
        if missing == [arguments.texts.last], arguments.given(.output) == nil,
            MissingFile.remedy(for: command.surroundings.absolute(name)) == nil
                || FileType(ofName: name) != nil
        {
            return UsageError.of(
                message,
                remedy: "name the output with -o: trimctl export \(given) -o \(ShellWord.quoted(name))")
        }
        return MediaError(
            .fileNotFound, message, remedy: MissingFile.remedy(for: command.surroundings.absolute(name)))
    }

    /// Runs them; returns the worst exit code.
    /// - Parameter request: the request, of which each input has a copy.
    func run(_ request: SubmitParams) throws(MediaError) -> Int32 {
        var worst: Int32 = 0
        var jobs: [JobReport] = []
        var names: [Int64: String] = [:]
        var isStopped = false
        for (index, name) in arguments.texts.enumerated() {
            if command.surroundings.interrupts.drain() > 0 {
                isStopped = true
                break
            }
            var one = request
            one.input = command.surroundings.absolute(name)
            one.concurrency = min(arguments.texts.count - index, SubmitParams.concurrencies.upperBound)
            do throws(MediaError) {
                if arguments.has(.dryRun) {
                    worst = max(worst, try command.plan(one, daemon))
                    continue
                }
                let job = try command.submit(one, daemon)
                jobs.append(job)
                names[job.id] = name
                guard arguments.has(.detach) else { continue }
                if asJSON { console.json(job) } else { console.print("\(job.id)") }
            } catch {
                // Without a daemon, and after Ctrl-C, the others fare no better.
                if error.code == .noDaemon || error.code == .operationCancelled { throw error }
                worst = max(worst, report(error, on: name, one.input))
            }
        }
        if isStopped, jobs.isEmpty { throw DaemonError.interrupted }
        guard !jobs.isEmpty, !arguments.has(.detach) else { return worst }
        if isStopped { cancel(jobs) }
        return max(worst, try follow(jobs.map(\.id), names), isStopped ? 4 : 0)
    }

    /// Prints why an input is not exported; returns its exit code.
    private func report(_ error: MediaError, on name: String, _ path: String) -> Int32 {
        let error = MissingFile.advised(error, inputs: [path])
        console.say("trimctl: \(name): \(ErrorText.line(error))")
        if asJSON { console.json(ErrorReport(error: error, input: path)) }
        return error.code.exitCode
    }

    /// Cancels jobs; one that has ended meanwhile stays as it is.
    private func cancel(_ jobs: [JobReport]) {
        for job in jobs {
            let _: JobReport? = try? daemon.commit(.jobCancel, JobParams(id: job.id))
        }
    }

    private func follow(_ ids: [Int64], _ names: [Int64: String]) throws(MediaError) -> Int32 {
        let display = ProgressDisplay(command.progressStyle, console: console, jobs: arguments.texts.count)
        display.names = names
        let outcome = JobOutcome(console, isQuiet: arguments.has(.quiet))
        let follower = JobFollower(daemon, ids)
        var printed: Set<Int64> = []
        follower.onChange = { [asJSON] job in
            guard job.status.isFinal else { return display.show(job, at: Terminal.now) }
            guard printed.insert(job.id).inserted else { return }
            display.clear()
            outcome.report(job, asJSON: asJSON, as: names[job.id])
        }
        follower.onProgress = { display.show($0, at: Terminal.now) }
        follower.onNotice = { display.say("trimctl: \($0)") }
        follower.onInterrupt = { count in
            if count > 1 { return .stop }
            display.say(
                "trimctl: cancelling \(Units.count(ids.count, "job")); Ctrl-C again stops waiting for that")
            return .cancel
        }
        defer { display.clear() }
        guard try follower.run() else {
            throw MediaError(
                .operationCancelled, "not waiting any longer; the jobs go on being cancelled")
        }
        for id in ids { JobLogText(console).print(id, of: daemon, if: arguments.has(.verbose)) }
        return follower.jobs.values.map(\.exitCode).max() ?? 0
    }
}

// Serves the worker's single request: receives it over the socketpair, processes it on one thread, answers, and exits. The
// worker is sealed before it reads the request, and then opens no file by path: source and output arrive as descriptors. It exits as
// soon as the daemon does.
internal import CLinux
internal import CSeccomp
internal import Check
internal import Export
internal import Glibc
internal import Libav
internal import Media
internal import MediaTime
internal import Pictures
internal import Platform
internal import Source
internal import Text
internal import Wire

/// The worker program.
struct WorkerProgram {
    /// The descriptor of the socketpair, as set up by the daemon.
    static let control: Int32 = 3

    /// The stack of the thread that serves the request, in bytes: as much as a program's first thread usually has.
    static let stack = 8 << 20

    /// The part of it that a short copy needs, in bytes, and so much memory.
    private static let usedStack = 256 << 10, memory = 6 << 20

    /// Maximum number of different FFmpeg messages in a job's log.
    private static let longestLog = 100

    /// The sandbox policy and limits.
    let sandbox: SandboxRequest

    /// The files that come after the request.
    let files = ReceivedFiles()

    /// Creates a worker from its command line.
    init(_ sandbox: SandboxRequest) { self.sandbox = sandbox }

    /// Serves one request.
    /// - Returns: the exit status; 0 if an answer was sent, even an error.
    func run() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        WorkerProgram.prepare()
        guard fcntl(WorkerProgram.control, F_GETFD) >= 0 else {
            WorkerProgram.complain("trim-worker is started by trimd; use trimctl")
            return 2
        }
        let seal = SandboxSeal.apply(control: WorkerProgram.control)
        do throws(SystemError) {
            // A fork uses locks on no other thread, and the seal holds for all threads that start after it.
            return try OwnThread.run(stack: WorkerProgram.stack) {
                trim_reserve_stack(WorkerProgram.usedStack)
                trim_reserve_arena(WorkerProgram.memory)
                return serve(seal)
            }
        } catch {
            WorkerProgram.complain("\(error)")
            return 1
        }
    }

    /// Reports the seal, and serves the request.
    private func serve(_ seal: WorkerSeal) -> Int32 {
        let channel = BlockingChannel(adopting: Descriptor(adopting: WorkerProgram.control))
        do throws(WireError) {
            try channel.send(.notification(WorkerNotification.sealed.rawValue, encoding: seal))
            guard let (message, descriptors) = try channel.receive() else { return 0 }
            guard case .request(let id, let method, let params) = message else { return 2 }
            let segments = DaemonFiles(channel)
            do throws(SystemError) { try watch(channel, segments, answering: id) } catch {
                throw .system(error)
            }
            let answer: Message
            do throws(MediaError) {
                if sandbox.policy == .required, !seal.missing.isEmpty { throw unsealed(seal) }
                let result = try serve(method, params, descriptors, segments, channel)
                answer = .response(id: id, result: result)
            } catch {
                answer = .failure(id: id, error: RemoteError(error))
            }
            try WorkerProgram.send(answer, to: id, channel)
            return 0
        } catch {
            WorkerProgram.complain("\(error)")
            return 1
        }
    }

    /// Sets the process up, before it is sealed.
    static func prepare() {
        // A dozen threads pass frames and packets: with an arena per thread, freed memory would accumulate in all of them; with two,
        // they wait for each other, since FFmpeg's blocks are aligned, and glibc keeps none of those for a thread alone.
        _ = (trim_mallopt_arena_max(4), trim_merge_freed_memory())
    }

    /// Sends the answer; one that does not fit a line becomes an error that says so.
    private static func send(
        _ answer: Message, to id: RequestID, _ channel: BlockingChannel
    ) throws(WireError) {
        do throws(WireError) { try channel.send(answer) } catch {
            guard case .tooLong(let bytes, let limit) = error else { throw error }
            let refusal = MediaError(
                .limitReached,
                "what is to be said of the file is \(bytes) bytes, and at most \(limit) can be",
                remedy: "ask without its keyframes; a file with so many tracks, chapters or tags is not usual"
            )
            try channel.send(.failure(id: id, error: RemoteError(refusal)))
        }
    }

    /// The error of a worker that is not sealed.
    private func unsealed(_ seal: WorkerSeal) -> MediaError {
        MediaError(
            .sandboxUnavailable,
            "the worker cannot be sealed, and reads no media so: \(seal.missing.joined(separator: "; "))",
            remedy: "allow Landlock and seccomp where trimd runs, or accept less with --sandbox best-effort")
    }

    /// Lowers the limits to those of the kind of work.
    /// - Parameter descriptors: that it may have open; nil: the usual number.
    func limit(_ profile: SandboxProfile, descriptors: UInt64? = nil) throws(MediaError) {
        if let shortage = SandboxLimits.shortage { throw shortage }
        var limits = SandboxLimits(profile, sandbox, processors: LibavThreads.available)
        if let descriptors { limits.descriptors = descriptors }
        let missing = limits.apply()
        guard sandbox.policy == .bestEffort || missing.isEmpty else {
            throw unsealed(WorkerSeal(landlock: nil, seccomp: true, missing: missing))
        }
    }

    private func serve(
        _ method: String, _ params: JSONValue, _ descriptors: Descriptors, _ segments: DaemonFiles,
        _ channel: BlockingChannel
    ) throws(MediaError) -> JSONValue {
        guard let method = WorkerMethod(rawValue: method) else {
            throw MediaError(.invalidRequest, "the worker has no method '\(method)'")
        }
        let fold = LogFold(most: WorkerProgram.longestLog)
        @Sendable func log(_ line: String) {
            try? channel.send(
                .notification(WorkerNotification.log.rawValue, encoding: WorkerLog("ffmpeg: \(line)")))
        }
        LibavLog.redirect { line in
            if let first = fold.add(line) { log(first) }
        }
        defer { for line in fold.summary { log(line) } }
        // Both stay open until the process exits: it serves one request.
        guard let descriptor = descriptors.take(0)?.release() else {
            throw MediaError(.invalidRequest, "no descriptor of a source came")
        }
        if let profile = method.profile { try limit(profile) }
        let source = WorkerSource(descriptor, segments)
        do throws(MediaError) {
            let answer = try serve(method, params, source, descriptors, channel)
            // Where a file was not read to its end, decoders make do with what they have.
            if let failure = source.failure { throw failure }
            return answer
        } catch { throw source.failure ?? error }
    }

    /// Serves a request on an open source.
    private func serve(
        _ method: WorkerMethod, _ params: JSONValue, _ source: WorkerSource, _ descriptors: Descriptors,
        _ channel: BlockingChannel
    ) throws(MediaError) -> JSONValue {
        switch method {
        case .probe:
            let wanted = try decode(params, WorkerProbe.self)
            let opened = try source.file(wanted.name, variant: wanted.variant, subtitles: .offered)
            return try encode(
                source.describe(
                    Probe.asset(of: opened, keyframes: wanted.keyframes, properties: wanted.properties)))
        case .check:
            let wanted = try decode(params, WorkerCheck.self)
            let opened: SourceFile
            do throws(MediaError) {
                opened = try source.file(
                    wanted.name, variant: wanted.options?.variant, subtitles: .offered)
            } catch {
                return try encode(Checker.report(refusing: error, presets: wanted.presets))
            }
            let checker = Checker(
                opened, presets: wanted.presets, fileType: wanted.fileType,
                range: try source.resolved(wanted.range, of: wanted.name),
                options: wanted.options ?? RenderOptions(), memory: encoderMemory)
            return try encode(checker.report())
        case .plan:
            // The estimate encodes a few frames.
            try limit(.transcode)
            let wanted = try decode(params, WorkerExport.self)
            return try encode(
                exporter(wanted, source, descriptors, from: 1).forecast(division: wanted.division))
        case .export:
            let wanted = try decode(params, WorkerExport.self)
            // The render mode of `auto` is known only after the source has been read.
            try limit(wanted.request.render == .copy ? .copy : .transcode)
            guard let output = descriptors.take(1)?.release() else {
                throw MediaError(.invalidRequest, "no descriptor of an output came")
            }
            LibavThreads.setLimit(wanted.threads)
            let outcome = try exporter(wanted, source, descriptors, from: 2).step(
                division: wanted.division, output: output,
                planned: { output in
                    let plan = plan(of: output, threads: wanted.threads)
                    try? channel.send(.notification(WorkerNotification.planned.rawValue, encoding: plan))
                },
                progress: {
                    try? channel.send(.notification(WorkerNotification.progress.rawValue, encoding: $0))
                },
                log: {
                    try? channel.send(.notification(WorkerNotification.log.rawValue, encoding: WorkerLog($0)))
                })
            return try encode(outcome.sized(size(of: output)))
        case .unit: return try encode(unit(decode(params, WorkerUnit.self), source, descriptors, channel))
        case .join: return try encode(join(decode(params, WorkerJoin.self), source, descriptors, channel))
        case .verify: return try encode(verified(decode(params, WorkerVerify.self), source))
        case .frame:
            let wanted = try decode(params, WorkerFrame.self)
            let output = try take(descriptors, 1, "an image")
            return try encode(
                FrameGrab(
                    source.file(wanted.name, variant: wanted.variant), at: wanted.at, width: wanted.width,
                    type: wanted.type,
                    preview: wanted.preview
                ).run(output: output))
        case .sheet:
            let wanted = try decode(params, WorkerSheet.self)
            let output = try take(descriptors, 1, "an image")
            let opened = try source.file(wanted.name, variant: wanted.variant)
            let sheet = try ContactSheet(
                opened, source.resolved(wanted.range, of: wanted.name), wanted.options, type: wanted.type,
                preview: wanted.preview)
            return try encode(sheet.run(output: output))
        case .compare:
            let wanted = try decode(params, WorkerComparison.self)
            let compared = file(try take(descriptors, 1, "an output"), wanted.output)
            let opened = try source.file(wanted.source, variant: wanted.options?.variant)
            let comparison = try Comparison(
                opened, compared, source.resolved(wanted.range, of: wanted.source),
                options: wanted.options ?? RenderOptions())
            guard let type = wanted.type else { return try encode(comparison.run(picture: nil)) }
            let image = (descriptor: try take(descriptors, 2, "an image"), type: type)
            return try encode(comparison.run(picture: image, preview: wanted.preview))
        case .thumbnails, .waveform, .segment, .cues:
            return try preview(method, params, source, descriptors)
        case .names:
            let wanted = try decode(params, WorkerNames.self)
            let output = file(try take(descriptors, 1, "a file for the names"), wanted.name)
            let found = try PlaylistNames(of: file(source.descriptor, wanted.name))
            do { try output.write(found.text, at: 0, "writing the names") } catch {
                throw MediaError(.inputOutput, "writing the names of \(wanted.name): \(error)")
            }
            return try encode(ListedNames(arePlaylists: found.arePlaylists, bytes: Int64(found.text.count)))
        }
    }

    static func complain(_ line: String) {
        let bytes = Array("trim-worker: \(line)\n".utf8)
        _ = unsafe write(2, bytes, bytes.count)
    }
}

extension WorkerMethod {
    /// The kind of work; nil: determined by its request.
    fileprivate var profile: SandboxProfile? {
        switch self {
        case .probe, .check: .probe
        case .frame, .sheet, .compare: .picture
        case .thumbnails, .waveform, .segment, .cues, .names: .preview
        case .export, .plan, .verify, .unit, .join: nil
        }
    }
}

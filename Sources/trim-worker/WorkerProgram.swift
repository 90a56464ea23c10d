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
internal import Render
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
                options: wanted.options ?? ExportOptions(), memory: encoderMemory)
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
            let outcome = try exporter(wanted, source, descriptors, from: 2).export(
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
                options: wanted.options ?? ExportOptions())
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

// The files of a worker's request, as descriptors, its parameters, and the memory that its encoders may use.
extension WorkerProgram {
    /// Takes the descriptor of the output or of the second file.
    func take(_ descriptors: Descriptors, _ index: Int, _ what: String) throws(MediaError) -> Int32 {
        guard let found = descriptors.take(index)?.release() else {
            throw MediaError(.invalidRequest, "no descriptor of \(what) came")
        }
        return found
    }

    func file(_ descriptor: Int32, _ name: String) -> SourceFile {
        SourceFile(descriptor: descriptor, size: size(of: descriptor), name: name)
    }

    func size(of descriptor: Int32) -> Int64 {
        let here = lseek(descriptor, 0, SEEK_END)
        return max(0, Int64(here))
    }

    /// Bytes an encoder may use: three quarters of the address space; the rest is libraries, stacks and decoded frames.
    var encoderMemory: Int64 {
        let space = SandboxLimits(.transcode, sandbox, processors: LibavThreads.available).memory
        return Int64(clamping: min(space, SandboxSeal.physicalMemory) / 4 * 3)
    }

    func name(of path: String) -> String { path.pathNames.last ?? path }

    /// The export that was requested, with the files that it names beside its source: their descriptors come in this order, those of
    /// them that there are.
    /// - Parameters:
    ///   - first: the index of the first of them.
    ///   - hasArtwork: the image is among them; a unit needs none.
    func exporter(
        _ wanted: WorkerExport, _ source: WorkerSource, _ descriptors: Descriptors, from first: Int,
        hasArtwork: Bool = true
    ) throws(MediaError) -> Exporter {
        var request = wanted.request
        var next = first
        func further(_ path: String?) -> SourceFile? {
            guard let path, let found = descriptors.take(next)?.release() else { return nil }
            next += 1
            return file(found, name(of: path))
        }
        let picture = hasArtwork ? further(request.metadata?.artwork) : nil
        let subtitles = further(request.options?.burnedFile)
        let input = name(of: request.input)
        let opened = try source.file(
            input, request.sources, variant: request.options?.variant,
            subtitles: request.options?.subtitles == "none" ? .none : .needed,
            namesFilms: request.chapters?.seams ?? true)
        let asked = request.range
        request.range = try source.resolved(asked, of: input)
        guard request.chapters?.first == nil || asked.keep != nil || request.range == asked else {
            throw MediaError(
                .invalidRequest,
                "\(input) says what is taken of its files, and chapters of that were asked for",
                remedy: "leave out --chapter-range, or the list's inpoint and outpoint")
        }
        var exporter = Exporter(
            opened, request, alternatives: wanted.alternatives, memory: encoderMemory, artwork: picture,
            subtitles: subtitles, clones: wanted.cloneBlock.map(CloneRequest.init))
        exporter.crashes = wanted.crashes ?? 0
        return exporter
    }

    func decode<T: Decodable>(_ params: JSONValue, _ type: T.Type) throws(MediaError) -> T {
        do { return try params.decode(as: type) } catch { throw MediaError(.invalidRequest, "\(error)") }
    }

    func encode(_ value: some Encodable) throws(MediaError) -> JSONValue {
        do throws(WireError) { return try JSONValue(encoding: value) } catch {
            throw MediaError(.unknown, "\(error)")
        }
    }
}

// The worker's requests for previews: thumbnails, a waveform, a segment, the text of subtitles.
extension WorkerProgram {
    /// Serves `thumbnails`, `waveform`, `segment` or `cues` on an open source.
    func preview(
        _ method: WorkerMethod, _ params: JSONValue, _ source: WorkerSource, _ descriptors: Descriptors
    ) throws(MediaError) -> JSONValue {
        switch method {
        case .thumbnails:
            let wanted = try decode(params, WorkerPreview<ThumbnailsParams>.self)
            let output = try take(descriptors, 1, "a file of pictures")
            return try encode(
                ThumbnailStrip(
                    source.file(wanted.name, variant: wanted.params.variant), at: wanted.params.at,
                    width: wanted.params.width ?? 160,
                    keyframes: wanted.params.keyframes ?? false, subtitles: wanted.params.subtitles
                ).run(output: output))
        case .waveform:
            let wanted = try decode(params, WorkerPreview<WaveformParams>.self)
            return try encode(
                WaveformBuckets(
                    source.file(wanted.name, variant: wanted.params.variant), from: wanted.params.start,
                    to: wanted.params.end,
                    count: wanted.params.buckets, track: wanted.params.track
                ).run())
        case .cues:
            let wanted = try decode(params, WorkerPreview<CuesParams>.self)
            return try encode(
                TextCues(
                    source.file(wanted.name), track: wanted.params.track, from: wanted.params.start,
                    to: wanted.params.end
                ).run())
        default:
            let wanted = try decode(params, WorkerPreview<SegmentParams>.self)
            let output = try take(descriptors, 1, "a segment")
            var report = try PreviewSegment(
                source.file(wanted.name, variant: wanted.params.variant), from: wanted.params.start,
                duration: wanted.params.duration,
                width: wanted.params.width ?? 640, track: wanted.params.track,
                subtitles: wanted.params.subtitles
            ).run(output: output)
            report.bytes = size(of: output)
            return try encode(report)
        }
    }
}

// The worker's part in exports that are made in units: makes one unit, or joins all of them.
extension WorkerProgram {
    /// Makes one unit of an export.
    func unit(
        _ wanted: WorkerUnit, _ source: WorkerSource, _ descriptors: Descriptors, _ channel: BlockingChannel
    ) throws(MediaError) -> UnitReport {
        try limit(.transcode)
        LibavThreads.setLimit(wanted.threads)
        let output = try take(descriptors, 1, "a unit")
        let export = try exporter(
            WorkerExport(wanted.request, alternatives: .none), source, descriptors, from: 2, hasArtwork: false
        )
        let first = wanted.request.options?.burnedFile == nil ? 2 : 3
        var inputs: [Int32] = []
        for index in wanted.unit.inputs.indices {
            inputs.append(try take(descriptors, first + index, "an input"))
        }
        return try export.make(wanted.unit, plan: wanted.plan, inputs: inputs, output: output) {
            try? channel.send(.notification(WorkerNotification.progress.rawValue, encoding: $0))
        }
    }

    /// The figures that the daemon learns of an output before it is written. Decoders and filters that it opens use no more threads than it
    /// says first; those that check an output that only copies by then, or joins units, decode for a moment, and keep that number.
    func plan(of output: PlannedOutput, threads: Int?) -> WorkerPlan {
        if !output.isBegun {
            let usable = output.processors.map { max(1, $0) }
            LibavThreads.setLimit(threads.map { min($0, usable ?? $0) } ?? usable)
        }
        return WorkerPlan(bytes: output.bytes, length: output.length, processors: output.processors)
    }

    /// Joins the units of an export, or says which are made first. Their files come in notifications.
    func join(
        _ wanted: WorkerJoin, _ source: WorkerSource, _ descriptors: Descriptors, _ channel: BlockingChannel
    ) throws(MediaError) -> ExportOutcome {
        try limit(.transcode, descriptors: SandboxLimits.joiningDescriptors)
        LibavThreads.setLimit(wanted.threads)
        let output = try take(descriptors, 1, "an output")
        let export = try exporter(
            WorkerExport(wanted.request, alternatives: .none), source, descriptors, from: 2)
        guard let files = files.wait(for: wanted.units.count) else {
            throw MediaError(.invalidRequest, "the files of the units did not come")
        }
        let outcome = try export.join(
            wanted.units, wanted.reports, plan: wanted.plan, files: files, output: output,
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
        return outcome.sized(size(of: output))
    }
}

extension ExportOutcome {
    /// A finished result with the size of its output in bytes.
    func sized(_ bytes: Int64) -> ExportOutcome {
        guard case .finished(var result) = self else { return self }
        result.bytes = bytes
        return .finished(result)
    }
}

// The worker's request to verify an output that another worker wrote.
extension WorkerProgram {
    /// Serves `verify` on an open output, and closes it.
    func verified(_ wanted: WorkerVerify, _ output: WorkerSource) throws(MediaError) -> Verified {
        // Decoding a whole file takes as long as a job may; probing does not.
        try limit(wanted.strict ? .picture : .probe)
        LibavThreads.setLimit(wanted.threads)
        let check = Verification(
            file(output.descriptor, "the output"), wanted.result, strict: wanted.strict,
            shared: wanted.shared ?? [])
        let verified = Verified(warnings: try check.run())
        // The job ends with the answer, and whoever is told may unmount the disk.
        close(output.descriptor)
        return verified
    }
}

// The worker's second thread: it waits for what the daemon sends while the request is served, and for the daemon's end. It borrows the
// channel, of which it is the only receiver from then on, passes descriptors on to those who own them, and runs until the process exits.
// It reads no media, and answers only where the time limit is reached while subtitles are drawn.
extension WorkerProgram {
    /// The time between two heartbeats.
    private static let pulse = Duration.seconds(1)

    /// Its stack in bytes: messages of playlists are decoded on it.
    private static let watchStack = 1 << 20

    /// Exits when the daemon closes its end of the socketpair: nobody would receive the result. Until then it collects the files
    /// that come after the request, and those of a playlist, and sends heartbeats while work continues, so that the daemon can
    /// distinguish a slow job from one that hangs.
    func watch(
        _ channel: BlockingChannel, _ segments: DaemonFiles, answering id: RequestID
    ) throws(SystemError) {
        try OwnThread.start(stack: WorkerProgram.watchStack) { [files, sandbox] in
            var (last, sent) = (LibavPulse.count, ContinuousClock.now)
            // While the process is stopped, its time stands still.
            var (counted, seconds) = (ContinuousClock.now, 0)
            func beat() {
                let (count, now) = (LibavPulse.count, ContinuousClock.now)
                if now - counted >= WorkerProgram.pulse {
                    (counted, seconds) = (now, seconds + 1)
                    if let error = WorkerProgram.expiry(after: seconds, of: sandbox.seconds) {
                        try? channel.send(.failure(id: id, error: RemoteError(error)))
                        _exit(0)
                    }
                }
                guard count != last, now - sent >= WorkerProgram.pulse else { return }
                (last, sent) = (count, now)
                // Where it fails, the daemon has gone, which the next message tells.
                try? channel.send(
                    .notification(method: WorkerNotification.alive.rawValue, params: .empty))
            }
            while true {
                guard let (message, descriptors) = try? channel.receive(every: WorkerProgram.pulse, beat)
                else {
                    _exit(3)
                }
                defer { beat() }
                guard case .notification(let method, let params) = message else { continue }
                switch DaemonNotification(rawValue: method) {
                case .files: files.add(descriptors)
                case .segments: segments.receive(params, descriptors)
                case nil: continue
                }
            }
        }
    }

    /// The daemon ends a worker at its limit, and does not know at what it was. Shortly before that, in seconds, a worker that has mostly
    /// drawn subtitles ends with an error that names them.
    private static let notice = 2

    /// The error of a worker that has drawn subtitles for most of its time, when that is over; nil otherwise.
    private static func expiry(after seconds: Int, of limit: Int?) -> MediaError? {
        guard let limit, seconds >= limit - notice, let (subtitles, time) = DrawingTime.current,
            time > .seconds(seconds) / 2
        else { return nil }
        return MediaError(
            .timeLimitReached,
            "draw \(subtitles): they took \(time.components.seconds) of the \(limit) s that a job may take",
            remedy: "burn simpler subtitles, or raise limits.jobSeconds in trimd.json")
    }
}

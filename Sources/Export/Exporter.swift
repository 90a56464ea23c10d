// One export from beginning to end: probe, judge, resolve the times, plan, carry out. Runs on the caller's thread. Opens
// nothing: source and output are descriptors. It does not sync or rename: that is the daemon's.
internal import Glibc
public import Libav
public import Media
public import MediaTime

/// An export of one source to one output.
public struct Exporter: Sendable {
    let source: SourceFile
    let request: ExportRequest
    private let memory: Int64?
    private let artwork: SourceFile?

    /// An export as it was asked for.
    /// - Parameters:
    ///   - memory: bytes that a worker may take; nil: nobody says.
    ///   - artwork: the picture that the request names.
    public init(
        _ source: SourceFile, _ request: ExportRequest, memory: Int64? = nil, artwork: SourceFile? = nil
    ) {
        self.source = source
        self.request = request
        self.memory = memory
        self.artwork = artwork
    }

    var options: RenderOptions { request.options ?? RenderOptions() }

    /// FFmpeg's names of the encoders that trimd's presets could ask for and this build has.
    public static func encoders(for presets: [Preset]) -> Set<String> {
        Set(
            presets.flatMap { [$0.video?.encoder, $0.audio?.encoder].compactMap(\.self) }.filter(
                Encoder.exists))
    }

    /// Exports.
    /// - Parameters:
    ///   - output: open for reading and writing, empty.
    ///   - planned: called before anything is written, with the most bytes that the output will have, where they can be told,
    ///     and its length; again where the export is tried in another way.
    ///   - progress: called at most ten times a second, and at each phase.
    public func run(
        output: Int32, planned: (Int64?, Time?) -> Void = { _, _ in },
        progress: @escaping @Sendable (Progress) -> Void, log: (String) -> Void
    ) throws(MediaError) -> ExportResult {
        progress(Progress(fraction: 0, phase: .preparing))
        let diagnostics = Diagnostics()
        let ready = try prepare(diagnostics)
        var meter = ProgressMeter(ready.range.segments, length: ready.length, report: progress)
        var strategy = RenderStrategy(request)
        var attempt = RenderAttempt(self, ready, output: output)
        while true {
            do throws(AttemptFailure) {
                return try attempt.run(
                    strategy.way, Diagnostics(diagnostics), meter: meter, planned: planned, log: log)
            } catch {
                let step = try follow(error, &strategy, attempt, diagnostics, log)
                guard ftruncate(output, 0) == 0 else { throw error.error }
                // Of a pass that is left out, what was done counts.
                if step == .onePass { continue }
                meter = ProgressMeter(ready.range.segments, length: ready.length, report: progress)
            }
        }
    }

    /// Does what the next attempt needs. Throws where there is none.
    private func follow(
        _ failure: AttemptFailure, _ strategy: inout RenderStrategy, _ attempt: RenderAttempt,
        _ diagnostics: Diagnostics, _ log: (String) -> Void
    ) throws(MediaError) -> RenderStrategy.Step {
        let step = strategy.next(after: failure, of: attempt.tried)
        if let words = step.words(after: failure, attempt.limit) { log(words) }
        switch step {
        case .measureReorderDepth:
            do throws(MediaError) {
                strategy.reorder(by: try attempt.reorderDepth())
                log("the pictures are out of order by \(strategy.way.reorderDepth)")
            } catch {
                return try follow(.orderUnknown(error), &strategy, attempt, diagnostics, log)
            }
        case .encodeInstead(let error):
            diagnostics.warn(
                Warning(.encodedInstead, "\(error.message); it was encoded instead", track: error.track))
        case .avoidMatchingSets, .encodeForSize, .otherRates, .onePass: break
        case .giveUp(let error): throw error
        }
        return step
    }

    /// All that is decided before a way is chosen.
    func prepare(_ diagnostics: Diagnostics) throws(MediaError) -> ExportPreparation {
        let asset = try TrackSelection(options, of: try Probe.asset(of: source)).chosen()
        let fileType = try chosenFileType(asset, diagnostics)
        var range = try TimeResolution(asset: asset, source: source, diagnostics: diagnostics).range(request)
        if let tolerance = Tolerance(request), let track = asset.mainVideo,
            RenderDecision.mayCopy(track, request, fileType)
        {
            range = try tolerance.move(
                range, track: track, asset: asset, source: source, diagnostics: diagnostics)
        }
        for fault in asset.faults where fault.code == .truncated {
            // What is missing lies in a range without an end; else what is made tells.
            if request.strict, range.end == nil {
                throw MediaError(
                    .damagedMedia, fault.message,
                    remedy: "leave out --strict, or choose a range that ends before what is missing")
            }
            diagnostics.warn(Warning(.truncated, fault.message, track: fault.track))
        }
        return ExportPreparation(
            asset: asset, fileType: fileType, range: range, timing: try timing(asset, range),
            passthrough: try PassthroughPlan(
                asset, request, range: range, fileType: fileType, source: source, artwork: artwork))
    }

    /// The output's file type, where the preset is valid for the asset.
    private func chosenFileType(_ asset: Asset, _ diagnostics: Diagnostics) throws(MediaError) -> FileType {
        let preset = request.preset
        let compatibility = Checker.compatibility([preset], memory: memory)
        if let obstacle = compatibility.obstacle(of: asset) { throw obstacle }
        let named = request.output.name.map { String($0.split(separator: ".").last ?? "").lowercased() }
        let result = compatibility.check(preset, for: asset, fileType: named, options: options)
        guard result.valid, let type = named ?? result.fileTypes.first,
            let fileType = FileType(rawValue: type)
        else {
            let why = result.reasons.map(\.message).joined(separator: "; ")
            throw MediaError(
                .presetNotValid, "\(preset.id) is not valid for \(source.name): \(why)",
                remedy: result.reasons.compactMap(\.remedy).first)
        }
        // These are said by who does it.
        let later: Set<WarningCode?> = [.toneMapped, .dolbyVisionLost, .secondViewLost]
        for warning in result.warnings where !later.contains(warning.warning) {
            diagnostics.warn(Warning(warning))
        }
        return fileType
    }

    /// The timing of the frames in the range, where the frame-rate cap may bite; else of those the probe saw.
    private func timing(_ asset: Asset, _ range: ResolvedRange) throws(MediaError) -> FrameTiming? {
        guard let settings = request.preset.video, let track = asset.mainVideo, let format = track.video,
            let cap = settings.maxFrameRate
        else { return nil }
        let nominal = [format.frameRate].compactMap(\.self)
        // A grid that is not finer than the cap holds no two frames nearer to each other; seeming so is jitter.
        if let grid = format.nominalRate, grid <= cap { return nil }
        guard format.isVariable || nominal.isEmpty || nominal.contains(where: { $0 > cap }) else {
            return nil
        }
        return try TimeResolution(asset: asset, source: source, diagnostics: Diagnostics()).timing(
            track, range)
    }
}

// Runs one export: probes the source, checks the preset, resolves the times, plans and executes. Runs on the caller's thread. Opens
// no file: source and output are descriptors. The daemon syncs and renames the output.
internal import Glibc
public import Libav
public import Media
internal import MediaTime
public import Render
internal import Source
internal import Text

/// An export of one source to one output.
public struct Exporter: Sendable {
    let source: SourceFile
    var request: ExportRequest
    /// Presets that errors may name once they were tried.
    var alternatives: EncodedPresets
    /// Whether the request's preset is its fallback.
    var isFallback = false
    /// How many processes died of this export before.
    public var crashes = 0
    /// Whether samples are copied on the caller's thread alone, which holds all of them at once.
    var isSerial = false
    private let memory: Int64?
    private let artwork: SourceFile?
    /// The file of subtitles to draw.
    let subtitles: SourceFile?
    /// Whether the output can be given blocks of the source; nil: it cannot.
    let clones: CloneRequest?

    /// Creates the export of a request.
    /// - Parameters:
    ///   - alternatives: presets to try where the request's preset, which copies samples, cannot be used; an error names those
    ///     that can.
    ///   - memory: bytes that a worker may take; nil: no limit is known.
    ///   - artwork: the image that the request names.
    ///   - subtitles: the file of subtitles that the request names.
    ///   - clones: the caller gives the output blocks of the source: the result names them, and until then the output lacks them.
    public init(
        _ source: SourceFile, _ request: ExportRequest, alternatives: EncodedPresets = .none,
        memory: Int64? = nil,
        artwork: SourceFile? = nil, subtitles: SourceFile? = nil, clones: CloneRequest? = nil
    ) {
        self.source = source
        self.request = request
        self.alternatives = alternatives
        self.memory = memory
        self.artwork = artwork
        self.subtitles = subtitles
        self.clones = clones
    }

    var options: ExportOptions { request.options ?? ExportOptions() }

    /// FFmpeg's names of the encoders of these presets that this build has.
    public static func encoders(for presets: [Preset]) -> Set<String> {
        let own = presets.flatMap { [$0.video?.encoder, $0.audio?.encoder].compactMap(\.self) }
        let chosen =
            VideoCodecChoice.allCases.map(\.encoder) + AudioCodecChoice.allCases.map(\.settings.encoder)
            + AudioSettings.kept.map(\.encoder) + AudioSettings.encodersOfPCM
        return Set((own + chosen).filter(Encoder.exists))
    }

    /// Exports.
    /// - Parameters:
    ///   - output: open for reading and writing, empty.
    ///   - planned: called before anything is written; called again before each further attempt, and when an attempt needs fewer
    ///     processors from then on.
    ///   - progress: called at most ten times a second, and at each phase.
    public func run(
        output: Int32, planned: (PlannedOutput) -> Void = { _ in },
        progress: @escaping @Sendable (Progress) -> Void, log: (String) -> Void
    ) throws(MediaError) -> ExportResult {
        let outcome = try export(
            division: nil, output: output, planned: planned, progress: progress, log: log)
        guard case .finished(let result) = outcome else {
            throw MediaError(.unknown, "an export that is not divided was divided")
        }
        return result
    }

    /// Exports, or divides the export into units and writes nothing.
    /// - Parameters:
    ///   - division: nil: it is made as one.
    ///   - output, planned, progress, log: as for `run`.
    public func export(
        division: UnitDivision?, output: Int32, planned: (PlannedOutput) -> Void = { _ in },
        progress: @escaping @Sendable (Progress) -> Void, log: (String) -> Void
    ) throws(MediaError) -> ExportOutcome {
        try fallingBack { (exporter, diagnostics) throws(MediaError) in
            // The failed one may have written something.
            guard !exporter.isFallback || ftruncate(output, 0) == 0 else {
                throw MediaError(.inputOutput, "the output cannot be emptied (errno \(errno))")
            }
            let outcome = try exporter.export(
                diagnostics, division, output: output, planned: planned, progress: progress, log: log)
            guard exporter.isFallback, case .finished(var result) = outcome else { return outcome }
            result.preset = exporter.request.preset.id
            return .finished(result)
        }
    }

    /// Exports with the request's preset.
    private func export(
        _ diagnostics: Diagnostics, _ division: UnitDivision?, output: Int32,
        planned: (PlannedOutput) -> Void, progress: @escaping @Sendable (Progress) -> Void,
        log: (String) -> Void
    ) throws(MediaError) -> ExportOutcome {
        progress(Progress(fraction: 0, phase: .preparing))
        let ready = try prepare(diagnostics)
        var meter = ProgressMeter(ready.range.segments, length: ready.length, report: progress)
        var strategy = RenderStrategy(ready.request)
        var attempt = RenderAttempt(self, ready, output: output)
        while true {
            do throws(AttemptFailure) {
                if let division,
                    let units = try AttemptFailure.other({ () throws(MediaError) in
                        try attempt.units(strategy.way, division, diagnostics.warnings, log: log)
                    })
                {
                    planned(PlannedOutput(length: ready.length))
                    return .units(units)
                }
                return .finished(
                    try attempt.run(
                        strategy.way, Diagnostics(diagnostics), meter: meter, planned: planned, log: log))
            } catch {
                let step = try follow(error, &strategy, attempt, diagnostics, log)
                guard ftruncate(output, 0) == 0 else { throw error.error }
                // A pass that is left out counts as done.
                if step == .onePass { continue }
                meter = ProgressMeter(ready.range.segments, length: ready.length, report: progress)
            }
        }
    }

    /// Prepares the next attempt. Throws if there is none.
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
                log("the reorder depth of the copied frames is \(strategy.way.reorderDepth)")
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

    /// Decides everything that precedes the choice of the render mode.
    func prepare(_ diagnostics: Diagnostics) throws(MediaError) -> ExportPreparation {
        var (source, asset) = (source, try TrackSelection(options, of: try Probe.asset(of: source)).chosen())
        let begun = try? TimeResolution(asset: asset, source: source, diagnostics: Diagnostics()).range(
            request)
        (source, asset) = RangeFormat.of(begun?.segments, source, asset)
        let fileType = try chosenFileType(asset, diagnostics)
        var request = request
        request.preset = try Checker.compatibility([request.preset], memory: memory).adjusted(
            request.preset, for: asset, to: fileType, options)
        var range = try TimeResolution(asset: asset, source: source, diagnostics: diagnostics).range(request)
        if let tolerance = Tolerance(request), let track = asset.mainVideo,
            RenderDecision.mayCopy(track, request, fileType)
        {
            range = try tolerance.move(
                range, track: track, asset: asset, source: source, diagnostics: diagnostics)
        }
        for fault in asset.faults where fault.code == .truncated {
            // A range without an end includes the missing part; for others, the finished output shows whether it does.
            if request.strict, range.end == nil {
                throw MediaError(
                    .damagedMedia, fault.message,
                    remedy: "leave out --strict, or choose a range that ends before what is missing")
            }
            diagnostics.warn(Warning(.truncated, fault.message, track: fault.track))
        }
        if asset.faults.contains(where: { $0.code == .clockJump }) {
            for jump in ClockJump.all(in: source, of: asset) { jump.warn(in: range.segments, diagnostics) }
        }
        if let video = asset.mainVideo, let rate = asset.rateOfUntimedFrames {
            diagnostics.warn(
                Warning(
                    .timesFromRate,
                    "\(source.name) stores no times: its frames are shown at \(rate) a second; `ffmpeg -r RATE -i INPUT -c copy OUTPUT.mkv` gives them others",
                    track: video.index))
        }
        for fault in asset.faults where fault.code == .editRate {
            diagnostics.warn(Warning(.timestamps, fault.message, track: fault.track))
        }
        for fault in asset.faults where fault.code == .unreadRendition {
            diagnostics.warn(Warning(.subtitlesUnread, fault.message))
        }
        return ExportPreparation(
            source: source, request: request, asset: asset, fileType: fileType, range: range,
            timing: try timing(asset, range, request.preset),
            subtitles: try subtitlesToDraw(asset, range, diagnostics),
            passthrough: try PassthroughPlan(
                asset, request, range: range, fileType: fileType, source: source, artwork: artwork))
    }

    /// The file of subtitles to draw, which was read and has some; nil: none was asked for.
    private func subtitlesToDraw(
        _ asset: Asset, _ range: ResolvedRange, _ diagnostics: Diagnostics
    ) throws(MediaError) -> SourceFile? {
        guard let path = options.burnedFile else { return nil }
        guard let subtitles else {
            throw MediaError(.invalidRequest, "no descriptor of the subtitles \(path) came with the request")
        }
        guard asset.mainVideo != nil else {
            throw MediaError(
                .invalidRequest, "--burn-subtitles: \(source.name) has no video to draw on",
                remedy: "leave out --burn-subtitles")
        }
        let file = try SubtitleFile(subtitles)
        if file.count(in: range.segments) == 0 {
            diagnostics.warn(
                Warning(
                    .nothingDrawn,
                    "none of the \(quantity(file.events.count, "subtitle")) in \(subtitles.name) is shown in the range: its times are times of the source"
                ))
        }
        return subtitles
    }

    /// The output's file type; throws if the preset is not valid for the asset.
    private func chosenFileType(_ asset: Asset, _ diagnostics: Diagnostics) throws(MediaError) -> FileType {
        let preset = request.preset
        let compatibility = Checker.compatibility([preset], memory: memory)
        if let obstacle = compatibility.obstacle(of: asset) { throw obstacle }
        let named = request.output.fileExtension
        let result = compatibility.check(preset, for: asset, fileType: named, options: options)
        guard result.valid, let type = named ?? result.fileTypes.first,
            let fileType = FileType(rawValue: type)
        else {
            // Of a copy without a name, the reasons of its own type say it: those of all others would say the same of each.
            let own = named == nil && preset.isPassthrough ? result.types?.first?.reasons : nil
            let why = (own ?? result.reasons).map(\.message).joined(separator: "; ")
            // Nonsense with any preset.
            if let wrong = result.reasons.first(where: { $0.error == .invalidRequest }) {
                throw MediaError(.invalidRequest, wrong.message, remedy: wrong.remedy)
            }
            throw MediaError(
                .presetNotValid, "\(preset.id) is not valid for \(source.name): \(why)",
                remedy: result.reasons.compactMap(\.remedy).first)
        }
        // The stages that do these add the warnings.
        let later: Set<WarningCode?> = [.depthLowered, .toneMapped, .dolbyVisionLost, .secondViewLost]
        for warning in result.warnings where !later.contains(warning.warning) {
            diagnostics.warn(Warning(warning))
        }
        if named == nil, preset.isPassthrough, let own = FileType(of: asset), own != fileType {
            let why = result.types?.first { $0.type == own.rawValue }?.reasons.first?.message
            diagnostics.warn(
                Warning(
                    .typeChanged,
                    "the output is .\(fileType.rawValue), not .\(own.rawValue) as the source"
                        + (why.map { ": \($0)" } ?? "")))
        }
        return fileType
    }

    /// The timing of the frames in the range, if the frame-rate cap may apply; otherwise that of the frames the probe saw.
    private func timing(
        _ asset: Asset, _ range: ResolvedRange, _ preset: Preset
    ) throws(MediaError) -> FrameTiming? {
        guard let settings = preset.video, let track = asset.mainVideo, let format = track.video,
            let cap = settings.maxFrameRate?.divided(by: options.speed ?? Ratio(1))
        else { return nil }
        let nominal = [format.frameRate].compactMap(\.self)
        // On a grid that is no finer than the cap, frames cannot be closer together; smaller distances are jitter.
        if let grid = format.nominalRate, grid <= cap { return nil }
        guard format.isVariable || nominal.isEmpty || nominal.contains(where: { $0 > cap }) else {
            return nil
        }
        return try TimeResolution(asset: asset, source: source, diagnostics: Diagnostics()).timing(
            track, range)
    }
}

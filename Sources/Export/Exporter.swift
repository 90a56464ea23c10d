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
        var request = request
        progress(Progress(fraction: 0, phase: .preparing))
        let diagnostics = Diagnostics()
        let ready = try prepare(diagnostics)
        let (asset, range, length) = (ready.asset, ready.range, ready.length)
        var meter = ProgressMeter(range.segments, length: length, report: progress)
        var delay = 0
        var avoidsMatch = false
        var limit = SizeLimit(options, source: source.size, sound: request.preset.audio)
        var passes = TwoPasses(options)
        while true {
            let attempt = Diagnostics(diagnostics)
            attempt.limit(to: range.segments.hull)
            var decision: RenderDecision
            var plan: ExportPlan
            var tried: ExportPlan?
            var verdict: SizeLimit.Verdict?
            do throws(MediaError) {
                decision = try RenderDecision.decide(
                    asset, request, range: range, fileType: ready.fileType, source: source, delay: delay)
                decision.smartTrim?.avoidsMatch = avoidsMatch
                plan = try ready.plan(request, decision)
                try choose(&limit, &plan, ready)
                tried = plan
                try passes.prepare(
                    &plan, isLimited: limit.rates != nil, length: length,
                    by: FirstPass(source: source, strict: request.strict), meter: meter)
                tried = plan
                log(describe(plan))
                planned(mostBytes(ready, plan), length)
                let pipeline = Pipeline(
                    plan, source: source, strict: request.strict, diagnostics: attempt, meter: meter)
                let (tracks, dropped) = try pipeline.run(output: output)
                if request.strict { try refuseDamage(in: range, attempt) }
                try note(breakOf: asset, in: range, tracks, attempt)
                try check(plan, tracks, output, pipeline.witness, attempt)
                try checkSound(plan, tracks, output, asset, attempt)
                plan.dropped += dropped
                let made = pipeline.outcome(size: Int64(lseek(output, 0, SEEK_END)))
                log(made.words)
                verdict = limit.judge(plan, made, length: length)
                guard verdict == .done else { throw limit.error(plan, length: length) }
                return result(plan, range, tracks, attempt)
            } catch  where error.code == .maximumFileSizeReached && limit.bytes != nil {
                // What was taken over is encoded, what was encoded gets another rate.
                guard let plan = tried else { throw error }
                if plan.smartTrim != nil, request.preset.video != nil, request.render == .auto {
                    request.render = .encode
                } else {
                    guard verdict ?? limit.judge(plan, nil, length: length) == .again else {
                        throw limit.error(plan, length: length)
                    }
                }
                log("the size does not suit: again, \(limit.words)")
                guard ftruncate(output, 0) == 0 else { throw error }
                meter = ProgressMeter(range.segments, length: length, report: progress)
            } catch {
                if passes.giveUp(tried, error) {
                    log("the second pass failed, one pass is made: \(error)")
                    guard ftruncate(output, 0) == 0 else { throw error }
                    continue
                }
                // What cannot be copied, or not joined, is joined in another way, or encoded where the preset says how.
                guard error.code == .spliceFailed else { throw explained(error, asset) }
                log("not copied: \(error)")
                switch SmartTrimFault(error) {
                case .reordering? where delay == 0:
                    // What the cut points and the headers did not tell, all of the copied samples do.
                    guard let smartTrim = tried?.smartTrim else { throw error }
                    do throws(MediaError) {
                        delay = max(
                            1, try ReorderScan(source: source, plan: smartTrim, origin: asset.start).depth())
                        log("the pictures are out of order by \(delay)")
                    } catch {
                        try encodeInstead(&request, error, diagnostics, isLate: true)
                    }
                case .mismatch(isMatched: true)? where !avoidsMatch: avoidsMatch = true
                default: try encodeInstead(&request, error, diagnostics, isLate: SmartTrimFault(error) != nil)
                }
                guard ftruncate(output, 0) == 0 else { throw error }
                meter = ProgressMeter(range.segments, length: length, report: progress)
            }
        }
    }

    /// Goes another way where the pictures cannot be copied, or throws why not.
    /// - Parameter isLate: that came out while they were copied, so that nobody who asked for it could know.
    private func encodeInstead(
        _ request: inout ExportRequest, _ error: MediaError, _ diagnostics: Diagnostics, isLate: Bool
    ) throws(MediaError) {
        guard request.preset.video != nil, request.render == .auto || isLate else { throw error }
        diagnostics.warn(
            Warning(.encodedInstead, "\(error.message); it was encoded instead", track: error.track))
        request.render = .encode
    }

    /// All that is decided before a way is chosen.
    func prepare(_ diagnostics: Diagnostics) throws(MediaError) -> ExportPreparation {
        let asset = try TrackSelection(options, of: try Probe.asset(of: source)).chosen()
        let fileType = try judge(asset, diagnostics)
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

    /// Throws where something is damaged or missing in the range, of which a lane could only warn.
    private func refuseDamage(in range: ResolvedRange, _ diagnostics: Diagnostics) throws(MediaError) {
        let (start, end) = range.segments.hull
        let found = diagnostics.warnings.first { warning in
            guard [.truncated, .damagedMedia].contains(warning.code), warning.track != nil else {
                return false
            }
            return warning.time.map { time in time >= start && end.map { time < $0 } ?? true } ?? true
        }
        guard let found else { return }
        throw MediaError(
            .damagedMedia, found.message, time: found.time, track: found.track,
            remedy: "leave out --strict, or choose another range")
    }

    /// Says where a file that breaks off does, where that is before the end of the range; under --strict that is an error.
    private func note(
        breakOf asset: Asset, in range: ResolvedRange, _ tracks: [TrackResult], _ diagnostics: Diagnostics
    ) throws(MediaError) {
        guard let fault = asset.faults.first(where: { $0.code == .truncated }),
            let last = tracks.filter({ $0.kind == .video || $0.kind == .audio }).map(\.actual.end).max(),
            range.end.map({ last + Exporter.slack < $0 }) ?? true
        else { return }
        let message = "\(fault.message); what there is ends at \(last.clock())"
        if request.strict { throw MediaError(.damagedMedia, message, time: last) }
        diagnostics.replace(Warning(.truncated, message, time: last))
    }

    /// An error that there is nothing in the range, where the file breaks off: that is why.
    private func explained(_ error: MediaError, _ asset: Asset) -> MediaError {
        guard [.operationNotSupported, .undecodableMediaData].contains(error.code),
            let fault = asset.faults.first(where: { $0.code == .truncated })
        else { return error }
        return MediaError(
            .damagedMedia, "\(fault.message); \(error.message)", time: error.time, track: error.track,
            remedy: "choose an earlier range")
    }

    /// Tracks may end so long before each other.
    private static let slack = Time(1, 10)

    /// Looks at the places where copied and encoded pictures meet, or at a few that were encoded.
    private func check(
        _ plan: ExportPlan, _ tracks: [TrackResult], _ output: Int32, _ witness: HeadTailFrames,
        _ diagnostics: Diagnostics
    ) throws(MediaError) {
        guard let track = tracks.first(where: { $0.kind == .video }) else { return }
        let size = lseek(output, 0, SEEK_END)
        let file = SourceFile(
            descriptor: output, size: Int64(size), name: "output.\(plan.fileType.rawValue)")
        if let video = plan.video {
            return try EncodeCheck(
                source: source, output: file, plan: video, origin: plan.origin, segments: plan.segments,
                fileType: plan.fileType, index: track.index, end: track.length
            ).run()
        }
        guard let smartTrim = plan.smartTrim else { return }
        let damage: [Damage]
        do throws(SeamCheck.Mismatch) {
            damage = try SeamCheck(
                source: source, output: file, plan: smartTrim, origin: plan.origin, index: track.index,
                fileType: plan.fileType, witness: witness
            ).run()
        } catch {
            throw SmartTrimFault.mismatch(isMatched: track.scheme == .match).error(
                error.why, at: error.time, track: track.source)
        }
        for one in damage {
            // Where a preset says how, encoding is better than copying what is damaged.
            guard request.preset.video == nil || request.render != .auto else {
                throw MediaError(.spliceFailed, one.sentence, time: one.time, track: track.source)
            }
            if request.strict { throw one.error(track: track.source) }
            diagnostics.warn(one.warning(track: track.source, "it was copied as it is"))
        }
    }

    /// Looks at where the output's sound begins.
    private func checkSound(
        _ plan: ExportPlan, _ tracks: [TrackResult], _ output: Int32, _ asset: Asset,
        _ diagnostics: Diagnostics
    ) throws(MediaError) {
        let file = SourceFile(descriptor: output, name: "output.\(plan.fileType.rawValue)")
        try AudioStartCheck(source: source, output: file, plan: plan, asset: asset).run(tracks, diagnostics)
    }

    private func result(
        _ plan: ExportPlan, _ range: ResolvedRange, _ tracks: [TrackResult], _ diagnostics: Diagnostics
    ) -> ExportResult {
        let ends = tracks.map(\.actual.end)
        let end = (range.segments.all.count > 1 ? range.end ?? ends.max() : ends.max()) ?? range.start
        let decision =
            tracks.filter { $0.kind == .video }.map(\.way) + tracks.filter { $0.kind == .audio }.map(\.way)
        let render: RenderMode = decision.contains(.smart) ? .smart : decision.first ?? .encode
        return ExportResult(
            render: render, fileType: plan.fileType.rawValue,
            requested: TimeSpan(
                start: range.requested.start, end: range.requested.end.isNumeric ? range.requested.end : end),
            actual: TimeSpan(start: range.start, end: range.end.map { min($0, end) } ?? end), tracks: tracks,
            bytes: 0, warnings: diagnostics.warnings, dropped: plan.dropped)
    }

    /// The output's file type, where the preset is valid for the asset.
    private func judge(_ asset: Asset, _ diagnostics: Diagnostics) throws(MediaError) -> FileType {
        let preset = request.preset
        let judge = Checker.judge([preset], memory: memory)
        if let obstacle = judge.obstacle(of: asset) { throw obstacle }
        let named = request.output.name.map { String($0.split(separator: ".").last ?? "").lowercased() }
        let verdict = judge.verdict(preset, for: asset, fileType: named, options: options)
        guard verdict.valid, let type = named ?? verdict.fileTypes.first,
            let fileType = FileType(rawValue: type)
        else {
            let why = verdict.reasons.map(\.message).joined(separator: "; ")
            throw MediaError(
                .presetNotValid, "\(preset.id) is not valid for \(source.name): \(why)",
                remedy: verdict.reasons.compactMap(\.remedy).first)
        }
        // These are said by who does it.
        let later: Set<WarningCode?> = [.toneMapped, .dolbyVisionLost, .secondViewLost]
        for warning in verdict.warnings where !later.contains(warning.warning) {
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

    private func describe(_ plan: ExportPlan) -> String {
        var parts = [
            "plan: "
                + plan.segments.all.map { "[\($0.start), \($0.end.map { "\($0)" } ?? "end"))" }
                .joined(separator: ", ") + " to \(plan.fileType.rawValue)"
        ]
        parts.append("movie timescale \(plan.movieTimescale)")
        if let video = plan.video {
            parts.append(
                "track \(video.track.index) \(video.track.codec) to \(video.settings.codec) \(video.width)x\(video.height)"
                    + " at \(video.frameRate)\(video.isConstant ? "" : " (variable)"), ticks \(video.timebase)"
                    + ", cadence \(video.cadence)")
        }
        if let smartTrim = plan.smartTrim { parts.append(smartTrim.summary) }
        for audio in plan.audio {
            switch audio {
            case .encode(let plan):
                parts.append("track \(plan.track.index) \(plan.track.codec) to \(plan.settings.codec)")
            case .copy(let track): parts.append("track \(track.index) \(track.codec) copied")
            }
        }
        return parts.joined(separator: "; ")
    }
}

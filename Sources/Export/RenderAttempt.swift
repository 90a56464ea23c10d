// One attempt at an export: plans, renders, and checks the output. It keeps data for the next attempt: the size limit and the
// statistics of a first pass. Runs on the caller's thread.
internal import Check
internal import Codecs
internal import Glibc
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

/// The attempts at an export.
struct RenderAttempt {
    let source: SourceFile
    let request: ExportRequest
    let ready: ExportPreparation
    /// The output's descriptor.
    let output: Int32
    private let exporter: Exporter
    private(set) var limit: SizeLimit
    private var passes: TwoPasses
    /// The plan of the latest attempt, if there is one.
    private var plan: ExportPlan?
    /// The size of the latest attempt's output, if it was written.
    private(set) var made: SizeLimit.Outcome?

    /// - Parameter limit: the limit as earlier attempts left it; nil: there were none.
    init(_ exporter: Exporter, _ ready: ExportPreparation, output: Int32, limit: SizeLimit? = nil) {
        self.exporter = exporter
        (source, request) = (ready.source, ready.request)
        self.ready = ready
        self.output = output
        self.limit =
            limit ?? SizeLimit(exporter.options, source: source.size, audio: ready.request.preset.audio)
        passes = TwoPasses(exporter.options)
    }

    /// The state of the latest attempt before it failed.
    var tried: RenderStrategy.Attempt {
        RenderStrategy.Attempt(
            copiesVideo: plan?.smartTrim != nil, hasStatistics: passes.hasStatistics)
    }

    /// Renders to the empty output, and checks it.
    mutating func run(
        _ way: RenderStrategy.Way, _ diagnostics: Diagnostics, meter: ProgressMeter,
        planned: (PlannedOutput) -> Void, log: (String) -> Void,
        units: (divided: DividedExport, joined: JoinedUnits)? = nil
    ) throws(AttemptFailure) -> ExportResult {
        plan = nil
        diagnostics.limit(to: ready.range.segments.hull)
        source.warn(ofHolesIn: ready.range.segments, origin: ready.asset.start, diagnostics)
        do throws(AttemptFailure) {
            var plan = try AttemptFailure.other { () throws(MediaError) in
                try prepare(way, meter, isJoined: units != nil)
            }
            if let units,
                let why = try AttemptFailure.other({ () throws(MediaError) in
                    try units.divided.difference(from: plan)
                })
            {
                throw .unitsDiffer(why)
            }
            log(plan.summary)
            warn(ofEncodedAudio: plan, diagnostics)
            let clones = CloneDecision(plan, source, of: ready.asset, units == nil ? exporter.clones : nil)
            if let words = clones.words { log(words) }
            var foreseen = PlannedOutput(
                bytes: exporter.mostBytes(ready, plan).map { max(0, $0 - clones.bytes) },
                length: ready.length,
                processors: plan.processors(isJoined: units != nil), isBegun: units != nil)
            planned(foreseen)
            let pipeline = Pipeline(
                plan, source: source, strict: request.strict, diagnostics: diagnostics, meter: meter,
                units: units?.joined, clones: clones.writer, isSerial: exporter.isSerial)
            let (tracks, dropped) = try pipeline.run(output: output) {
                (foreseen.processors, foreseen.isBegun) = (plan.copyingProcessors, true)
                planned(foreseen)
            }
            try check(plan, tracks, pipeline.recordedFrames, clones.writer?.lender, diagnostics)
            plan.dropped += dropped
            let made = pipeline.outcome(size: Int64(lseek(output, 0, SEEK_END)))
            log(made.words)
            self.made = made
            let decision = limit.decide(plan, made, length: ready.length)
            guard decision == .done else {
                throw .unsuitableSize(decision, limit.error(plan, length: ready.length))
            }
            var result = result(plan, tracks, diagnostics)
            result.clones = clones.writer?.clones.map {
                ClonedRange(output: $0.output, source: $0.source, length: $0.length)
            }
            return result
        } catch {
            guard case .other(let cause) = error else { throw error }
            guard cause.code == .maximumFileSizeReached, limit.bytes != nil, let plan else {
                throw .other(explained(cause))
            }
            throw .unsuitableSize(
                limit.decide(plan, nil, length: ready.length), limit.error(plan, length: ready.length))
        }
    }

    /// Warns of audio that was to be copied, and that the file type cannot hold.
    private func warn(ofEncodedAudio plan: ExportPlan, _ diagnostics: Diagnostics) {
        guard request.preset.isPassthrough else { return }
        for case .encode(let audio) in plan.audio {
            let change = ParameterChange(
                of: audio.track, in: source, origin: ready.asset.start, ready.range.segments)
            // Parts of a playlist are another matter: they are reported as what they are.
            guard let change, change.cause != .discontinuity else { continue }
            diagnostics.warn(
                Warning(
                    .encodedInstead,
                    "audio track \(audio.track.index) is encoded to \(audio.codec): \(change.sentence)",
                    time: change.time, track: audio.track.index))
        }
        let type = plan.fileType
        for track in TrackSelection(request.options ?? ExportOptions(), of: ready.asset).audio
        where !plan.audio.contains(where: { $0.track.index == track.index }) && !type.holdsOneTrack {
            diagnostics.warn(
                Warning(
                    .audioDropped,
                    ".\(type.rawValue) cannot hold the \(track.codec) of audio track \(track.index); it is left out",
                    track: track.index))
        }
        for case .encode(let audio) in plan.audio
        where !type.keeps(audio.track, of: ready.asset) {
            diagnostics.warn(
                Warning(
                    .encodedInstead,
                    ".\(type.rawValue) cannot hold the \(audio.track.codec) of audio track \(audio.track.index); "
                        + "it is encoded to \(audio.codec)",
                    track: audio.track.index))
        }
        for case .encode(let audio) in plan.audio
        where audio.track.audioCodec.isEncodedAtCuts && type.keeps(audio.track, of: ready.asset)
            && audio.codec != audio.track.codec
        {
            diagnostics.warn(
                Warning(
                    .encodedInstead,
                    "the packets of audio track \(audio.track.index) (\(audio.track.codec)) cannot be cut at the range; "
                        + "it is encoded to \(audio.codec)",
                    track: audio.track.index))
        }
    }

    /// The units of a render mode; nil: it is made as one.
    mutating func units(
        _ way: RenderStrategy.Way, _ division: UnitDivision, _ warnings: [Warning], log: (String) -> Void
    ) throws(MediaError) -> UnitPlan? {
        // Later attempts are made as the first one.
        guard way.render != .copy, !way.isOnePass, limit.isUntried else { return nil }
        var plan = try decide(way)
        guard plan.video != nil else { return nil }
        try exporter.choose(&limit, &plan, ready)
        passes.mark(&plan, isLimited: limit.rates != nil, length: ready.length)
        guard let video = plan.video else { return nil }
        if let reason = passes.obstacle(to: plan, limit) {
            log("made as one, not in chunks: \(reason)")
            return nil
        }
        var sharing: SharedBits?
        if video.isTwoPass || limit.bytes != nil {
            sharing = SharedBits(
                stage: video.isTwoPass ? .analysing : .asPreset, limit: limit,
                quality: SharedBits.quality(of: video, limit))
        }
        return try ExportDivision(
            source: source, subtitles: exporter.subtitles, request: request, division: division
        ).units(
            plan, isFallback: exporter.isFallback, render: way.render, sharing: sharing, warnings: warnings)
    }

    /// The plan of an attempt whose video is made in units, with the rates of the limit.
    mutating func planned(_ way: RenderStrategy.Way) throws(MediaError) -> ExportPlan {
        var plan = try decide(way)
        try exporter.choose(&limit, &plan, ready)
        passes.mark(&plan, isLimited: limit.rates != nil, length: ready.length)
        return plan
    }

    /// Decides what follows an attempt that missed the size.
    mutating func decide(_ plan: ExportPlan, _ outcome: SizeLimit.Outcome) throws(MediaError) {
        guard limit.decide(plan, outcome, length: ready.length) == .again else {
            throw limit.error(plan, length: ready.length)
        }
    }

    /// Plans a render mode, and runs its first pass.
    /// - Parameter isJoined: the video is made already.
    private mutating func prepare(
        _ way: RenderStrategy.Way, _ meter: ProgressMeter, isJoined: Bool
    ) throws(MediaError) -> ExportPlan {
        var plan = try decide(way)
        try exporter.choose(&limit, &plan, ready)
        self.plan = plan
        if isJoined {
            passes.mark(&plan, isLimited: limit.rates != nil, length: ready.length)
        } else if way.isOnePass {
            passes.forget()
        } else {
            try passes.prepare(
                &plan, isLimited: limit.rates != nil, length: ready.length,
                by: FirstPass(source: source, strict: request.strict), meter: meter)
        }
        self.plan = plan
        return plan
    }

    /// The plan of a render mode.
    private func decide(_ way: RenderStrategy.Way) throws(MediaError) -> ExportPlan {
        var request = request
        request.render = way.render
        var decision = try RenderDecision.decide(
            ready.asset, request, range: ready.range, fileType: ready.fileType, source: source,
            delay: way.reorderDepth)
        decision.smartTrim?.avoidsMatch = way.avoidsMatchingSets
        return try ready.plan(request, decision)
    }

    /// The reorder depth of the frames that the latest attempt copied. Reads all of them.
    func reorderDepth() throws(MediaError) -> Int {
        guard let smartTrim = plan?.smartTrim else { return 0 }
        return try ReorderScan(source: source, plan: smartTrim, origin: ready.asset.start).depth()
    }

    /// The cause of an empty range, if the file is truncated before it.
    private func explained(_ error: MediaError) -> MediaError {
        guard [.operationNotSupported, .undecodableMediaData].contains(error.code),
            let fault = ready.asset.faults.first(where: { $0.code == .truncated })
        else { return error }
        return MediaError(
            .damagedMedia, "\(fault.message); \(error.message)", time: error.time, track: error.track,
            remedy: ready.range.start > .zero ? "choose an earlier range" : "get the file again, whole")
    }

    private func result(
        _ plan: ExportPlan, _ tracks: [TrackResult], _ diagnostics: Diagnostics
    ) -> ExportResult {
        let range = ready.range
        let ends = tracks.map(\.actual.end)
        let parts = range.segments.all
        let latest = parts.contains { $0.end == nil } ? nil : parts.compactMap(\.end).max()
        let end = (parts.count > 1 ? latest ?? ends.max() : ends.max()) ?? range.start
        return ExportResult(
            render: RenderMode(of: tracks.map { ($0.kind, $0.way) }), fileType: plan.fileType.rawValue,
            requested: TimeSpan(
                start: range.requested.start, end: range.requested.end.isNumeric ? range.requested.end : end),
            actual: TimeSpan(
                start: parts.map(\.start).min() ?? range.start, end: latest.map { min($0, end) } ?? end),
            tracks: tracks,
            bytes: 0, warnings: diagnostics.warnings, dropped: plan.dropped)
    }
}

// Checks an attempt's output before it is accepted: damage of the source that --strict refuses, the end of a truncated source,
// the frames at the joins, and the start of the audio.
extension RenderAttempt {
    /// Checks the output. Throws the first error.
    /// - Parameter lender: has what the output lacks; nil: it is whole.
    func check(
        _ plan: ExportPlan, _ tracks: [TrackResult], _ recordedFrames: HeadTailFrames, _ lender: Lender?,
        _ diagnostics: Diagnostics
    ) throws(AttemptFailure) {
        try AttemptFailure.other { () throws(MediaError) in
            if request.strict { try refuseDamage(diagnostics) }
            try noteBreak(tracks, diagnostics)
        }
        var file = SourceFile(descriptor: output, name: "output.\(plan.fileType.rawValue)")
        file.lender = lender
        let made = ProbedFile(file, trustsHeaders: plan.fileType.isISOMedia)
        try checkVideo(made, plan, tracks, recordedFrames, diagnostics)
        try AttemptFailure.other { () throws(MediaError) in
            try AudioStartCheck(source: source, output: made, plan: plan, asset: ready.asset).run(
                tracks, diagnostics)
        }
    }

    /// Throws if something in the range is damaged or missing, which a lane could only warn of.
    private func refuseDamage(_ diagnostics: Diagnostics) throws(MediaError) {
        let (start, end) = ready.range.segments.hull
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

    /// Warns where a truncated file ends, if that is before the end of the range; under --strict that is an error.
    private func noteBreak(_ tracks: [TrackResult], _ diagnostics: Diagnostics) throws(MediaError) {
        guard let fault = ready.asset.faults.first(where: { $0.code == .truncated }),
            let last = tracks.filter({ $0.kind == .video || $0.kind == .audio }).map(\.actual.end).max(),
            ready.range.end.map({ last + RenderAttempt.slack < $0 }) ?? true
        else { return }
        let message = "\(fault.message); what there is ends at \(last.clock())"
        if request.strict { throw MediaError(.damagedMedia, message, time: last) }
        diagnostics.replace(Warning(.truncated, message, time: last))
    }

    /// Maximum difference between the ends of tracks.
    private static let slack = Time(1, 10)

    /// The error of encoded frames that are not the source's. At a rate that a limit lowered it is the rate's fault.
    private func unrecognisable(_ error: MediaError) -> AttemptFailure {
        guard error.code == .verificationFailed, let rates = limit.rates, let bytes = limit.bytes else {
            return .other(error)
        }
        return .unsuitableSize(
            .impossible,
            MediaError(
                .maximumFileSizeReached,
                "the output does not fit \(bytes) bytes: at \(rates.video) bit/s \(error.message)",
                time: error.time, track: error.track, remedy: SizeLimit.remedy))
    }

    /// Compares the frames where copied and encoded ones meet, or a few encoded ones.
    private func checkVideo(
        _ made: ProbedFile, _ plan: ExportPlan, _ tracks: [TrackResult], _ recordedFrames: HeadTailFrames,
        _ diagnostics: Diagnostics
    ) throws(AttemptFailure) {
        guard let track = tracks.first(where: { $0.kind == .video }) else { return }
        if let video = plan.video {
            // Of transparency, the headers say nothing.
            let isOpaque = video.track.video?.hasAlpha != true
            guard let asset = try? isOpaque ? made.headers() : made.asset(),
                let stored = asset.tracks.first(where: { $0.index == track.index })
            else { return }
            do throws(MediaError) {
                return try EncodeCheck(
                    source: source, output: made.file, plan: video, origin: plan.origin,
                    segments: plan.segments, fileType: plan.fileType, made: stored, end: track.length
                ).run()
            } catch {
                throw unrecognisable(error)
            }
        }
        guard let smartTrim = plan.smartTrim else { return }
        try AttemptFailure.other { () throws(MediaError) in
            try SampleTimesCheck(source: source, track: smartTrim.track, origin: plan.origin).run(
                plan.segments)
        }
        // If the preset says how, encoding is better than copying damaged samples.
        let mayEncode = request.preset.video != nil && request.render == .auto
        let damage: [Damage]
        do throws(JoinCheck.Mismatch) {
            damage = try JoinCheck(
                source: source, output: made.file, plan: smartTrim, origin: plan.origin, index: track.index,
                fileType: plan.fileType, recordedFrames: recordedFrames,
                leavesDecoding: !mayEncode && !request.strict
            ).run(made)
        } catch {
            throw .mismatch(
                AttemptFailure.Mismatch(
                    isMatched: track.scheme == .match, why: error.why, time: error.time, track: track.source)
            )
        }
        for one in damage {
            guard !mayEncode else {
                throw .other(
                    MediaError(.spliceFailed, one.sentence, time: one.time, track: track.source))
            }
            if request.strict { throw .other(one.error(track: track.source)) }
            diagnostics.warn(one.warning(track: track.source, "it was copied as it is"))
        }
    }
}

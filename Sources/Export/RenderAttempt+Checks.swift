// Checks an attempt's output before it is accepted: damage of the source that --strict refuses, the end of a truncated source,
// the frames at the joins, and the start of the audio.
internal import Check
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

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
        let made = ProbedFile(file, isMovie: plan.fileType.hasEditLists)
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

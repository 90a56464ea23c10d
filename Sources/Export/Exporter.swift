// One export from beginning to end: probe, judge, resolve the times, plan, carry out. Runs on the caller's thread. Opens
// nothing: source and output are descriptors. It does not sync or rename: that is the daemon's.
internal import Glibc
public import Libav
public import Media
internal import MediaTime

/// An export of one source to one output.
public struct Exporter: Sendable {
    private let source: SourceFile
    private let request: ExportRequest
    private let artwork: SourceFile?

    /// An export as it was asked for.
    /// - Parameter artwork: the picture that the request names.
    public init(_ source: SourceFile, _ request: ExportRequest, artwork: SourceFile? = nil) {
        self.source = source
        self.request = request
        self.artwork = artwork
    }

    /// FFmpeg's names of the encoders that trimd's presets could ask for and this build has.
    public static func encoders(for presets: [Preset]) -> Set<String> {
        Set(
            presets.flatMap { [$0.video?.encoder, $0.audio?.encoder].compactMap(\.self) }.filter(
                Encoder.exists))
    }

    /// Exports.
    /// - Parameters:
    ///   - output: open for reading and writing, empty.
    ///   - progress: called at most ten times a second, and at each phase.
    public func run(
        output: Int32, progress: @escaping @Sendable (Progress) -> Void, log: (String) -> Void
    ) throws(MediaError) -> ExportResult {
        var request = request
        progress(Progress(fraction: 0, phase: .preparing))
        let asset = try Probe.asset(of: source)
        let notes = Notes()
        let fileType = try judge(asset, notes)
        let range = try TimeResolution(asset: asset, source: source, notes: notes).range(request)
        for fault in asset.faults where fault.code == .truncated {
            if request.strict { throw MediaError(.damagedMedia, fault.message) }
            notes.warn(Warning(fault.code.rawValue, fault.message, track: fault.track))
        }
        let timing = try timing(asset, range)
        let carry = try CarryPlan(
            asset, request, range: range, fileType: fileType, source: source, artwork: artwork)
        let length = [range.end, asset.duration].compactMap(\.self).min().map { $0 - range.start }
        var meter = ProgressMeter(start: range.start, length: length, report: progress)
        var delay = 0
        while true {
            let attempt = Notes(notes)
            let ways: Ways
            var plan: ExportPlan
            do throws(MediaError) {
                ways = try Ways.decide(
                    asset, request, range: range, fileType: fileType, source: source, delay: delay)
                plan = try ExportPlan(
                    asset, request, range: range, fileType: fileType, timing: timing, ways: ways,
                    carry: carry)
                log(describe(plan))
                let (tracks, dropped) = try Pipeline(
                    plan, source: source, strict: request.strict, notes: attempt, meter: meter
                ).run(output: output)
                plan.dropped += dropped
                return result(plan, range, tracks, attempt)
            } catch {
                // What cannot be copied, or not joined, is encoded where the preset says how.
                guard error.code == .spliceFailed else { throw error }
                log("not copied: \(error)")
                if delay == 0, case .reordering? = SpliceFault(error) {
                    delay = SpliceFault.deepest
                } else {
                    guard request.preset.video != nil, request.render == .auto else { throw error }
                    notes.warn(
                        Warning(
                            "encodedInstead", "\(error.message); it was encoded instead", track: error.track))
                    request.render = .encode
                }
                guard ftruncate(output, 0) == 0 else { throw error }
                meter = ProgressMeter(start: range.start, length: length, report: progress)
            }
        }
    }

    private func result(
        _ plan: ExportPlan, _ range: ResolvedRange, _ tracks: [TrackResult], _ notes: Notes
    ) -> ExportResult {
        let end = tracks.map(\.actual.end).max() ?? range.start
        let ways =
            tracks.filter { $0.kind == .video }.map(\.way) + tracks.filter { $0.kind == .audio }.map(\.way)
        let render: RenderMode = ways.contains(.smart) ? .smart : ways.first ?? .encode
        return ExportResult(
            render: render, fileType: plan.fileType.rawValue,
            requested: TimeSpan(
                start: range.requested.start, end: range.requested.end.isNumeric ? range.requested.end : end),
            actual: TimeSpan(start: range.start, end: range.end.map { min($0, end) } ?? end), tracks: tracks,
            bytes: 0, warnings: notes.warnings, dropped: plan.dropped)
    }

    /// The output's file type, where the preset is valid for the asset.
    private func judge(_ asset: Asset, _ notes: Notes) throws(MediaError) -> FileType {
        let preset = request.preset
        let judge = Compatibility(encoders: Exporter.encoders(for: [preset]))
        if let obstacle = judge.obstacle(of: asset) { throw obstacle }
        let named = request.output.name.map { String($0.split(separator: ".").last ?? "").lowercased() }
        let verdict = judge.verdict(preset, for: asset, fileType: named)
        guard verdict.valid, let type = named ?? verdict.fileTypes.first,
            let fileType = FileType(rawValue: type)
        else {
            let why = verdict.reasons.map(\.message).joined(separator: "; ")
            throw MediaError(
                .presetNotValid, "\(preset.id) is not valid for \(source.name): \(why)",
                remedy: verdict.reasons.compactMap(\.remedy).first)
        }
        for warning in verdict.warnings where warning.code != "toneMapped" {
            notes.warn(Warning(warning.code, warning.message))
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
        let times = try TimeResolution(asset: asset, source: source, notes: Notes()).ticks(track, range)
        return FrameTiming(times: times, timebase: track.timebase, nominal: nominal)
    }

    private func describe(_ plan: ExportPlan) -> String {
        var parts = [
            "plan: [\(plan.start), \(plan.end.map { "\($0)" } ?? "end")) to \(plan.fileType.rawValue)"
        ]
        parts.append("movie timescale \(plan.movieTimescale)")
        if let video = plan.video {
            parts.append(
                "track \(video.track.index) \(video.track.codec) to \(video.settings.codec) \(video.width)x\(video.height)"
                    + " at \(video.frameRate)\(video.isConstant ? "" : " (variable)"), ticks \(video.timebase)"
                    + ", cadence \(video.cadence)")
        }
        if let splice = plan.splice { parts.append(splice.summary) }
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

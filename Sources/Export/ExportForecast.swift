// Reports what an export would do (`--dry-run`): the plan that the export would execute, and an estimate of its size. Reads
// samples around the cut points; encodes a few frames for the estimate; writes nothing.
internal import Libav
public import Media
internal import MediaTime
internal import Render
internal import Source

extension Exporter {
    /// Returns the plan of this export. Throws what the export would throw before it begins to write.
    /// - Parameter division: as for `step`.
    public func forecast(division: UnitDivision? = UnitDivision()) throws(MediaError) -> PlanReport {
        try fallingBack { (export, diagnostics) throws(MediaError) in
            try export.forecast(diagnostics, division)
        }
    }

    /// The plan with the request's preset.
    private func forecast(
        _ diagnostics: Diagnostics, _ division: UnitDivision?
    ) throws(MediaError) -> PlanReport {
        let ready = try prepare(diagnostics)
        let request = ready.request
        let decision = try foreseen(ready)
        let plan = try ready.plan(request, decision)
        var tracks = ExportForecast(plan: plan, asset: ready.asset).tracks
        let isEncoded = plan.smartTrim == nil
        let estimate = outputEstimate(ready, isEncoded ? .encode : .copy, plan)
        if isEncoded, let obstacle = estimate?.limitObstacle { throw obstacle }
        if isEncoded, let warning = estimate?.limitWarning {
            diagnostics.warn(Warning(warning))
        }
        let render = RenderMode(of: tracks.map { ($0.kind, $0.way) })
        if let settings = plan.video?.settings {
            let isLimited = options.limitSize.map { estimate?.free(.encode)?.likely ?? 0 > $0 } ?? false
            let isTwice = TwoPasses(options).areUsed(for: settings, isLimited: isLimited)
            for index in tracks.indices where tracks[index].kind == .video && isTwice {
                tracks[index].passes = 2
            }
        }
        if let video = plan.video, let index = tracks.firstIndex(where: { $0.kind == .video }) {
            tracks[index].burned = try burned(video, plan.segments)
        }
        if let video = plan.video, !video.settings.isDeep, video.track.video?.color.dynamicRange != nil {
            diagnostics.warn(.toneMapped(video.track))
        }
        for case .encode(let audio) in plan.audio {
            if let warning = audio.lostDepth { diagnostics.warn(warning) }
        }
        let asset = ready.asset
        let ranges = ready.range.segments.all.map { part in
            TimeSpan(start: part.start, end: part.end ?? max(asset.duration ?? .zero, part.start))
        }
        let end = ranges.last?.end ?? ready.range.start
        var requested = ready.range.requested
        if !requested.end.isNumeric { requested.end = end }
        var report = PlanReport(
            input: request.input, output: request.output.path(fileType: plan.fileType.rawValue),
            fileType: plan.fileType.rawValue, preset: request.preset.asStored, render: render,
            requested: requested,
            ranges: ranges, length: ready.length ?? .zero, tracks: tracks,
            estimatedBytes: estimate?.bytes(render), warnings: diagnostics.warnings, dropped: plan.dropped)
        report.sources = request.sources
        let limit = SizeLimit(options, source: source.size, audio: request.preset.audio)
        report.undivided = TwoPasses(options).obstacle(to: plan, limit)
        if let division, report.undivided == nil { report.chunks = try chunks(plan, division, limit) }
        return report
    }

    /// The subtitles that are drawn on the frames; nil: none.
    private func burned(_ video: VideoPlan, _ segments: Segments) throws(MediaError) -> PlannedSubtitles? {
        if let subtitles, let path = options.burnedFile {
            let file = try SubtitleFile(subtitles)
            return PlannedSubtitles(codec: file.codec, file: path, events: file.count(in: segments))
        }
        return video.burned.map { PlannedSubtitles(codec: $0.codec, track: $0.index) }
    }

    /// The intervals of the output whose video is encoded each by itself; nil: it is encoded as one.
    private func chunks(
        _ plan: ExportPlan, _ division: UnitDivision, _ limit: SizeLimit
    ) throws(MediaError) -> [TimeSpan]? {
        guard let video = plan.video else { return nil }
        let division = ExportDivision(source: source, request: request, division: division)
        let isShared = limit.bytes != nil || TwoPasses(options).areUsed(for: video.settings, isLimited: false)
        guard let chunks = try division.chunks(plan, isShared: isShared), try division.color(of: plan) != nil
        else { return nil }
        return chunks.map {
            TimeSpan(
                start: video.timebase.time(ofTicks: $0.shown.lowerBound),
                end: video.timebase.time(ofTicks: $0.shown.upperBound))
        }
    }

    /// The render modes that the export would use: a join that is known to fail is not tried.
    private func foreseen(_ ready: ExportPreparation) throws(MediaError) -> RenderDecision {
        let request = ready.request
        let forecast = try RenderForecast(
            request, of: ready.asset, range: ready.range, fileType: ready.fileType, source: ready.source
        ) { (decision, smartTrim) throws(MediaError) -> MediaError? in
            guard request.preset.video != nil, request.render == .auto, options.limitSize != nil,
                let estimate = outputEstimate(ready, smartTrim.way, try ready.plan(request, decision))
            else { return nil }
            return RenderForecast.unsuitable(estimate, smartTrim.way, options)
        }
        return forecast.decision
    }

    /// The maximum size of a plan's output in bytes, where nearly all of it is copied; nil: the samples do not show it, or there
    /// are too many parts to read.
    func mostBytes(_ ready: ExportPreparation, _ plan: ExportPlan) -> Int64? {
        guard plan.video == nil, plan.segments.all.count <= 50 else { return nil }
        let render = plan.smartTrim?.way ?? (ready.request.preset.isPassthrough ? .copy : .encode)
        return outputEstimate(ready, render, plan)?.free(render)?.high
    }

    /// Estimates the output size for a render mode.
    func outputEstimate(
        _ ready: ExportPreparation, _ render: RenderMode, _ plan: ExportPlan
    ) -> OutputEstimate? {
        guard let spans = ready.range.segments.spans(upTo: ready.asset.duration) else { return nil }
        var findings = OutputEstimate.Findings()
        findings.stored = StoredProbe(source: source, asset: ready.asset).amounts(spans)
        findings.headTailFrames = plan.smartTrim?.headTailFrames ?? 0
        findings.audio = plan.audio.reduce(into: [:]) { found, track in
            if case .encode(let encoding) = track {
                found[track.track.index] = .some(encoding.settings)
            } else {
                found[track.track.index] = .some(nil)
            }
        }
        // A list of a thousand cuts is planned row by row: a trial for each row that copies nearly everything would take too
        // long.
        if ready.request.preset.video != nil, render == .encode {
            findings.complexity = ComplexityProbe(source: source, asset: ready.asset).measure(ready.range)
        }
        findings.artwork = Artwork.ofSource(ready.asset, source)?.bytes.count ?? 0
        return OutputEstimate(ready.request.preset, ready.asset, options, spans, findings)
    }

    /// Applies a size limit to a plan. Throws if no output could meet it.
    func choose(
        _ limit: inout SizeLimit, _ plan: inout ExportPlan, _ ready: ExportPreparation
    ) throws(MediaError) {
        if options.limitSize != nil, plan.smartTrim == nil, limit.isFresh {
            let estimate = outputEstimate(ready, .encode, plan)
            if let obstacle = estimate?.limitObstacle { throw obstacle }
            limit.begin(
                plan, length: ready.length, estimate: estimate?.free(.encode),
                leastVideo: estimate?.leastVideo)
        }
        limit.apply(to: &plan)
    }
}

/// Describes a plan for its report. Pure.
struct ExportForecast {
    let plan: ExportPlan
    let asset: Asset

    /// The output's tracks.
    var tracks: [PlannedTrack] {
        var tracks: [PlannedTrack] = []
        if let video = plan.video {
            var track = PlannedTrack(
                source: video.track.index, kind: .video, codec: video.settings.codec, way: .encode)
            (track.width, track.height, track.frameRate) = (video.width, video.height, video.frameRate)
            track.reason = plan.reason
            tracks.append(track)
        }
        if let smartTrim = plan.smartTrim { tracks.append(self.track(smartTrim)) }
        return tracks + plan.audio.map(track)
    }

    private func track(_ audio: AudioTrackPlan) -> PlannedTrack {
        var track: PlannedTrack
        switch audio {
        case .copy(let source):
            track = PlannedTrack(source: source.index, kind: .audio, codec: source.codec, way: .copy)
            track.channels = source.audio?.channels
        case .encode(let encoding):
            track = PlannedTrack(
                source: encoding.track.index, kind: .audio, codec: encoding.codec, way: .encode)
            track.channels = encoding.settings.channels(of: encoding.track.audio)
        }
        track.sampleRate = audio.sampleRate
        return track
    }

    private func track(_ smartTrim: SmartTrimTrackPlan) -> PlannedTrack {
        let source = smartTrim.track
        var track = PlannedTrack(source: source.index, kind: .video, codec: source.codec, way: smartTrim.way)
        (track.width, track.height) = (source.video?.width, source.video?.height)
        track.frameRate = source.video?.frameRate
        track.reason = smartTrim.obstacle
        track.spans = smartTrim.parts.flatMap { part in spans(part, of: source) }
        return track
    }

    /// The spans of one part, without gaps.
    private func spans(_ part: SmartTrimTrackPlan.Part, of track: Track) -> [PlannedSpan] {
        func time(_ ticks: Int64) -> Time { track.timebase.time(ofTicks: ticks) - plan.origin }
        let first = part.segment.start
        let last = max(first, part.segment.end ?? asset.duration ?? first)
        let head = part.plan.head
        let tail = part.plan.tail
        var spans: [PlannedSpan] = []
        var begun = first
        if let head {
            let end = head.to.map(time) ?? last
            spans.append(
                PlannedSpan(
                    way: .encode, range: TimeSpan(start: begun, end: end), frames: Int64(head.frames)))
            begun = end
        }
        if part.plan.copy != nil {
            let end = tail.map { time($0.from) } ?? last
            spans.append(PlannedSpan(way: .copy, range: TimeSpan(start: begun, end: end)))
            begun = end
        }
        if let tail {
            spans.append(
                PlannedSpan(
                    way: .encode, range: TimeSpan(start: begun, end: last), frames: Int64(tail.frames)))
        }
        return spans
    }
}

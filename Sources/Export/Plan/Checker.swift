// The answer of `check`: the compatibility results, and facts that need the file itself: whether it decodes at the in point,
// which render mode each preset would use, and the output size. Runs on the caller's thread; writes nothing.
public import Libav
public import Media
internal import MediaTime

/// Checks one asset against several presets.
public struct Checker: Sendable {
    private let source: SourceFile
    private let presets: [Preset]
    private let fileType: String?
    /// Common to all presets: the range and the options.
    private let range: RangeRequest
    private let options: RenderOptions
    private let memory: Int64?

    /// Creates a check of presets, for all their file types or one, for a part of a source.
    /// - Parameter memory: bytes that a worker may use.
    public init(
        _ source: SourceFile, presets: [Preset], fileType: String?, range: RangeRequest = RangeRequest(),
        options: RenderOptions = RenderOptions(), memory: Int64? = nil
    ) {
        self.source = source
        self.presets = presets
        self.fileType = fileType
        self.range = range
        self.options = options
        self.memory = memory
    }

    /// The compatibility check of this build.
    static func judge(_ presets: [Preset], memory: Int64?) -> Compatibility {
        var judge = Compatibility(encoders: Exporter.encoders(for: presets)) { codec, type in
            Muxer.canHold(codec: codec, in: type.muxer)
        }
        judge.canToneMap = FilterGraph.exists("zscale") && FilterGraph.exists("tonemap")
        judge.memory = memory
        return judge
    }

    /// Returns the report.
    public func report() throws(MediaError) -> CompatibilityReport {
        let judge = Checker.judge(presets, memory: memory)
        let asset: Asset
        do throws(MediaError) {
            asset = try TrackSelection(options, of: try Probe.asset(of: source)).chosen()
        } catch {
            guard error.code == .contentIsProtected || error.code == .playlist else { throw error }
            return judge.report(error, presets: presets)
        }
        if let obstacle = judge.obstacle(of: asset) { return judge.report(obstacle, presets: presets) }
        guard let first = presets.first else {
            return CompatibilityReport(canTrim: true, reason: nil, presets: [])
        }
        let range = try TimeResolution(asset: asset, source: source, diagnostics: Diagnostics()).range(
            request(first))
        let trial = DecodingTrial(asset, source, at: range.start)
        var report = judge.report(asset, presets: presets, fileType: fileType, options: options)
        if let reason = trial.nothing {
            return CompatibilityReport(
                canTrim: false, reason: reason,
                presets: report.presets.map {
                    PresetCompatibility(
                        id: $0.id, valid: false, fileTypes: [], render: nil, reasons: [reason], warnings: [])
                })
        }
        var findings = OutputEstimate.Findings()
        for (index, preset) in presets.enumerated() where report.presets[index].valid {
            report.presets[index] = look(report.presets[index], preset, asset, range, trial, &findings)
        }
        estimate(&report, asset, range, trial, findings)
        return report
    }

    /// Adds the estimated output sizes.
    private func estimate(
        _ report: inout CompatibilityReport, _ asset: Asset, _ range: ResolvedRange, _ trial: DecodingTrial,
        _ findings: OutputEstimate.Findings
    ) {
        guard let spans = range.segments.spans(upTo: asset.duration) else { return }
        let judged = zip(presets, report.presets)
        var findings = findings
        // Joined parts have encoded head and tail frames too.
        if trial.video == nil,
            judged.contains(where: {
                $0.video != nil && ($1.render == .encode || options.limitSize != nil) || $1.render == .smart
            })
        {
            findings.complexity = ComplexityProbe(source: source, asset: asset).measure(range)
        }
        findings.stored = StoredProbe(source: source, asset: asset).amounts(spans)
        findings.artwork = Artwork.ofSource(asset, source)?.bytes.count ?? 0
        for (index, preset) in presets.enumerated() {
            guard var render = report.presets[index].render else { continue }
            let estimate = OutputEstimate(preset, asset, options, spans, findings)
            if render != .encode, preset.video != nil,
                let obstacle = RenderForecast.unsuitable(estimate, render, options)
            {
                render = .encode
                report.presets[index].render = render
                report.presets[index].renderReason = obstacle.message
            }
            if render == .encode, let obstacle = estimate.limitObstacle {
                let reason = Reason(obstacle)
                report.presets[index] = report.presets[index].refused(reason)
                continue
            }
            if render == .encode, let warning = estimate.limitWarning {
                report.presets[index].warnings.append(warning)
            }
            report.presets[index].estimatedBytes = estimate.bytes(render)
            report.presets[index].estimatedMaximumDuration = estimate.longest(render)
        }
    }

    private func request(_ preset: Preset) -> ExportRequest {
        ExportRequest(
            input: source.name, output: OutputTarget(folder: "/", name: nil, stem: source.name),
            range: range, preset: preset, options: options)
    }

    /// Adds the facts of the file to a result.
    private func look(
        _ verdict: PresetCompatibility, _ preset: Preset, _ asset: Asset, _ range: ResolvedRange,
        _ trial: DecodingTrial, _ findings: inout OutputEstimate.Findings
    ) -> PresetCompatibility {
        var verdict = verdict
        let needed =
            preset.video != nil && asset.mainVideo != nil
            ? trial.video : preset.video == nil ? trial.audio : nil
        if let reason = needed, !preset.isPassthrough { return verdict.refused(reason) }
        if preset.isPassthrough, let first = trial.firstPicture, let end = range.end, first >= end {
            return verdict.refused(
                Reason(
                    ErrorCode.undecodableMediaData,
                    "no frame in the range decodes: the first one that does is at \(first.clock())",
                    remedy: "choose a later start, or an audio preset"))
        }
        for index in (verdict.types ?? []).indices {
            guard let type = verdict.types?[index], type.valid, let fileType = FileType(rawValue: type.type)
            else {
                continue
            }
            let way = way(request(preset), asset, range, fileType)
            verdict.types?[index].render = way.render
            findings.edges = way.edges ?? findings.edges
            if let reason = way.reason {
                verdict.types?[index].valid = false
                verdict.types?[index].reasons.append(reason)
            }
            if verdict.renderReason == nil { verdict.renderReason = way.why }
        }
        let types = (verdict.types ?? []).filter { verdict.fileTypes.contains($0.type) }
        verdict.fileTypes = types.filter(\.valid).map(\.type)
        verdict.render = types.first(where: \.valid)?.render
        if verdict.fileTypes.isEmpty {
            verdict.valid = false
            verdict.reasons = types.flatMap(\.reasons).reduce(into: []) {
                if !$0.contains($1) { $0.append($1) }
            }
        }
        if verdict.render != .encode { verdict.renderReason = nil }
        return verdict
    }

    /// The render mode of an export and the number of frames it would encode at head and tail; the reason where it fails or must
    /// encode.
    private func way(
        _ request: ExportRequest, _ asset: Asset, _ range: ResolvedRange, _ fileType: FileType
    ) -> (render: RenderMode?, reason: Reason?, why: String?, edges: Int?) {
        let preset = request.preset
        do throws(MediaError) {
            let forecast = try RenderForecast(
                request, of: asset, range: range, fileType: fileType, source: source)
            let decision = forecast.decision
            if let failure = forecast.failure { return (.encode, nil, failure.message, nil) }
            if let smartTrim = decision.smartTrim { return (smartTrim.way, nil, nil, smartTrim.edges) }
            let sound = TrackSelection(options, of: asset).audio
            if asset.mainVideo == nil || preset.video == nil, !sound.isEmpty,
                sound.allSatisfy(decision.copiesSound)
            {
                return (.copy, nil, nil, nil)
            }
            return (.encode, nil, obstacle(preset, asset), nil)
        } catch {
            guard preset.isPassthrough else { return (.encode, nil, error.message, nil) }
            let reason = Reason(error.code, error.message, remedy: "choose a preset that encodes")
            return (nil, reason, nil, nil)
        }
    }

    /// Why an asset's samples cannot be copied.
    private func obstacle(_ preset: Preset, _ asset: Asset) -> String? {
        if preset.alwaysEncodes { return "\(preset.id) always encodes" }
        if let settings = preset.video, let video = asset.mainVideo {
            return Conformance.obstacle(video, settings).map { "of the video, \($0)" }
        }
        guard let settings = preset.audio, let audio = asset.audioTracks.first else { return nil }
        return Conformance.obstacle(audio, settings).map { "of the audio, \($0)" }
    }
}

extension PresetCompatibility {
    /// The result, refused for a reason.
    func refused(_ reason: Reason) -> PresetCompatibility {
        var verdict = self
        (verdict.valid, verdict.fileTypes, verdict.render) = (false, [], nil)
        verdict.reasons.append(reason)
        for index in (verdict.types ?? []).indices {
            verdict.types?[index].valid = false
            verdict.types?[index].render = nil
            verdict.types?[index].reasons.append(reason)
        }
        return verdict
    }
}

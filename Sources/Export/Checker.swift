// The answer of `check`: the compatibility results, and facts that need the file itself: whether it decodes at the in point,
// which render mode each preset would use, and the output size. Runs on the caller's thread; writes nothing.
public import Libav
public import Media
internal import MediaTime
internal import Render
internal import Source

/// Checks one asset against several presets.
public struct Checker: Sendable {
    private var source: SourceFile
    private let presets: [Preset]
    private let fileType: String?
    /// Common to all presets: the range and the options.
    private let range: RangeRequest
    private let options: ExportOptions
    private let memory: Int64?

    /// Creates a check of presets, for all their file types or one, for a part of a source.
    /// - Parameter memory: bytes that a worker may use.
    public init(
        _ source: SourceFile, presets: [Preset], fileType: String?, range: RangeRequest = RangeRequest(),
        options: ExportOptions = ExportOptions(), memory: Int64? = nil
    ) {
        self.source = source
        self.presets = presets
        self.fileType = fileType
        self.range = range
        self.options = options
        self.memory = memory
    }

    /// Whether this build has the filters of tone mapping. Each search compares the names of 400.
    private static let canToneMap = FilterGraph.exists("zscale") && FilterGraph.exists("tonemap")

    /// The compatibility check of this build.
    static func compatibility(_ presets: [Preset], memory: Int64?) -> Compatibility {
        var compatibility = Compatibility(encoders: Exporter.encoders(for: presets))
        compatibility.canToneMap = canToneMap
        compatibility.memory = memory
        return compatibility
    }

    /// The report on a source that is refused by policy; rethrows any other error.
    public static func report(
        refusing error: MediaError, presets: [Preset]
    ) throws(MediaError) -> CompatibilityReport {
        guard error.code == .contentIsProtected || error.code == .playlist else { throw error }
        return compatibility(presets, memory: nil).report(error, presets: presets)
    }

    /// Returns the report.
    public func report() throws(MediaError) -> CompatibilityReport {
        let compatibility = Checker.compatibility(presets, memory: memory)
        var (checker, asset): (Checker, Asset)
        do throws(MediaError) {
            checker = self
            asset = try TrackSelection(options, of: try Probe.asset(of: source)).chosen()
        } catch {
            return try Checker.report(refusing: error, presets: presets)
        }
        if let first = presets.first {
            let begun = try? TimeResolution(asset: asset, source: source, diagnostics: Diagnostics()).range(
                request(first))
            (checker.source, asset) = RangeFormat.of(begun?.segments, source, asset)
        }
        var report = try checker.report(asset, compatibility)
        (report.faults, report.properties) = (asset.faults, asset.traits)
        return report
    }

    /// The report on an asset that was read.
    private func report(
        _ asset: Asset, _ compatibility: Compatibility
    ) throws(MediaError) -> CompatibilityReport {
        if let obstacle = compatibility.obstacle(of: asset) {
            return compatibility.report(obstacle, presets: presets)
        }
        guard let first = presets.first else {
            return CompatibilityReport(canTrim: true, reason: nil, presets: [])
        }
        let range = try TimeResolution(asset: asset, source: source, diagnostics: Diagnostics()).range(
            request(first))
        let trial = DecodingTrial(asset, source, at: range.start)
        var report = compatibility.report(asset, presets: presets, fileType: fileType, options: options)
        if let reason = trial.nothing {
            return CompatibilityReport(
                canTrim: false, reason: reason,
                presets: report.presets.map {
                    PresetCompatibility(
                        id: $0.id, valid: false, fileTypes: [], render: nil, reasons: [reason], warnings: [])
                })
        }
        var findings = OutputEstimate.Findings()
        let windows = SampleWindows()
        for (index, preset) in presets.enumerated() where report.presets[index].valid {
            report.presets[index] = look(
                report.presets[index], preset, asset, range, trial, windows, &findings)
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
        let pairs = zip(presets, report.presets)
        var findings = findings
        // Joined parts have encoded head and tail frames too.
        if trial.video == nil,
            pairs.contains(where: {
                $0.video != nil && ($1.render == .encode || options.limitSize != nil) || $1.render == .smart
            })
        {
            findings.complexity = ComplexityProbe(source: source, asset: asset).measure(range)
        }
        findings.stored = StoredProbe(source: source, asset: asset).amounts(spans)
        findings.artwork = Artwork.ofSource(asset, source)?.bytes.count ?? 0
        for (index, preset) in presets.enumerated() {
            guard var render = report.presets[index].render else { continue }
            let preset = adjusted(preset, asset, report.presets[index].fileTypes.first)
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

    /// A preset with the options over it, where they suit it.
    private func adjusted(_ preset: Preset, _ asset: Asset, _ type: String?) -> Preset {
        let type = type.flatMap(FileType.init(rawValue:)) ?? .mp4
        let compatibility = Checker.compatibility([preset], memory: memory)
        return (try? compatibility.adjusted(preset, for: asset, to: type, options)) ?? preset
    }

    /// Adds the facts of the file to a result.
    private func look(
        _ result: PresetCompatibility, _ preset: Preset, _ asset: Asset, _ range: ResolvedRange,
        _ trial: DecodingTrial, _ windows: SampleWindows, _ findings: inout OutputEstimate.Findings
    ) -> PresetCompatibility {
        var result = result
        let needed =
            preset.video != nil && asset.mainVideo != nil
            ? trial.video : preset.video == nil ? trial.audio : nil
        if let reason = needed, !preset.isPassthrough { return result.refused(reason) }
        if preset.isPassthrough, let first = trial.firstFrame, let end = range.end, first >= end {
            return result.refused(
                Reason(
                    ErrorCode.undecodableMediaData,
                    "no frame in the range decodes: the first one that does is at \(first.clock())",
                    remedy: "choose a later start, or an audio preset"))
        }
        for index in (result.types ?? []).indices {
            guard let type = result.types?[index], type.valid, let fileType = FileType(rawValue: type.type)
            else {
                continue
            }
            let way = way(request(adjusted(preset, asset, type.type)), asset, range, fileType, windows)
            result.types?[index].render = way.render
            findings.headTailFrames = way.headTailFrames ?? findings.headTailFrames
            if let reason = way.reason {
                result.types?[index].valid = false
                result.types?[index].reasons.append(reason)
            }
            if result.renderReason == nil { result.renderReason = way.why }
        }
        let types = (result.types ?? []).filter { result.fileTypes.contains($0.type) }
        result.fileTypes = types.filter(\.valid).map(\.type)
        result.render = types.first(where: \.valid)?.render
        if result.fileTypes.isEmpty {
            result.valid = false
            result.reasons = types.flatMap(\.reasons).reduce(into: []) {
                if !$0.contains($1) { $0.append($1) }
            }
        }
        if result.render != .encode { result.renderReason = nil }
        return result
    }

    /// The render mode of an export and the number of frames it would encode at head and tail; the reason where it fails or must
    /// encode.
    private func way(
        _ request: ExportRequest, _ asset: Asset, _ range: ResolvedRange, _ fileType: FileType,
        _ windows: SampleWindows
    ) -> (render: RenderMode?, reason: Reason?, why: String?, headTailFrames: Int?) {
        let preset = request.preset
        do throws(MediaError) {
            let forecast = try RenderForecast(
                request, of: asset, range: range, fileType: fileType, source: source, windows: windows)
            let decision = forecast.decision
            if let failure = forecast.failure { return (.encode, nil, failure.message, nil) }
            if let smartTrim = decision.smartTrim {
                return (smartTrim.way, nil, nil, smartTrim.headTailFrames)
            }
            let audio = TrackSelection(options, of: asset).audio
            if asset.mainVideo == nil || preset.video == nil, !audio.isEmpty,
                audio.allSatisfy(decision.copiesAudio)
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
        var result = self
        (result.valid, result.fileTypes, result.render) = (false, [], nil)
        result.reasons.append(reason)
        for index in (result.types ?? []).indices {
            result.types?[index].valid = false
            result.types?[index].render = nil
            result.types?[index].reasons.append(reason)
        }
        return result
    }
}

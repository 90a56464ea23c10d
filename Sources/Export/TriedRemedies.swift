// The ways in which an export would succeed whose samples cannot be copied as requested. Each is planned as `--dry-run` plans
// it, and its first frame decoded; nothing is written.
internal import Codecs
internal import Libav
internal import Media
internal import Pictures
internal import Render
internal import Source

/// The alternatives to a request that failed.
struct TriedRemedies {
    /// The options of the command line, each in place of the requested ones; the cheapest first, at most three.
    private(set) var ways: [String] = []
    /// Maximum number of ways to name.
    private static let most = 3

    /// Tries the other render mode, then the presets that write the requested file type, then those that write another.
    /// - Parameter error: why the request failed; a copy of too many bytes is as large in any render mode.
    init(_ export: Exporter, after error: MediaError) {
        let other: RenderMode = export.request.render == .copy ? .smart : .copy
        var copying = export.plain
        copying.request.render = other
        if error.code != .maximumFileSizeReached, export.copiesOtherwise(other), copying.isPossible {
            ways.append("--render \(other.rawValue)")
        }
        if export.isAudioOfFilm {
            var sound = export.plain
            sound.request.options = sound.request.options ?? ExportOptions()
            sound.request.options?.video = "none"
            if sound.isPossible { ways.append("--video none") }
        }
        // A preset that encodes contradicts the modes that copy.
        let render = export.request.render == .auto ? "" : " --render auto"
        let type = export.request.output.fileExtension
        let (writers, others) = export.encoders.partitioned { type.map($0.allFileTypes.contains) ?? true }
        // An output that is too large needs a rate that can be lowered.
        func mayFit(_ preset: Preset) -> Bool {
            error.code != .maximumFileSizeReached || preset.video != nil || preset.audio?.bitRate != nil
        }
        for preset in writers
        where ways.count < TriedRemedies.most && mayFit(preset) && export.encoded(preset).isPossible {
            ways.append("--preset \(preset.id)" + render)
        }
        if error.code == .presetNotValid, ways.count < TriedRemedies.most, export.options.audio == nil {
            var silent = export.plain
            silent.request.options = silent.request.options ?? ExportOptions()
            silent.request.options?.audio = "none"
            if silent.hasUnheldAudio, silent.isPossible { ways.append("--audio none") }
        }
        guard ways.isEmpty, let type else { return }
        let stem = export.request.output.name?.dropLast(type.count + 1) ?? ""
        for preset in others where ways.isEmpty {
            var renamed = export.encoded(preset)
            renamed.request.output.name = nil
            guard let plan = renamed.plan else { continue }
            ways.append("--preset \(preset.id)\(render) -o \(stem).\(plan.fileType)")
        }
        guard ways.isEmpty, error.code != .maximumFileSizeReached else { return }
        // Nothing encodes it: a copy of another type.
        guard error.code != .operationNotSupported || export.mayHavePackets else { return }
        for other in TriedRemedies.types where other.rawValue != type {
            var renamed = export.plain
            renamed.request.output.name = "\(stem).\(other.rawValue)"
            guard renamed.isPossible else { continue }
            ways.append("-o \(stem).\(other.rawValue)")
            return
        }
    }

    /// The types that hold most codecs.
    private static let types: [FileType] = [.mkv, .mov, .mp4, .mka]
}

extension Exporter {
    /// The alternatives that keep the asset's video, if it has any and the requested file type is for films.
    fileprivate var encoders: [Preset] {
        let presets = alternatives.presets
        if isForAudio { return presets }
        guard let asset = try? Probe.asset(of: source), asset.mainVideo != nil else { return presets }
        return presets.filter { $0.video != nil }
    }

    /// Whether the requested file type is for audio.
    private var isForAudio: Bool {
        request.output.fileExtension.flatMap(FileType.init(rawValue:))?.isAudio ?? false
    }

    /// Whether the requested file type is for audio, and the source is a film.
    fileprivate var isAudioOfFilm: Bool {
        guard isForAudio, options.video == nil, let asset = try? Probe.asset(of: source) else { return false }
        return asset.mainVideo != nil && asset.tracks.contains { $0.kind == .audio }
    }

    /// Whether the named file type, or the source's, does not hold the audio of a film.
    fileprivate var hasUnheldAudio: Bool {
        guard let asset = try? Probe.asset(of: source), hasVideo(asset) else { return false }
        let named = request.output.fileExtension.flatMap(FileType.init(rawValue:)) ?? FileType(of: asset)
        return named.map { type in !asset.audioTracks.contains { type.keeps($0, of: asset) } } ?? false
    }

    /// Whether another mode that copies does anything else: in both, audio alone is copied in the same packets, unless its codec is
    /// encoded at the cuts.
    fileprivate func copiesOtherwise(_ mode: RenderMode) -> Bool {
        guard let asset = try? Probe.asset(of: source), !hasVideo(asset) else { return true }
        return mode == .smart && asset.audioTracks.contains { $0.audioCodec.isEncodedAtCuts }
    }

    /// Whether a range in which no packet of audio begins could have one in another file type: never of audio alone.
    fileprivate var mayHavePackets: Bool { (try? Probe.asset(of: source)).map(hasVideo) ?? true }

    private func hasVideo(_ asset: Asset) -> Bool { asset.mainVideo != nil && options.video != "none" }

    /// This export without a second preset.
    fileprivate var plain: Exporter {
        var export = self
        (export.alternatives, export.request.fallback) = (.none, nil)
        return export
    }

    /// This export with a preset that encodes.
    fileprivate func encoded(_ preset: Preset) -> Exporter {
        var export = plain
        (export.request.preset, export.request.render) = (preset, .auto)
        return export
    }

    /// Whether the export can be planned, and its first frame decodes if it is to be encoded.
    fileprivate var isPossible: Bool { plan != nil }

    /// The plan, if the export is possible.
    fileprivate var plan: PlanReport? {
        do throws(MediaError) {
            let plan = try forecast()
            guard plan.tracks.contains(where: { $0.kind == .video && $0.way == .encode }) else {
                guard !plan.tracks.contains(where: { $0.kind == .video || $0.way != .encode }) else {
                    return plan
                }
                return try sounds(plan) ? plan : nil
            }
            let ready = try prepare(Diagnostics())
            let trial = DecodingTrial(ready.asset, source, at: ready.range.start)
            return trial.video == nil ? plan : nil
        } catch { return nil }
    }
}

extension Exporter {
    /// Whether a track of audio that is encoded has anything in the range: less than a packet, or what its header calls padding, may have
    /// nothing.
    private func sounds(_ plan: PlanReport) throws(MediaError) -> Bool {
        let ready = try prepare(Diagnostics())
        for track in ready.asset.audioTracks where plan.tracks.contains(where: { $0.source == track.index }) {
            let audio = CutAudio(
                source: source, track: track, origin: ready.asset.start,
                rate: track.audio?.sampleRate ?? 48_000,
                diagnostics: Diagnostics())
            for part in ready.range.segments.all {
                var isHeard = false
                try audio.read(from: part.start, to: part.end) { _ in
                    isHeard = true
                    return false
                }
                if isHeard { return true }
            }
        }
        return false
    }
}

extension Array {
    /// The elements that satisfy a condition, and the others, both in order.
    fileprivate func partitioned(_ condition: (Element) -> Bool) -> ([Element], [Element]) {
        (filter(condition), filter { !condition($0) })
    }
}

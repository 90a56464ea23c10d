// Chooses the render mode of each track: copied, smart (head and tail encoded), or fully encoded. Takes the cheapest one that is
// exact and satisfies the preset, unless the request names one.
internal import Codecs
package import Libav
package import Media
internal import MediaTime
package import Source

/// The render mode of each track.
package struct RenderDecision: Sendable {
    /// The video track's plan, where it is not fully encoded.
    package var smartTrim: SmartTrimTrackPlan?
    /// The audio tracks that the file type holds as they are.
    private var fitting: Set<Int> = []
    /// The audio tracks that are copied.
    private var copied: Set<Int> = []
    /// The audio tracks whose parameters change in the range, so that no copy of them decodes.
    private var changing: Set<Int> = []
    /// The audio tracks that are taken from their first packet, and those of them that are taken to the last.
    private var begun: Set<Int> = [], uncut: Set<Int> = []
    /// Why the video track is fully encoded, where it might have been copied.
    package var reason: String?
    private let preset: Preset
    private let fileType: FileType
    /// Several parts are joined.
    private let isJoined: Bool
    /// How audio is encoded that cannot be copied into the file type; nil: it is left out.
    private var substitute: AudioSettings?

    /// Everything is encoded.
    init(encoding preset: Preset, fileType: FileType, isJoined: Bool = false) {
        self.preset = preset
        self.fileType = fileType
        self.isJoined = isJoined
    }

    /// Whether an audio track's packets are copied.
    package func copiesAudio(_ track: Track) -> Bool { copied.contains(track.index) }

    /// The settings for encoding an audio track; nil: it is not encoded.
    func audioSettings(for track: Track) -> AudioSettings? {
        guard preset.copiesAudio else { return preset.audio }
        guard fitting.contains(track.index) else { return substitute?.lossless(for: track, in: fileType) }
        if changing.contains(track.index) { return .keepingCodec(of: track, in: fileType) }
        let codec = track.audioCodec
        guard !(codec is PCMCodec.Type) else { return nil }
        // Where packets cannot be cut or joined, lossless audio is re-encoded, and so is Opus, which loses little.
        switch fileType.audioEnds {
        case .editList: break
        case .packets:
            if codec.isEncodedAtCuts, !keepsPackets(track) { return .keepingCodec(of: track, in: fileType) }
        case .position, .tag, .samples: if codec.isLossless { return .keepingCodec(of: track, in: fileType) }
        }
        guard isJoined else { return nil }
        return .keepingCodec(of: track, in: fileType)
    }

    /// Whether the video track may be copied.
    package static func mayCopy(_ track: Track, _ request: ExportRequest, _ fileType: FileType) -> Bool {
        let preset = request.preset
        guard request.render != .encode, request.options?.videoChange == nil,
            fileType.holds(track.codec), fileType.carries(track)
        else { return false }
        if preset.isPassthrough { return true }
        guard let settings = preset.video, !preset.alwaysEncodes || request.render != .auto else {
            return false
        }
        return Conformance.obstacle(track, settings) == nil
    }

    /// Makes the decision.
    /// - Parameter windows: those that plans of this source have read, where several are made.
    package static func decide(
        _ asset: Asset, _ request: ExportRequest, range: ResolvedRange, fileType: FileType,
        source: SourceFile,
        delay: Int, windows: SampleWindows = SampleWindows()
    ) throws(MediaError) -> RenderDecision {
        let preset = request.preset
        guard !preset.copiesVideo || !preset.copiesAudio || request.render != .encode else {
            throw MediaError(
                .invalidRequest, "\(preset.id) takes samples as they are stored, and encoding was asked for",
                remedy: "choose another preset, or leave out --render")
        }
        let isJoined = range.segments.all.count > 1
        var decision = RenderDecision(encoding: preset, fileType: fileType, isJoined: isJoined)
        if preset.isPassthrough, request.render != .copy {
            decision.substitute = request.fallback?.audio?.fitting(fileType)
        }
        guard preset.isPassthrough || request.render != .encode,
            preset.isPassthrough || !preset.alwaysEncodes || request.render != .auto
        else { return decision }
        for track in asset.audioTracks where fileType.keeps(track, of: asset) {
            decision.fitting.insert(track.index)
        }
        for track in asset.audioTracks
        where ParameterChange(of: track, in: source, origin: asset.start, range.segments) != nil {
            decision.changing.insert(track.index)
        }
        // Silence between films is in no packet.
        if source.isSequence { decision.changing.formUnion(asset.audioTracks.map(\.index)) }
        for track in asset.audioTracks where range.begins(with: track) {
            // An edit list may hide more than the encoder's priming, and Ogg's pre-skip too.
            if asset.container.format.contains("matroska") { decision.begun.insert(track.index) }
            if range.ends(with: asset) { decision.uncut.insert(track.index) }
        }
        if request.options?.audioChange == nil {
            for track in asset.audioTracks where decision.canCopy(audio: track) {
                decision.copied.insert(track.index)
            }
        }
        try decision.checkAudio(TrackSelection(request.options ?? ExportOptions(), of: asset).audio)
        guard let track = asset.mainVideo, preset.isPassthrough || preset.video != nil else {
            return decision
        }
        if let option = request.options?.videoChange, preset.video != nil {
            decision.reason = "--\(option) was given"
            return decision
        }
        if let settings = preset.video, let obstacle = Conformance.obstacle(track, settings) {
            if request.render == .auto {
                decision.reason = obstacle
                return decision
            }
            throw MediaError(
                .presetNotValid,
                "the video track is not what \(preset.id) asks for, so that it cannot be copied: \(obstacle)",
                track: track.index, remedy: "use --render encode, or the preset passthrough")
        }
        if let change = ParameterChange(of: track, in: source, origin: asset.start, range.segments),
            request.render == .copy || !change.canBeConverted
        {
            guard preset.video != nil, request.render == .auto else {
                throw MediaError(
                    .presetNotValid, "the video track cannot be copied: \(change.sentence)",
                    time: change.time, track: track.index,
                    remedy: "export the parts by themselves, or choose a preset that encodes")
            }
            decision.reason = change.sentence
            return decision
        }
        guard fileType.holds(track.codec) else {
            guard preset.video != nil, request.render == .auto else {
                throw MediaError(
                    .presetNotValid, ".\(fileType.rawValue) cannot hold \(track.codecWords)",
                    track: track.index,
                    remedy: "choose another extension, or another preset")
            }
            return decision
        }
        if let words = fileType.loss(of: track)?.words {
            let why = "\(words.what), and .\(fileType.rawValue) cannot store that"
            guard preset.video != nil, request.render == .auto else {
                throw MediaError(
                    .presetNotValid, "the video track cannot be copied: \(why)", track: track.index,
                    remedy: words.remedy)
            }
            decision.reason = why
            return decision
        }
        let smartTrim = try SmartTrimTrackPlan(
            track, asset, range, fileType: fileType, source: source, request: request, delay: delay,
            windows: windows)
        // Where nothing is copied, the preset's own encoder gives a better result.
        if preset.video != nil, request.render == .auto,
            smartTrim?.parts.contains(where: { $0.plan.copy != nil }) != true
        {
            decision.reason = smartTrim?.obstacle
            return decision
        }
        decision.smartTrim = smartTrim
        return decision
    }

    /// Whether a track is stored in the packets of the source although its codec is encoded at cuts: all of them, or, where Matroska
    /// says what is skipped of the last one, those from the first on. A decoder that began later would need packets before the in
    /// point; they would move the time at which FFmpeg has the file begin, and the next cut with it.
    ///
    /// Not TTA: FFmpeg derives its number of samples from the duration of the file, in milliseconds, and decodes the last packet only
    /// where that is exact.
    private func keepsPackets(_ track: Track) -> Bool {
        guard fileType.isMatroska, track.audioCodec.reuse.codec == track.codec else { return false }
        return (track.audioCodec.hasCodecDelay ? begun : uncut).contains(track.index)
    }

    /// Throws where all audio would be left out of a request that did not ask for that.
    private func checkAudio(_ chosen: [Track]) throws(MediaError) {
        guard preset.copiesAudio, let first = chosen.first,
            !chosen.contains(where: {
                copied.contains($0.index) || $0.isDecodable && audioSettings(for: $0) != nil
            })
        else { return }
        throw MediaError(
            .presetNotValid,
            ".\(fileType.rawValue) cannot hold \(first.codecWords), so that the file would have no audio",
            track: first.index, remedy: "choose another extension, a preset that encodes, or --audio none")
    }

    private func canCopy(audio track: Track) -> Bool {
        guard fitting.contains(track.index) else { return false }
        if preset.isPassthrough { return audioSettings(for: track) == nil }
        guard let settings = preset.audio else { return false }
        return fileType.hasEditLists && !isJoined && !changing.contains(track.index)
            && Conformance.obstacle(track, settings) == nil
    }
}

// The decisions of an export, made before anything is decoded: tracks, size, frame rate, timescale. A pure value made from an
// asset and a request; the pipeline executes it and decides none of this again.
internal import Codecs
internal import Libav
package import Media
package import MediaTime
package import Source

/// The decisions of an export.
package struct ExportPlan: Sendable {
    /// The source's container time of asset time 0.
    package var origin: Time
    /// The parts of the source, in output order.
    package var segments: Segments
    /// The output's file type.
    package var fileType: FileType
    /// Timescale of the movie header and the edit lists, in ticks per second.
    var movieTimescale: Int32
    /// The video track, where it is fully encoded.
    package var video: VideoPlan?
    /// Why the video track is fully encoded, where it might have been copied.
    package var reason: String?
    /// The video track, where it is copied, with or without encoded head and tail.
    package var smartTrim: SmartTrimTrackPlan?
    package var audio: [AudioTrackPlan]
    package var dropped: [DroppedItem]
    /// Tracks and metadata that are copied besides video and audio.
    var passthrough: PassthroughPlan
    /// The chapters, on the output's timeline.
    var chapters: [Chapter]
    /// The index comes before the media (fast start).
    var putsIndexFirst = false
    /// Bytes reserved before the media for the index.
    var reserve = 0
    /// Maximum size of the output in bytes; nil: unlimited.
    var limit: Int64?
    /// The file of subtitles that are drawn on the frames, open.
    var subtitles: SourceFile?
    /// Every run writes the same bytes.
    var isReproducible = false
}

/// How one audio track is encoded.
package struct AudioPlan: Sendable, Codable {
    /// The source track.
    package var track: Track
    /// The preset's audio settings.
    package var settings: AudioSettings
    /// Target integrated loudness in LUFS; nil: unchanged.
    var loudness: Double?

    /// Creates a value of its parts.
    package init(track: Track, settings: AudioSettings, loudness: Double? = nil) {
        (self.track, self.settings, self.loudness) = (track, settings, loudness)
    }

    /// Bits per sample that the source's audio needs; 16 for lossy sources.
    private var bits: Int {
        guard track.audioCodec.isLossless else { return 16 }
        return isFloat ? 24 : track.audio?.bits ?? 16
    }
    /// The source stores samples in floating point.
    private var isFloat: Bool {
        track.audioCodec.isLossless && track.audio?.sampleFormat?.hasPrefix("flt") == true
    }
    /// The encoder and its sample format: as deep as the source.
    var coding: AudioCoding { AudioCoding(settings, bits: bits, isFloat: isFloat) }
    /// FFmpeg's name of the codec that is written: PCM as deep as the source.
    package var codec: String { coding.codec }

    /// The warning that the codec stores fewer bits of a sample than the source's, which is lossless too; nil: it does not.
    package var lostDepth: Warning? {
        guard let own = coding.bits, bits > own else { return nil }
        return Warning(.depthLowered, track.losing(bits, to: own), track: track.index)
    }
}

extension AudioPlan {
    /// Bits per second of the encoded track, and their minimum.
    var rates: (whole: Int, least: Int) {
        let channels = settings.channels(of: track.audio)
        let rate = min(track.audio?.sampleRate ?? 48_000, settings.maxSampleRate)
        return (
            settings.bitRate(channels: channels, sampleRate: rate),
            settings.leastBitRate(channels: channels, sampleRate: rate)
        )
    }

    /// The settings at a share of the rate, no lower than its minimum.
    func lowered(by share: Double) -> AudioSettings {
        var settings = settings
        let (whole, least) = rates
        guard whole > 0 else { return settings }
        let part = max(share, Double(least) / Double(whole))
        settings.surroundBitRate = settings.surroundBitRate.map { Int(Double($0) * part) }
        settings.bitRate = settings.bitRate.map { Int(Double($0) * part) }
        settings.trackBitRate = settings.trackBitRate.map { Int(Double($0) * part) }
        return settings
    }
}

/// How one audio track is handled.
package enum AudioTrackPlan: Sendable {
    /// Decoded, cut to the sample and encoded.
    case encode(AudioPlan)
    /// Copied as stored.
    case copy(Track)

    /// The packets are copied.
    package var isCopied: Bool {
        if case .copy = self { true } else { false }
    }

    /// The source track.
    package var track: Track {
        switch self {
        case .encode(let plan): plan.track
        case .copy(let track): track
        }
    }

    /// The codec of the output, in FFmpeg's names.
    var codec: String {
        switch self {
        case .encode(let plan): plan.settings.codec
        case .copy(let track): track.codec
        }
    }

    /// Average bits per second of the output.
    var bitRate: Int {
        switch self {
        case .encode(let plan):
            plan.settings.bitRate(
                channels: plan.settings.channels(of: plan.track.audio),
                sampleRate: sampleRate)
        case .copy(let track): Int(track.bitRate ?? 128_000)
        }
    }

    /// Samples per second of the output.
    package var sampleRate: Int {
        switch self {
        case .encode(let plan): min(plan.track.audio?.sampleRate ?? 48000, plan.settings.maxSampleRate)
        case .copy(let track): track.audio?.sampleRate ?? 48000
        }
    }
}

extension ExportPlan {
    /// The output's frame rate, nominal where it varies; nil without video.
    var frameRate: Ratio? { video?.frameRate ?? smartTrim?.track.video?.frameRate }

    /// The codecs of the output's video and audio, in FFmpeg's names.
    private var codecs: [String] {
        [video?.settings.codec ?? smartTrim?.track.codec].compactMap(\.self) + audio.map(\.codec)
    }

    /// Makes the plan.
    /// - Parameters:
    ///   - range: resolved and checked against the asset.
    ///   - timing: of the video track's frames, where the frame-rate cap may apply.
    init(
        _ asset: Asset, _ request: ExportRequest, range: ResolvedRange, fileType: FileType,
        timing: FrameTiming?, decision: RenderDecision, passthrough: PassthroughPlan = PassthroughPlan()
    ) throws(MediaError) {
        let preset = request.preset
        origin = asset.start
        segments = range.segments
        self.fileType = fileType
        dropped = []
        self.passthrough = passthrough
        chapters = range.chapters ?? []
        smartTrim = decision.smartTrim
        reason = decision.reason
        if smartTrim == nil, let settings = preset.video, let track = asset.mainVideo,
            let format = track.video,
            track.isDecodable
        {
            video = VideoPlan(
                track, format, settings, origin: asset.start, segments: range.segments, timing: timing,
                options: request.options ?? ExportOptions())
            video?.burned = TrackSelection(request.options ?? ExportOptions(), of: asset).burned
            if let least = fileType.shortestFrame, let ticks = fileType.fixedTimebase,
                let timebase = video?.timebase
            {
                video?.shortestFrame = ticks.rescale(least, to: timebase, rounding: .halfAwayFromZero)
            }
        }
        let options = request.options ?? ExportOptions()
        isReproducible = options.reproducible == true
        let chosen = TrackSelection(options, of: asset).audio
        audio = chosen.compactMap { track in
            if decision.copiesAudio(track), options.loudness == nil { return .copy(track) }
            guard track.isDecodable, let settings = decision.audioSettings(for: track) else { return nil }
            return .encode(AudioPlan(track: track, settings: settings, loudness: options.loudness))
        }
        if fileType.holdsOneAudioTrack, audio.count > 1 {
            let mainAudio = TrackChoice.standard.tracks(of: chosen).first?.index
            audio = Array((audio.filter { $0.track.index == mainAudio } + audio).prefix(1))
        }
        movieTimescale = Timescale.movie(
            tracks: [(video?.timebase ?? smartTrim?.timebase).map { Int64($0.denominator) }].compactMap(
                \.self)
                + audio.map { Int64($0.sampleRate) })
        self.passthrough.settleText(beside: codecs)
        let asked = chosen + TrackChoice(options.video).tracks(of: asset.videoTracks)
        for track in asset.tracks {
            let isChosen = { (track: Track) in asked.contains { $0.index == track.index } }
            guard let why = reasonDropped(track, asset, preset, isChosen) else { continue }
            dropped.append(DroppedItem(what: ExportPlan.name(track), reason: why, track: track.index))
        }
        if let smartTrim, let crop = smartTrim.track.video?.crop {
            dropped.append(
                DroppedItem(
                    what: "clean aperture \(crop.width)x\(crop.height)",
                    reason: "copied frames are not cropped to it",
                    track: smartTrim.track.index))
        }
        if preset.optimizeForNetwork || request.options?.optimize == true,
            fileType.isISOMedia || fileType.isMatroska,
            let length = range.segments.length ?? asset.duration.map({ range.segments.output($0) })
        {
            putsIndexFirst = true
            reserve = IndexReserve.bytes(self, length: length)
        }
        dropped += self.passthrough.dropped(asset, frameRate)
        let taken =
            [video?.track ?? smartTrim?.track].compactMap(\.self) + audio.map(\.track)
            + self.passthrough.text.map(\.track)
        dropped += taken.flatMap(self.passthrough.lostLabels)
        guard video != nil || smartTrim != nil || !audio.isEmpty else {
            throw MediaError(.noSourceTrack, "there is nothing to export with \(preset.id): no track fits")
        }
    }

    /// The name of a dropped track.
    static func name(_ track: Track) -> String {
        let facts = [track.isPicture ? "picture" : track.kind.rawValue, track.codec, track.language]
            .compactMap(\.self)
        return "track \(track.index) (\(facts.joined(separator: ", ")))"
    }

    private func reasonDropped(
        _ track: Track, _ asset: Asset, _ preset: Preset, _ isChosen: (Track) -> Bool
    ) -> String? {
        switch track.kind {
        case .video where track.isPicture: return nil
        case .video:
            if (video?.track ?? smartTrim?.track)?.index == track.index { return nil }
            if preset.video == nil, !preset.isPassthrough { return "\(preset.id) is for audio only" }
            if asset.videoChoice != .standard, track.index != asset.mainVideo?.index {
                return isChosen(track)
                    ? "an output holds one video track; --video \(track.index) exports this one"
                    : "it was not asked for"
            }
            if track.index == asset.mainVideo?.index, track.isDecodable {
                return "it has nothing in the range"
            }
            return track.isDecodable
                ? "an output holds one video track, the main one" : track.obstacleWords
        case .audio:
            if audio.contains(where: { $0.track.index == track.index }) { return nil }
            if !isChosen(track) { return "it was not asked for" }
            if fileType.holdsOneAudioTrack, !audio.isEmpty {
                return "\(fileType.rawValue) holds one track of audio"
            }
            if preset.isPassthrough { return "\(fileType.rawValue) cannot hold \(track.codecWords)" }
            return preset.audio == nil
                ? "\(preset.id) has no audio" : track.obstacleWords
        case .subtitle, .data, .attachment: return nil
        }
    }
}

// A plan in one line, for a job's log. Pure.
extension ExportPlan {
    /// The treatment of each track.
    package var summary: String {
        var parts = [
            "plan: "
                + segments.all.map { "[\($0.start), \($0.end.map { "\($0)" } ?? "end"))" }
                .joined(separator: ", ") + " to \(fileType.rawValue)"
        ]
        parts.append("movie timescale \(movieTimescale)")
        if let video {
            parts.append(
                "track \(video.track.index) \(video.track.codec) to \(video.settings.codec) \(video.width)x\(video.height)"
                    + " at \(video.frameRate)\(video.isConstant ? "" : " (variable)"), ticks \(video.timebase)"
                    + ", cadence \(video.cadence)")
        }
        if let smartTrim { parts.append(smartTrim.summary) }
        for audio in audio {
            switch audio {
            case .encode(let plan):
                parts.append("track \(plan.track.index) \(plan.track.codec) to \(plan.settings.codec)")
            case .copy(let track): parts.append("track \(track.index) \(track.codec) copied")
            }
        }
        return parts.joined(separator: "; ")
    }
}

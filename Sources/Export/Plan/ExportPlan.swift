// What an export will do, decided before anything is decoded: which tracks, which size, which rate, which ticks. A pure
// value made from an asset and a request; the pipeline carries it out and decides nothing of this again.
internal import Media
internal import MediaTime

/// What an export will do.
struct ExportPlan: Sendable {
    /// The source's container time of asset time 0.
    var origin: Time
    /// The range that is cut to; no end: every track to its own.
    var start: Time
    var end: Time?
    /// The output's file type.
    var fileType: FileType
    /// Ticks a second of the movie header and the edit lists.
    var movieTimescale: Int32
    /// The video track where it is encoded as a whole.
    var video: VideoPlan?
    /// The video track where it is copied, with or without encoded ends.
    var splice: SpliceTrackPlan?
    var audio: [SoundPlan]
    var dropped: [DroppedItem]
    /// What comes along beside pictures and sound.
    var carry: CarryPlan
    /// The chapters, on the output's timeline.
    var chapters: [Chapter]
}

/// What becomes of the video track.
struct VideoPlan: Sendable {
    /// The source track.
    var track: Track
    /// The size of the output in pixels.
    var width: Int, height: Int
    /// Degrees clockwise the picture is turned, and whether it is mirrored after that.
    var rotation: Int, isMirrored: Bool
    /// Seconds per tick of the output.
    var timebase: Timebase
    /// Which frames are kept.
    var cadence: FrameCadence
    /// The output's frame rate, nominal where it varies.
    var frameRate: Ratio
    /// The source's frames come at a constant rate.
    var isConstant: Bool
    /// The encoder counts frames instead of ticks, so that the stream's own timing says the frame rate. Only where every
    /// frame kept lasts exactly one period, the last one too: demuxers believe the stream's timing for the last frame.
    var countsFrames: Bool
    /// The preset's picture.
    var settings: VideoSettings
}

/// How one audio track is encoded.
struct AudioPlan: Sendable {
    /// The source track.
    var track: Track
    /// The preset's sound.
    var settings: AudioSettings
}

/// What becomes of one audio track.
enum SoundPlan: Sendable {
    /// Decoded, cut to the sample and encoded.
    case encode(AudioPlan)
    /// Packets as stored.
    case copy(Track)

    /// The source track.
    var track: Track {
        switch self {
        case .encode(let plan): plan.track
        case .copy(let track): track
        }
    }

    /// Samples a second of the output.
    var sampleRate: Int {
        switch self {
        case .encode(let plan): min(plan.track.audio?.sampleRate ?? 48000, plan.settings.maxSampleRate)
        case .copy(let track): track.audio?.sampleRate ?? 48000
        }
    }
}

extension ExportPlan {
    /// The rate of the output's pictures, nominal where it varies; nil without pictures.
    var pictureRate: Ratio? { video?.frameRate ?? splice?.track.video?.frameRate }

    /// Makes the plan.
    /// - Parameters:
    ///   - range: resolved and checked against the asset.
    ///   - timing: of the video track's frames, where the frame-rate cap may bite.
    init(
        _ asset: Asset, _ request: ExportRequest, range: ResolvedRange, fileType: FileType,
        timing: FrameTiming?, ways: Ways, carry: CarryPlan = CarryPlan()
    ) throws(MediaError) {
        let preset = request.preset
        origin = asset.start
        start = range.start
        end = range.end
        self.fileType = fileType
        dropped = []
        self.carry = carry
        chapters = range.chapters ?? []
        splice = ways.splice
        if splice == nil, let settings = preset.video, let track = asset.mainVideo, let format = track.video,
            track.isDecodable
        {
            video = VideoPlan(
                track, format, settings, origin: asset.start, start: range.start, end: range.end,
                timing: timing)
        }
        audio = asset.audioTracks.compactMap { track in
            if ways.copiesSound(track) { return .copy(track) }
            guard track.isDecodable, let settings = ways.sound(for: track) else { return nil }
            return .encode(AudioPlan(track: track, settings: settings))
        }
        movieTimescale = Timescale.movie(
            tracks: [(video?.timebase ?? splice?.timebase).map { Int64($0.denominator) }].compactMap(\.self)
                + audio.map { Int64($0.sampleRate) })
        for track in asset.tracks {
            guard let why = reasonDropped(track, asset, preset) else { continue }
            dropped.append(DroppedItem(what: ExportPlan.name(track), reason: why, track: track.index))
        }
        dropped += carry.dropped(asset, pictureRate)
        guard video != nil || splice != nil || !audio.isEmpty else {
            throw MediaError(.noSourceTrack, "there is nothing to export with \(preset.id): no track fits")
        }
    }

    /// How a dropped track is named.
    static func name(_ track: Track) -> String {
        let facts = [track.isPicture ? "picture" : track.kind.rawValue, track.codec, track.language]
            .compactMap(\.self)
        return "track \(track.index) (\(facts.joined(separator: ", ")))"
    }

    private func reasonDropped(_ track: Track, _ asset: Asset, _ preset: Preset) -> String? {
        switch track.kind {
        case .video where track.isPicture: return nil
        case .video:
            if (video?.track ?? splice?.track)?.index == track.index { return nil }
            if preset.video == nil, !preset.isPassthrough { return "\(preset.id) is for sound only" }
            return track.isDecodable
                ? "an output holds one video track, the main one" : "there is no decoder for \(track.codec)"
        case .audio:
            if audio.contains(where: { $0.track.index == track.index }) { return nil }
            if preset.isPassthrough { return "\(fileType.rawValue) cannot hold \(track.codec)" }
            return preset.audio == nil
                ? "\(preset.id) has no sound" : "there is no decoder for \(track.codec)"
        case .subtitle, .data, .attachment: return nil
        }
    }
}

extension VideoPlan {
    /// Decides the picture of the output.
    init(
        _ track: Track, _ format: VideoFormat, _ settings: VideoSettings, origin: Time, start: Time,
        end: Time?,
        timing: FrameTiming?
    ) {
        self.track = track
        self.settings = settings
        rotation = format.rotation
        isMirrored = format.isMirrored
        (width, height) = PictureSize.fit(
            width: format.width, height: format.height, sampleAspect: format.sampleAspect,
            isTurned: format.rotation % 180 != 0, maxWidth: settings.maxWidth, maxHeight: settings.maxHeight)
        // Asset time 0 may be a time of another track, in ticks of its own.
        timebase = Timescale.video(
            source: track.timebase, start: start + origin, end: end.map { $0 + origin })
        let source = timing?.rate ?? format.frameRate ?? settings.maxFrameRate ?? Ratio(30)
        isConstant = !(timing?.isVariable ?? format.isVariable)
        cadence = timing?.cadence(cap: settings.maxFrameRate) ?? .all
        let period = source.reciprocal.map { Time($0.numerator, Int32(clamping: $0.denominator)) } ?? .invalid
        let isGrid = track.timebase.ticks(of: period, rounding: .towardZero).exact
        let periods = end.map {
            ($0 - (track.start ?? .zero)).multiplied(by: source.numerator, over: source.denominator)
        }
        countsFrames =
            isConstant && isGrid && cadence == .all && periods.map { $0.reduced.timescale == 1 } ?? true
        switch cadence {
        case .all: frameRate = source
        case .every(let n): frameRate = source.divided(by: Ratio(Int64(n))) ?? source
        case .apart: frameRate = settings.maxFrameRate.map { min($0, source) } ?? source
        }
        // Rates that nobody means (time bases given as rates) would spoil rate control.
        if frameRate > Ratio(480) || frameRate < (Ratio(1, 100) ?? Ratio(1)) { frameRate = Ratio(30) }
    }
}

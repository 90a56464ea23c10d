// Which way each track of an export goes: taken over as stored, with its ends encoded again, or encoded as a whole. The
// cheapest that is exact and satisfies the preset, unless the request names one.
internal import Libav
internal import Media
internal import MediaTime

/// The way of each track.
struct Ways: Sendable {
    /// The video track's plan, where it is not encoded as a whole.
    var splice: SpliceTrackPlan?
    /// The audio tracks that are copied.
    private var copied: Set<Int> = []
    private let preset: Preset
    private let fileType: FileType

    /// Everything is encoded.
    init(encoding preset: Preset, fileType: FileType) {
        self.preset = preset
        self.fileType = fileType
    }

    /// Whether an audio track's packets are taken over.
    func copiesSound(_ track: Track) -> Bool { copied.contains(track.index) }

    /// How an audio track is encoded, where it is; nil: it is not.
    func sound(for track: Track) -> AudioSettings? {
        guard preset.isPassthrough else { return preset.audio }
        // Where packets cannot be cut exactly, what has no loss is encoded again.
        guard fileType.fixedTimebase != nil, track.codec == "flac" else { return nil }
        return AudioSettings(
            codec: "flac", encoder: "flac", bitRate: nil, maxChannels: 64, maxSampleRate: 384_000)
    }

    /// Decides.
    static func decide(
        _ asset: Asset, _ request: ExportRequest, range: ResolvedRange, fileType: FileType,
        source: SourceFile,
        delay: Int
    ) throws(MediaError) -> Ways {
        let preset = request.preset
        guard !preset.isPassthrough || request.render != .encode else {
            throw MediaError(
                .invalidRequest, "\(preset.id) takes samples as they are stored, and encoding was asked for",
                remedy: "choose another preset, or leave out --render")
        }
        var ways = Ways(encoding: preset, fileType: fileType)
        guard request.render != .encode,
            preset.isPassthrough || !preset.alwaysEncodes || request.render != .auto
        else { return ways }
        for track in asset.audioTracks where ways.canCopy(sound: track) { ways.copied.insert(track.index) }
        guard let track = asset.mainVideo, preset.isPassthrough || preset.video != nil else { return ways }
        if let settings = preset.video, let obstacle = Conformance.obstacle(track, settings) {
            if request.render == .auto { return ways }
            throw MediaError(
                .presetNotValid,
                "the video track is not what \(preset.id) asks for, so that it cannot be copied: \(obstacle)",
                track: track.index, remedy: "use --render encode, or the preset passthrough")
        }
        guard Muxer.canHold(codec: track.codec, in: fileType.muxer) else {
            guard preset.video != nil, request.render == .auto else {
                throw MediaError(
                    .presetNotValid, ".\(fileType.rawValue) cannot hold \(track.codec)", track: track.index,
                    remedy: "choose another extension, or another preset")
            }
            return ways
        }
        let splice = try SpliceTrackPlan(
            track, asset, range, fileType: fileType, source: source, way: request.render, delay: delay)
        // Where nothing is copied, the preset's own encoder does it better.
        if preset.video != nil, request.render == .auto, splice?.plan.copy == nil { return ways }
        ways.splice = splice
        return ways
    }

    private func canCopy(sound track: Track) -> Bool {
        guard Muxer.canHold(codec: track.codec, in: fileType.muxer) else { return false }
        if preset.isPassthrough { return sound(for: track) == nil }
        guard let settings = preset.audio else { return false }
        return fileType.hasEditLists && Conformance.obstacle(track, settings) == nil
    }
}

extension SpliceTrackPlan {
    /// Plans the video track of a range; nil where it has nothing in it.
    init?(
        _ track: Track, _ asset: Asset, _ range: ResolvedRange, fileType: FileType, source: SourceFile,
        way: RenderMode, delay: Int
    ) throws(MediaError) {
        self.track = track
        self.delay = delay
        timebase =
            fileType.fixedTimebase
            ?? Timescale.video(
                source: track.timebase, start: range.start + asset.start,
                end: range.end.map { $0 + asset.start })
        let start = track.timebase.ticks(of: range.start + asset.start, rounding: .towardNegativeInfinity)
            .ticks
        let end = range.end.map {
            track.timebase.ticks(of: $0 + asset.start, rounding: .towardPositiveInfinity).ticks
        }
        let index = KeyframeIndex(source: source, track: track, origin: asset.start)
        guard let windows = try index.windows(start: start, end: end) else {
            throw MediaError(
                .spliceFailed, "track \(track.index) has samples without times, so that it cannot be copied",
                track: track.index, remedy: "use --render encode")
        }
        guard
            let plan = SplicePlan(opening: windows.opening, closing: windows.closing, start: start, end: end)
        else { return nil }
        guard way != .copy || (plan.head == nil && plan.tail == nil) else {
            throw MediaError(
                .operationNotSupported,
                "the range does not begin and end at sync samples, so that copying alone would leave hidden frames in the file",
                track: track.index, remedy: "use --render smart, or cut at sync samples (trimctl probe --keyframes)")
        }
        self.plan = plan
        self.way = plan.head == nil && plan.tail == nil ? .copy : .smart
    }
}

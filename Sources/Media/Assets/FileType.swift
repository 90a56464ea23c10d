// The file types trimd writes, and the timing each can store. Values only.
public import MediaTime

/// A file type, by its extension.
public enum FileType: String, Hashable, Codable, Sendable, CaseIterable {
    case mp4, m4v, m4a, mov, mkv, mka, webm, ts, ogg, opus, flac, wav, mp3, gif

    /// FFmpeg's muxer for it.
    public var muxer: String {
        switch self {
        case .mp4: "mp4"
        case .m4v, .m4a: "ipod"
        case .mov: "mov"
        case .mkv, .mka: "matroska"
        case .webm: "webm"
        case .ts: "mpegts"
        case .ogg, .opus, .flac, .wav, .mp3, .gif: rawValue
        }
    }

    /// Whether it holds audio only.
    public var isAudio: Bool {
        switch self {
        case .m4a, .mka, .ogg, .opus, .flac, .wav, .mp3: true
        case .mp4, .m4v, .mov, .mkv, .webm, .ts, .gif: false
        }
    }

    /// Whether it holds a single track.
    public var holdsOneTrack: Bool {
        switch self {
        case .ogg, .opus, .flac, .wav, .mp3, .gif: true
        case .mp4, .m4v, .m4a, .mov, .mkv, .mka, .webm, .ts: false
        }
    }

    /// Whether it can hide samples before the in point and after the out point.
    public var hasEditLists: Bool {
        switch self {
        case .mp4, .m4v, .m4a, .mov: true
        case .mkv, .mka, .webm, .ts, .ogg, .opus, .flac, .wav, .mp3, .gif: false
        }
    }

    /// Whether it is Matroska or its subset WebM.
    public var isMatroska: Bool { self == .mkv || self == .mka || self == .webm }

    /// A property of a track that a container cannot store although it holds the codec.
    public enum Loss: Hashable, Sendable {
        /// The display rotation.
        case rotation
        /// An alpha channel, stored beside the frames.
        case alpha
        /// Audio with this low a sample rate.
        case rate

        /// The loss, and the alternative to choose.
        public var words: (code: ReasonCode, what: String, remedy: String) {
            switch self {
            case .rotation:
                (
                    .rotationLost, "the video is to be rotated for display",
                    "choose .mp4 or .mov, or a preset that encodes, which rotates it"
                )
            case .alpha:
                (.alphaLost, "the video has a separate alpha channel", "choose .webm or .mkv")
            case .rate:
                (.rateNotInContainer, "the audio's sample rate is too low", "choose another file type")
            }
        }
    }

    /// The loss if the track's samples were copied; nil: none. FFmpeg writes no rotation into Matroska and transport streams,
    /// although Matroska can store one.
    public func loss(of track: Track) -> Loss? {
        // Only MPEG-1 and MPEG-2 rates are allowed there (ISO/IEC 14496-3).
        if self == .mp4, track.codec == "mp3", let rate = track.audio?.sampleRate, rate < 16_000 {
            return .rate
        }
        guard let format = track.video else { return nil }
        if !hasEditLists, format.rotation != 0 || format.isMirrored { return .rotation }
        let isBeside = format.hasAlpha && ["vp8", "vp9"].contains(track.codec)
        return isBeside && self != .mkv && self != .webm ? .alpha : nil
    }

    /// Whether it can hold a track as it is, given that it holds the codec.
    public func carries(_ track: Track) -> Bool { loss(of: track) == nil }

    /// Seconds per tick if the container has one time base for all tracks; nil if each track has its own.
    public var fixedTimebase: Timebase? {
        switch self {
        case .mp4, .m4v, .m4a, .mov, .ogg, .opus, .flac, .wav, .mp3: nil
        case .mkv, .mka, .webm: .milliseconds
        case .ts: Timebase(perSecond: 90_000)
        case .gif: Timebase(perSecond: 100)
        }
    }

    /// The container time of an output's 0. FFmpeg's transport streams begin 1.4 s late, twice the clock delay that `Muxer`
    /// sets.
    public var zero: Time { self == .ts ? Time(7, 5) : .zero }

    /// The shortest time, in ticks, for which viewers show a frame; nil: any. Viewers show a GIF frame of 0 or 1 ticks for 10.
    public var shortestFrame: Int64? { self == .gif ? 2 : nil }

    /// Seconds per tick of an audio track with this sample rate.
    public func timebase(ofAudio rate: Int) -> Timebase {
        fixedTimebase ?? Timebase(perSecond: rate) ?? .milliseconds
    }

    /// The file type of an asset; nil if trimd does not write it.
    public init?(of asset: Asset) {
        let formats = asset.container.format.split(separator: ",").map(String.init)
        let hasVideo = asset.mainVideo != nil
        let codecs = Set(asset.tracks.filter { $0.kind == .video || $0.kind == .audio }.map(\.codec))
        if formats.contains("mov") {
            switch asset.container.brand {
            case "qt  ": self = .mov
            case "M4V ", "M4VH", "M4VP": self = .m4v
            default: self = hasVideo ? .mp4 : .m4a
            }
        } else if formats.contains("matroska") {
            self =
                !hasVideo
                ? .mka : codecs.isSubset(of: ["vp8", "vp9", "av1", "opus", "vorbis"]) ? .webm : .mkv
        } else if formats.contains("mpegts") {
            self = .ts
        } else {
            return nil
        }
    }
}

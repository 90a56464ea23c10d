// The file types trimd writes, and what each can say about time. Values only.
public import MediaTime

/// A file type, by its extension.
public enum FileType: String, Hashable, Codable, Sendable, CaseIterable {
    case mp4, m4v, m4a, mov, mkv, mka, webm, ts, ogg, opus, flac, wav, mp3

    /// FFmpeg's muxer for it.
    public var muxer: String {
        switch self {
        case .mp4: "mp4"
        case .m4v, .m4a: "ipod"
        case .mov: "mov"
        case .mkv, .mka: "matroska"
        case .webm: "webm"
        case .ts: "mpegts"
        case .ogg, .opus, .flac, .wav, .mp3: rawValue
        }
    }

    /// It holds sound alone.
    public var isSound: Bool {
        switch self {
        case .m4a, .mka, .ogg, .opus, .flac, .wav, .mp3: true
        case .mp4, .m4v, .mov, .mkv, .webm, .ts: false
        }
    }

    /// It holds one track.
    public var holdsOneTrack: Bool {
        switch self {
        case .ogg, .opus, .flac, .wav, .mp3: true
        case .mp4, .m4v, .m4a, .mov, .mkv, .mka, .webm, .ts: false
        }
    }

    /// It can hide what lies before the in point and after the out point.
    public var hasEditLists: Bool {
        switch self {
        case .mp4, .m4v, .m4a, .mov: true
        case .mkv, .mka, .webm, .ts, .ogg, .opus, .flac, .wav, .mp3: false
        }
    }

    /// It is Matroska, or WebM, which is a part of it.
    public var isMatroska: Bool { self == .mkv || self == .mka || self == .webm }

    /// What a container cannot hold of a track whose codec it holds.
    public enum Loss: Hashable, Sendable {
        /// That pictures are to be turned.
        case rotation
        /// An alpha channel, which lies beside the pictures.
        case alpha
        /// Sound of so few samples a second.
        case rate

        /// What is lost, and what to choose instead.
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

    /// What of a track would be lost if its samples were taken over; nil: nothing.
    ///
    /// FFmpeg writes no turning into Matroska and transport streams, though the former has a place for it.
    public func loss(of track: Track) -> Loss? {
        // MPEG-1 and 2's rates alone are allowed there (ISO/IEC 14496-3).
        if self == .mp4, track.codec == "mp3", let rate = track.audio?.sampleRate, rate < 16_000 {
            return .rate
        }
        guard let format = track.video else { return nil }
        if !hasEditLists, format.rotation != 0 || format.isMirrored { return .rotation }
        let isBeside = format.hasAlpha && ["vp8", "vp9"].contains(track.codec)
        return isBeside && self != .mkv && self != .webm ? .alpha : nil
    }

    /// It can hold a track of a codec that it holds as this one is.
    public func carries(_ track: Track) -> Bool { loss(of: track) == nil }

    /// Seconds a tick where the container has one time base for all; nil where each track has its own.
    public var fixedTimebase: Timebase? {
        switch self {
        case .mp4, .m4v, .m4a, .mov, .ogg, .opus, .flac, .wav, .mp3: nil
        case .mkv, .mka, .webm: .milliseconds
        case .ts: Timebase(perSecond: 90_000)
        }
    }

    /// The container's time of an output's 0. FFmpeg's transport streams begin 1.4 s late, twice the time that their clock is
    /// behind, which `Muxer` asks for.
    public var zero: Time { self == .ts ? Time(7, 5) : .zero }

    /// Seconds a tick of a track of sound with so many samples a second.
    public func timebase(ofSound rate: Int) -> Timebase {
        fixedTimebase ?? Timebase(perSecond: rate) ?? .milliseconds
    }

    /// The file type an asset is in itself; nil where trimd does not write it.
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

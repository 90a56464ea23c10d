// One track of an asset, as a user speaks of it. Values only.
public import MediaTime

/// What a track holds.
public enum TrackKind: String, Hashable, Codable, Sendable {
    case video, audio, subtitle, data, attachment
}

/// What a track is for that is nothing to be seen or heard by itself.
public enum TrackRole: String, Hashable, Codable, Sendable {
    /// It holds the titles of the chapters.
    case chapters
    /// It holds the timecode of another track.
    case timecode
}

/// One track of an asset.
public struct Track: Hashable, Codable, Sendable {
    /// Its place in the container, from 0.
    public var index: Int
    /// What it holds.
    public var kind: TrackKind
    /// FFmpeg's name of its codec, such as `h264`; `unknown` where there is none.
    public var codec: String
    /// The codec's profile, such as `High`.
    public var profile: String?
    /// The codec's level as its standard writes it, such as `3.1`.
    public var level: String?
    /// The container's four-character code for it.
    public var codecTag: String?
    /// Seconds per tick of its timestamps.
    public var timebase: Timebase
    /// Its first presentation time, in asset time; nil where the container does not say.
    public var start: Time?
    /// From its first presentation to the end of its last.
    public var duration: Time?
    /// Samples (frames, fields or packets) stored, where the container says.
    public var samples: Int64?
    /// Bits a second, as the container or codec says.
    public var bitRate: Int64?
    /// ISO 639-2 language, where it has one.
    public var language: String?
    /// Its title or handler name.
    public var title: String?
    /// FFmpeg's dispositions, such as `default`, `forced`, `attached_pic`.
    public var dispositions: [String]
    /// The edit list (mp4, mov), in the order of the file; nil where there is none.
    public var edits: [Edit]?
    /// The track's own metadata.
    public var metadata: [String: String]
    /// Set for a video track.
    public var video: VideoFormat?
    /// Set for an audio track.
    public var audio: AudioFormat?
    /// Its samples are encrypted.
    public var isProtected: Bool
    /// A decoder is there, and the container told it what it needs.
    public var isDecodable: Bool
    /// Why pictures, sound or subtitles are not decodable; nil where they are.
    public var obstacle: DecodingObstacle?
    /// Where playback can begin, in asset time; only where asked for.
    public var keyframes: [Time]?
    /// The same places with what the bitstream says of each; only where asked for.
    public var syncSamples: [SyncSample]?
    /// Exactly how many frames or packets it has; only where asked for.
    public var frameCount: Int64?
    /// What it is for, where it only serves other tracks.
    public var role: TrackRole?

    /// A track of a kind and codec; the rest is filled in by whoever reads the file.
    public init(index: Int, kind: TrackKind, codec: String, timebase: Timebase) {
        self.index = index
        self.kind = kind
        self.codec = codec
        self.timebase = timebase
        dispositions = []
        metadata = [:]
        isProtected = false
        isDecodable = false
    }

    /// Where its last presentation ends, in asset time; nil where the container does not say.
    public var end: Time? { duration.map { (start ?? .zero) + $0 } }

    /// Why it is not decodable, as the rest of a sentence about it.
    public var obstacleWords: String {
        switch obstacle {
        case .protected: "it is encrypted"
        case .unknownFormat:
            "nothing of it was found in the beginning of the file, so that its format is not known"
        case .noDecoder, nil: "there is no decoder for \(codec)"
        }
    }

    /// The code of an error or a reason that says so.
    var obstacleCode: ErrorCode {
        obstacle == .unknownFormat ? .undecodableMediaData : .decoderNotFound
    }

    /// It is a still picture that accompanies the asset (cover art), not video.
    public var isPicture: Bool { dispositions.contains("attached_pic") }
}

/// Why a track is not decodable.
public enum DecodingObstacle: String, Hashable, Codable, Sendable {
    /// Its samples are encrypted.
    case protected
    /// No decoder is there.
    case noDecoder
    /// A decoder is there, and neither the container nor a sample near the beginning says what it needs.
    case unknownFormat
}

/// One entry of an edit list.
public struct Edit: Hashable, Codable, Sendable {
    /// How long it lasts, in the movie's time.
    public var duration: Time
    /// The media time it shows; nil for an empty edit.
    public var mediaTime: Time?
    /// Playback rate, normally 1.
    public var rate: Ratio

    /// An edit from its parts.
    public init(duration: Time, mediaTime: Time?, rate: Ratio) {
        self.duration = duration
        self.mediaTime = mediaTime
        self.rate = rate
    }
}

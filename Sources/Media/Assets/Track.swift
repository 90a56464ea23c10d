// One track of an asset. Values only.
public import MediaTime

/// The media type of a track.
public enum TrackKind: String, Hashable, Codable, Sendable {
    case video, audio, subtitle, data, attachment
}

/// The role of a track that only serves other tracks.
public enum TrackRole: String, Hashable, Codable, Sendable {
    /// It holds the titles of the chapters.
    case chapters
    /// It holds the timecode of another track.
    case timecode
}

/// One track of an asset.
public struct Track: Hashable, Codable, Sendable {
    /// Its index in the container, from 0.
    public var index: Int
    /// Its media type.
    public var kind: TrackKind
    /// FFmpeg's name of its codec, such as `h264`; `none` if it knows none.
    public var codec: String
    /// The codec's profile, such as `High`.
    public var profile: String?
    /// The codec's level as its standard writes it, such as `3.1`.
    public var level: String?
    /// The container's four-character code for it.
    public var codecTag: String?
    /// Seconds per tick of its timestamps.
    public var timebase: Timebase
    /// Its first presentation time, in asset time; nil if the container does not say.
    public var start: Time?
    /// From its first presentation to the end of its last.
    public var duration: Time?
    /// Stored samples (frames, fields or packets), if the container says.
    public var samples: Int64?
    /// Bits per second, from the container or codec.
    public var bitRate: Int64?
    /// ISO 639-2 language, if any.
    public var language: String?
    /// Its title or handler name.
    public var title: String?
    /// FFmpeg's dispositions, such as `default`, `forced`, `attached_pic`.
    public var dispositions: [String]
    /// The edit list (mp4, mov), in file order; nil if there is none.
    public var edits: [Edit]?
    /// The track's own metadata.
    public var metadata: [String: String]
    /// Set for a video track.
    public var video: VideoFormat?
    /// Set for an audio track.
    public var audio: AudioFormat?
    /// Whether its samples are encrypted.
    public var isProtected: Bool
    /// Whether a decoder exists and has the parameters it needs.
    public var isDecodable: Bool
    /// Why video, audio or subtitles are not decodable; nil if they are.
    public var obstacle: DecodingObstacle?
    /// The keyframes, in asset time; only if requested.
    public var keyframes: [Time]?
    /// The same keyframes with their kinds from the bitstream; only if requested.
    public var syncSamples: [SyncSample]?
    /// The exact number of frames or packets; only if requested.
    public var frameCount: Int64?
    /// Its role, if it only serves other tracks.
    public var role: TrackRole?

    /// Creates a track; the reader of the file fills in the rest.
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

    /// The end of its last presentation, in asset time; nil if the container does not say.
    public var end: Time? { duration.map { (start ?? .zero) + $0 } }

    /// Where its edit list ends, in asset time: what its last sample has behind that is not played. Nil: it has no edit list, or nothing says
    /// where the track ends.
    public var editEnd: Time? { edits == nil ? nil : end }

    /// Its codec for people: where FFmpeg knows none, the container's code for it.
    public var codecWords: String {
        let name = codec == "none" ? codecTag ?? "an unknown codec" : codec
        // Of some codecs only a profile has no decoder.
        return obstacle == .noDecoder ? profile.map { "\(name) \($0)" } ?? name : name
    }

    /// Why it is not decodable, as the end of a sentence.
    public var obstacleWords: String {
        switch obstacle {
        case .protected: "it is encrypted"
        case .unknownFormat:
            "nothing of it was found in the beginning of the file, so that its format is not known"
        case .noDecoder, nil: "there is no decoder for \(codecWords)"
        }
    }

    /// The code of the matching error or reason.
    var obstacleCode: ErrorCode {
        obstacle == .unknownFormat ? .undecodableMediaData : .decoderNotFound
    }

    /// Whether its times count frames, so that each is on screen for a whole number of them. AVI has an empty chunk for a frame that lasts
    /// longer.
    public var countsFrames: Bool {
        video?.frameRate.map {
            Int64(timebase.numerator) * $0.numerator == Int64(timebase.denominator) * $0.denominator
        } ?? false
    }

    /// Whether it is a still image that accompanies the asset (cover art), not video.
    public var isPicture: Bool { dispositions.contains("attached_pic") }
}

/// Why a track is not decodable.
public enum DecodingObstacle: String, Hashable, Codable, Sendable {
    /// Its samples are encrypted.
    case protected
    /// There is no decoder.
    case noDecoder
    /// There is a decoder, but neither the container nor an early sample has the parameters it needs.
    case unknownFormat
}

/// One entry of an edit list.
public struct Edit: Hashable, Codable, Sendable {
    /// Its length, in movie time.
    public var duration: Time
    /// The media time it maps to; nil for an empty edit.
    public var mediaTime: Time?
    /// Playback rate, normally 1.
    public var rate: Ratio

    /// Creates an edit.
    public init(duration: Time, mediaTime: Time?, rate: Ratio) {
        self.duration = duration
        self.mediaTime = mediaTime
        self.rate = rate
    }
}

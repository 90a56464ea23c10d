// Asset: the answer of `trimctl probe`. Values only; a worker fills them in.
public import MediaTime

/// A media file: its container, its tracks and its faults.
public struct Asset: Hashable, Codable, Sendable {
    /// The container, with FFmpeg's name for it.
    public var container: Container
    /// The container time of asset time 0: its earliest presentation time.
    public var start: Time
    /// From asset time 0 to the end of the track that ends last; nil if unknown without a full read.
    public var duration: Time?
    /// Size in bytes.
    public var bytes: Int64
    /// All tracks, in the container's order.
    public var tracks: [Track]
    /// The chapters, in asset time.
    public var chapters: [Chapter]
    /// The container's metadata, by FFmpeg's key names.
    public var metadata: [String: String]
    /// The metadata, item by item, with the key space of each.
    public var items: [MetadataItem]?
    /// The timecode of asset time 0, where a track or the container has one.
    public var timecode: String?
    /// The faults found in the file.
    public var faults: [Fault]
    /// The load status of each property, by its name; nil if none was requested.
    public var properties: [String: PropertyState]?
    /// The parts that a playlist marks as no part of the program, in the order of time; nil: the source is no playlist.
    public var interstitials: [Interstitial]?
    /// The qualities that a playlist offers; nil: one.
    public var variants: [AssetVariant]?
    /// The alternative tracks that a playlist offers; nil: none.
    public var renditions: [AssetRendition]?
    /// The file's name, where it distinguishes file types that have one container; not part of the answer.
    public var fileName: String?
    /// The selected video track; set by the request, not by the file.
    public var videoChoice = VideoChoice.standard

    /// The selected video track.
    public enum VideoChoice: Hashable, Sendable {
        /// The track with the default disposition, else the first.
        case standard
        /// The track with this index.
        case track(Int)
        /// None: audio only.
        case none
    }

    private enum CodingKeys: String, CodingKey {
        case container, start, duration, bytes, tracks, chapters, metadata, items, timecode, faults,
            properties, interstitials, variants, renditions
    }

    /// Creates an asset.
    public init(
        container: Container, start: Time, duration: Time?, bytes: Int64, tracks: [Track],
        chapters: [Chapter] = [], metadata: [String: String] = [:], faults: [Fault] = []
    ) {
        self.container = container
        self.start = start
        self.duration = duration
        self.bytes = bytes
        self.tracks = tracks
        self.chapters = chapters
        self.metadata = metadata
        self.faults = faults
    }

    /// The selected video track.
    public var mainVideo: Track? {
        let videos = videoTracks
        switch videoChoice {
        case .standard: return videos.first { $0.dispositions.contains("default") } ?? videos.first
        case .track(let index): return videos.first { $0.index == index }
        case .none: return nil
        }
    }

    /// The video tracks, in order, without cover art.
    public var videoTracks: [Track] { tracks.filter { $0.kind == .video && !$0.isPicture } }

    /// The audio tracks, in order.
    public var audioTracks: [Track] { tracks.filter { $0.kind == .audio } }

    /// The subtitle tracks, in order.
    public var subtitleTracks: [Track] { tracks.filter { $0.kind == .subtitle && $0.role == nil } }
}

/// A container format.
public struct Container: Hashable, Codable, Sendable {
    /// FFmpeg's short name, such as `mov,mp4,m4a,3gp,3g2,mj2`.
    public var format: String
    /// Whether it is a movie as in ISO/IEC 14496-12 or QuickTime.
    public var isISOMedia: Bool { format.contains("mov") }
    /// A display name.
    public var name: String
    /// The major brand of an ISO base media file, such as `isom`, or `qt  ` for QuickTime.
    public var brand: String?

    /// Creates a container.
    public init(format: String, name: String, brand: String? = nil) {
        self.format = format
        self.name = name
        self.brand = brand
    }
}

/// A chapter: a titled range of the asset.
public struct Chapter: Hashable, Codable, Sendable {
    /// Its start, in asset time.
    public var start: Time
    /// Its end (exclusive), in asset time.
    public var end: Time
    /// Its title, if any.
    public var title: String?

    /// Creates a chapter.
    public init(start: Time, end: Time, title: String?) {
        self.start = start
        self.end = end
        self.title = title
    }
}

/// Something unusual or wrong about an asset.
public struct Fault: Hashable, Codable, Sendable {
    /// Stable fault codes.
    public enum Code: String, Codable, Hashable, Sendable {
        case openGOP, missingDuration, truncated, encrypted
        case noInitialKeyframe, decodeErrors, unknownCodec, lateTrack, estimatedDuration, noTimestamps
        case playlistMark, unreadRendition, gap, clockJump, editRate
    }
    /// The stable code.
    public var code: Code
    /// A message for people.
    public var message: String
    /// The affected track, if any.
    public var track: Int?

    /// Creates a fault.
    public init(_ code: Code, _ message: String, track: Int? = nil) {
        self.code = code
        self.message = message
        self.track = track
    }
}

// What an asset is, as a user speaks of it: the answer of `trimctl probe`. Values only; a worker fills them in.
public import MediaTime

/// A media file: its container, its tracks and what is wrong with it.
public struct Asset: Hashable, Codable, Sendable {
    /// The container, and how FFmpeg names it.
    public var container: Container
    /// The container's own time that asset time 0 stands for: its earliest presentation time.
    public var start: Time
    /// From asset time 0 to the end of the track that ends last; nil where nobody can say without reading it all.
    public var duration: Time?
    /// Size in bytes.
    public var bytes: Int64
    /// All tracks, in the container's order.
    public var tracks: [Track]
    /// The chapters, in asset time.
    public var chapters: [Chapter]
    /// The container's metadata, by FFmpeg's key names.
    public var metadata: [String: String]
    /// The metadata, item for item, with the spaces of its keys.
    public var items: [MetadataItem]?
    /// The timecode of asset time 0, where a track or the container has one.
    public var timecode: String?
    /// What is unusual or wrong.
    public var faults: [Fault]
    /// How the asking for each property went, by its name; nil where none was named.
    public var properties: [String: PropertyState]?
    /// Which video track is meant; a request's choice, of which the file knows nothing.
    public var videoChoice = VideoChoice.standard

    /// Which video track is meant.
    public enum VideoChoice: Hashable, Sendable {
        /// The one with the default disposition, else the first.
        case standard
        /// The one of this index.
        case track(Int)
        /// None: the sound alone counts.
        case none
    }

    private enum CodingKeys: String, CodingKey {
        case container, start, duration, bytes, tracks, chapters, metadata, items, timecode, faults,
            properties
    }

    /// An asset from its parts.
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

    /// The video track that is meant.
    public var mainVideo: Track? {
        let videos = videoTracks
        switch videoChoice {
        case .standard: return videos.first { $0.dispositions.contains("default") } ?? videos.first
        case .track(let index): return videos.first { $0.index == index }
        case .none: return nil
        }
    }

    /// The video tracks, in order; pictures that accompany the asset are none.
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
    /// A name for people.
    public var name: String
    /// The major brand of an ISO base media file, such as `isom`, or `qt  ` for QuickTime's own.
    public var brand: String?

    /// A container by its names.
    public init(format: String, name: String, brand: String? = nil) {
        self.format = format
        self.name = name
        self.brand = brand
    }
}

/// A chapter: a titled range of the asset.
public struct Chapter: Hashable, Codable, Sendable {
    /// Where it lies, in asset time.
    public var start: Time
    /// Where it ends (exclusive), in asset time.
    public var end: Time
    /// Its title, where it has one.
    public var title: String?

    /// A chapter from its parts.
    public init(start: Time, end: Time, title: String?) {
        self.start = start
        self.end = end
        self.title = title
    }
}

/// Something unusual or wrong about an asset.
public struct Fault: Hashable, Codable, Sendable {
    /// The stable words for faults.
    public enum Code: String, Codable, Hashable, Sendable {
        case startOffset, variableFrameRate, openGOP, missingDuration, truncated, encrypted
        case noInitialKeyframe, decodeErrors, unknownCodec, lateTrack, estimatedDuration, noTimestamps
    }
    /// The stable word.
    public var code: Code
    /// A sentence for people.
    public var message: String
    /// The track it concerns, where it concerns one.
    public var track: Int?

    /// A fault from its parts.
    public init(_ code: Code, _ message: String, track: Int? = nil) {
        self.code = code
        self.message = message
        self.track = track
    }
}

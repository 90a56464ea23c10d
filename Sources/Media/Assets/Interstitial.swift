// The facts that an HLS playlist has of its film besides the media: parts that are no part of the program, the qualities it offers, and its
// alternative tracks. Values only; a worker fills them in.
public import MediaTime

/// A part that a playlist marks as no part of the program, such as an advertisement.
public struct Interstitial: Hashable, Codable, Sendable {
    /// How the playlist marks it.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// A range of dates of the class com.apple.hls.interstitial.
        case interstitial
        /// A range of dates with a splice of SCTE 35.
        case scte35
        /// A break between EXT-X-CUE-OUT and EXT-X-CUE-IN.
        case cue
        /// Segments from elsewhere, between discontinuities.
        case part
    }

    /// The actions that a viewer is denied while it is shown.
    public enum Restriction: String, Hashable, Codable, Sendable, CaseIterable { case skip, jump }

    /// Where it begins, in asset time.
    public var start: Time
    /// How long it is; nil: the playlist does not say.
    public var duration: Time?
    /// Its name in the playlist.
    public var id: String?
    /// How the playlist marks it.
    public var kind: Kind
    /// The actions that a viewer is denied while it is shown.
    public var restrict: [Restriction]
    /// Whether it lies in the asset's own time: without it the film is shorter. Otherwise players insert it at its start.
    public var stitched: Bool
    /// The asset that players show, as the playlist names it; it is not read.
    public var asset: String?

    /// Creates an interstitial.
    public init(
        start: Time, duration: Time?, id: String? = nil, kind: Kind, restrict: [Restriction] = [],
        stitched: Bool, asset: String? = nil
    ) {
        self.start = start
        self.duration = duration
        self.id = id
        self.kind = kind
        self.restrict = restrict
        self.stitched = stitched
        self.asset = asset
    }
}

/// A quality that a playlist offers.
public struct AssetVariant: Hashable, Codable, Sendable {
    /// Its number in the list, counted from 1.
    public var number: Int
    /// Its highest bit rate, in bits per second.
    public var bitRate: Int64
    /// Its frame size; nil: not given, or audio only.
    public var width: Int?, height: Int?
    /// Its codecs (RFC 6381), as they are written.
    public var codecs: String?
    /// Whether the tracks of this asset are those of it.
    public var chosen: Bool

    /// Creates a variant.
    public init(
        number: Int, bitRate: Int64, width: Int? = nil, height: Int? = nil, codecs: String? = nil,
        chosen: Bool
    ) {
        self.number = number
        self.bitRate = bitRate
        self.width = width
        self.height = height
        self.codecs = codecs
        self.chosen = chosen
    }
}

/// An alternative track that a playlist offers.
public struct AssetRendition: Hashable, Codable, Sendable {
    /// The kinds.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        case audio, video, subtitles, closedCaptions
    }

    /// Its kind.
    public var kind: Kind
    /// The group that variants name.
    public var group: String
    /// Its name for people.
    public var name: String
    /// Its language, as it is written.
    public var language: String?
    /// Whether it is the one to play where nobody has chosen.
    public var isDefault: Bool
    /// Whether it holds only what must be shown.
    public var isForced: Bool

    private enum CodingKeys: String, CodingKey {
        case kind, group, name, language
        case isDefault = "default"
        case isForced = "forced"
    }

    /// Creates a rendition.
    public init(
        kind: Kind, group: String, name: String, language: String? = nil, isDefault: Bool = false,
        isForced: Bool = false
    ) {
        self.kind = kind
        self.group = group
        self.name = name
        self.language = language
        self.isDefault = isDefault
        self.isForced = isForced
    }
}

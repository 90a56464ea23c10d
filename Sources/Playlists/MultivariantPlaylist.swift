// A multivariant playlist: the same film in several qualities, with alternative audio and subtitles, each a media playlist of its
// own. Values only.

/// One quality of a film.
public struct PlaylistVariant: Hashable, Sendable {
    /// Its media playlist.
    public var playlist: PlaylistResource
    /// Its highest bit rate, in bits per second.
    public var bandwidth: Int64
    /// Its width and height; nil: not given, or audio only.
    public var width: Int?, height: Int?
    /// The codecs, as they are written; nil: not given.
    public var codecs: String?
    /// The group of its alternative audio; nil: it has its own only.
    public var audio: String?
    /// The group of its subtitles; nil: it has none.
    public var subtitles: String?

    /// `1280x720, 2500 kbit/s`, for messages.
    public var described: String {
        let size = width.flatMap { width in height.map { "\(width)x\($0), " } } ?? ""
        return "\(size)\(bandwidth / 1000) kbit/s"
    }
}

/// An alternative track of a film.
public struct PlaylistRendition: Hashable, Sendable {
    /// The kinds.
    public enum Kind: String, Hashable, Sendable {
        case audio = "AUDIO"
        case video = "VIDEO"
        case subtitles = "SUBTITLES"
        case closedCaptions = "CLOSED-CAPTIONS"
    }

    /// Its kind.
    public var kind: Kind
    /// The group it belongs to.
    public var group: String
    /// Its name for people.
    public var name: String
    /// Its language tag; nil: not given.
    public var language: String?
    /// Whether it is the one to play where the user has chosen none.
    public var isDefault: Bool
    /// Whether it holds only what must be shown.
    public var isForced: Bool
    /// Its media playlist; nil: it is in that of the variant.
    public var playlist: PlaylistResource?
}

/// A multivariant playlist.
public struct MultivariantPlaylist: Hashable, Sendable {
    /// The qualities, as listed; at least one.
    public var variants: [PlaylistVariant]
    /// The alternative tracks.
    public var renditions: [PlaylistRendition]

    /// The alternative audio of a variant that lies in playlists of its own, each once.
    public func audio(of variant: PlaylistVariant) -> [PlaylistRendition] {
        renditions(.audio, in: variant.audio, besides: variant)
    }

    /// The subtitles of a variant, each once.
    public func subtitles(of variant: PlaylistVariant) -> [PlaylistRendition] {
        renditions(.subtitles, in: variant.subtitles, besides: variant)
    }

    private func renditions(
        _ kind: PlaylistRendition.Kind, in group: String?, besides variant: PlaylistVariant
    ) -> [PlaylistRendition] {
        var seen: Set<RelativeName> = [variant.playlist.name]
        return renditions.filter { rendition in
            guard rendition.kind == kind, rendition.group == group, let own = rendition.playlist else {
                return false
            }
            return seen.insert(own.name).inserted
        }
    }
}

/// A playlist of either kind.
public enum Playlist: Hashable, Sendable {
    /// The segments of one stream.
    case media(MediaPlaylist)
    /// Streams to choose from.
    case multivariant(MultivariantPlaylist)
    /// Files one after the other.
    case concat(ConcatList)
}

// A media playlist: the segments of one stream, in order, as values. Nothing here opens a file.
public import MediaTime

/// A media playlist that has ended.
public struct MediaPlaylist: Hashable, Sendable {
    /// The segments, at least one.
    public var segments: [PlaylistSegment]
    /// The parts that it marks as no part of the program, in the order of time.
    public var interstitials: [PlaylistInterstitial] = []
    /// Why a mark of an interstitial cannot be read, or placed.
    public var problems: [PlaylistError] = []

    /// The files that it names, each once, in the order in which they are named first.
    public var names: [RelativeName] {
        var seen: Set<RelativeName> = []
        return segments.lazy.filter { !$0.isGap }.flatMap {
            [$0.map?.name, $0.media.name].compactMap(\.self)
        }
        .filter { seen.insert($0).inserted }
    }

    /// The same, as seen from a folder above the playlist's.
    public func beneath(_ folder: String?) -> MediaPlaylist {
        var list = self
        for index in list.segments.indices {
            list.segments[index].media.name = segments[index].media.name.beneath(folder)
            list.segments[index].map?.name =
                segments[index].map?.name.beneath(folder) ?? segments[index].media.name
        }
        return list
    }

    /// The duration, as the playlist gives it.
    public var duration: Time { segments.last?.end ?? .zero }

    /// How many parts there are between discontinuities.
    public var partCount: Int { Set(segments.map(\.part)).count }
}

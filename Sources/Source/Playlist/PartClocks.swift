// The clocks of a film's parts between discontinuities: timestamps begin anew in each, and those of subtitles that name the clock of
// their transport stream with them. Pure.
internal import Libav
internal import MediaTime
internal import Playlists

/// How the clock of each part of a film relates to its one timeline.
struct PartClocks {
    /// The playlist of the film's own media.
    private let media: MediaPlaylist
    /// How its parts are joined; nil: its timestamps never begin anew.
    private let joined: JoinedSource?

    init(_ media: MediaPlaylist, _ joined: JoinedSource?) {
        (self.media, self.joined) = (media, joined)
    }

    /// How many parts there are.
    var partCount: Int { media.partCount }

    /// The time that is added to the timestamps of the part that a segment of another playlist belongs to.
    /// - Parameter isDividedAlike: the other playlist has as many discontinuities; else the segment's time says which part it is.
    func offset(of segment: PlaylistSegment, isDividedAlike: Bool) -> Time {
        guard let joined else { return .zero }
        let middle = segment.start + segment.duration.multiplied(by: 1, over: 2)
        let part =
            isDividedAlike
            ? segment.part : (media.segments.last { $0.start <= middle } ?? media.segments.first)?.part ?? 0
        // A part without media has no clock: that of the last one before it goes on.
        return (0...max(0, part)).reversed().lazy.compactMap { joined.offset(ofPart: $0) }.first ?? .zero
    }
}

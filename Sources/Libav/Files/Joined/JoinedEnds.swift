// When a film begins and ends whose playlist has no media at its beginning or its end. Pure: times in, times out.
//
// A file that has media there says it exactly. Where none has, the durations count that the playlist gives, which are rounded.
internal import MediaTime

/// The first moment and the end of files that are played together.
struct JoinedEnds: Hashable {
    /// One of the files.
    struct File {
        /// Its pieces, at least one.
        var pieces: [PieceTimes]
        /// Added to the times of each.
        var offsets: [Time]
        /// The time without media after the last piece, as the playlist gives it.
        var gapAtEnd: Time

        /// The first moment of its media.
        var first: Time { (pieces.first?.first ?? .zero) + (offsets.first ?? .zero) }
        /// The end of its media.
        var end: Time { zip(pieces, offsets).map { $0.end + $1 }.max() ?? .zero }
        /// The time without media before the first piece.
        var gapAtStart: Time { pieces.first?.gap ?? .zero }
    }

    let start: Time, end: Time

    init(_ files: [File]) {
        let (whole, wholeAtEnd) = (
            files.filter { $0.gapAtStart == .zero }, files.filter { $0.gapAtEnd == .zero }
        )
        let first = files.map(\.first).min() ?? .zero
        let last = files.map(\.end).max() ?? .zero
        let starts = whole.isEmpty ? files.map { $0.first - $0.gapAtStart } : whole.map(\.first)
        let ends = wholeAtEnd.isEmpty ? files.map { $0.end + $0.gapAtEnd } : wholeAtEnd.map(\.end)
        start = min(first, starts.min() ?? first)
        end = max(last, ends.max() ?? last)
    }
}

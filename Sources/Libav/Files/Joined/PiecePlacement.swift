// Puts the pieces of a playlist on one timeline. Pure: times in, times out.
//
// Between two discontinuities the timestamps of all tracks have one offset, so that audio and video of a part stay in step however
// they begin and end. A part begins as early as none of its tracks overlaps the same track of the part before: one track goes on
// without a gap, and the others with one as short as their offsets leave; where all tracks begin together, that is the end of the
// longest one, as hls.js and FFmpeg's concat filter have it. Nothing is cut off. Lengths are those of the media: EXTINF is rounded, and
// counts only where there are no media.
internal import MediaTime

/// When the media of a piece are shown, by its own timestamps.
struct PieceTimes {
    /// How many discontinuities come before it.
    var part: Int
    /// The first moment and the end of each track, by its number in the joined source.
    var tracks: [Int: (first: Time, end: Time)]
    /// The time after which timestamps begin anew from 0; nil: never.
    var wrap: Time?
    /// The time without media before it, as the playlist gives it.
    var gap: Time

    /// The first moment of all tracks.
    var first: Time { tracks.values.map(\.first).min() ?? .zero }
    /// The end of the track that ends last.
    var end: Time { tracks.values.map(\.end).max() ?? .zero }
}

/// The offsets of pieces.
struct PiecePlacement {
    /// A track of one of the files.
    private struct Key: Hashable {
        var file: Int
        var track: Int
    }

    /// The file, the index and the times of each piece, by part and file.
    private let pieces: [(file: Int, index: Int, times: PieceTimes)]
    private var offsets: [[Time]]
    /// Where each track ends on the timeline, and in which part that is.
    private var ends: [Key: (end: Time, part: Int)] = [:]

    /// A piece of the same part that begins this much earlier than expected begins its timestamps anew.
    private static let back = Time(1, 1)

    /// The times to add to the timestamps of each piece, so that all are on one timeline; that of the first piece is 0.
    /// - Parameter files: the pieces of files that are played together, in order.
    static func offsets(_ files: [[PieceTimes]]) -> [[Time]] {
        var placement = PiecePlacement(files)
        placement.place()
        return placement.offsets
    }

    private init(_ files: [[PieceTimes]]) {
        offsets = files.map { $0.map { _ in .zero } }
        pieces = files.enumerated().flatMap { file, all in
            all.enumerated().map { (file, $0, $1) }
        }
        .sorted { ($0.times.part, $0.file, $0.index) < ($1.times.part, $1.file, $1.index) }
    }

    private mutating func place() {
        var rest = pieces[...]
        var previous: Int?
        while let part = rest.first?.times.part {
            let own = rest.prefix { $0.times.part == part }
            rest = rest.dropFirst(own.count)
            let shifts = PiecePlacement.shifts(own)
            let offset = previous.map { beginning(own, shifts, after: $0) } ?? .zero
            for (piece, shift) in zip(own, shifts) {
                let sum = offset + shift
                offsets[piece.file][piece.index] = sum
                for (track, times) in piece.times.tracks {
                    let key = Key(file: piece.file, track: track)
                    ends[key] = (max(ends[key]?.end ?? times.end + sum, times.end + sum), part)
                }
            }
            previous = part
        }
    }

    /// The times that continue the timestamps of a part where they wrap, or begin anew though nothing says so.
    private static func shifts(_ pieces: ArraySlice<(file: Int, index: Int, times: PieceTimes)>) -> [Time] {
        var shifts: [Time] = []
        var first: Time?
        /// Where the last piece of each file ends.
        var ends: [Int: Time] = [:]
        for piece in pieces {
            let begins = piece.times.first
            let expected = ends[piece.file].map { $0 + piece.times.gap } ?? first ?? begins
            var shift = Time.zero
            if let wrap = piece.times.wrap {
                let turns = ((expected - begins).seconds / wrap.seconds).rounded()
                shift = wrap.multiplied(by: Int64(turns), over: 1)
            } else if let end = ends[piece.file], begins < end - back {
                shift = expected - begins
            }
            shifts.append(shift)
            first = first ?? begins
            ends[piece.file] = piece.times.end + shift
        }
        return shifts
    }

    /// The offset of a part.
    private func beginning(
        _ pieces: ArraySlice<(file: Int, index: Int, times: PieceTimes)>, _ shifts: [Time],
        after previous: Int
    ) -> Time {
        var first: Time?
        /// The offsets at which tracks follow themselves, and the time without media that each file has there.
        var earliest: [(offset: Time, gap: Time, isAdjacent: Bool)] = []
        var seen: Set<Key> = []
        var gaps: [Int: Time] = [:]
        for (piece, shift) in zip(pieces, shifts) {
            first = min(first ?? piece.times.first + shift, piece.times.first + shift)
            gaps[piece.file] = gaps[piece.file] ?? piece.times.gap
            for (track, times) in piece.times.tracks {
                let key = Key(file: piece.file, track: track)
                guard seen.insert(key).inserted, let before = ends[key] else { continue }
                earliest.append(
                    (before.end - (times.first + shift), gaps[piece.file] ?? .zero, before.part == previous))
            }
        }
        // Where no track goes on, it begins at the end of all.
        if !earliest.contains(where: \.isAdjacent), let end = ends.values.map(\.end).max() {
            earliest.append((end - (first ?? .zero), gaps.values.min() ?? .zero, true))
        }
        let least = earliest.map(\.offset).max() ?? .zero
        // The playlist rounds its gaps: a track that has none says more exactly where the part begins.
        let adjacent = earliest.filter(\.isAdjacent)
        guard !adjacent.contains(where: { $0.gap == .zero }) else { return least }
        return max(least, adjacent.map { $0.offset + $0.gap }.max() ?? .zero)
    }
}

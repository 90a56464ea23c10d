// The time of a media playlist: where its segments begin, and which date each moment has (EXT-X-PROGRAM-DATE-TIME). Dates may be given
// of some segments only, and may leap between two of them. In microseconds. Pure.
internal import MediaTime

/// The time of a media playlist.
struct PlaylistTimeline {
    /// Where each segment begins.
    private(set) var starts: [Int64] = []
    /// Where the last one ends.
    private(set) var length: Int64 = 0
    /// Where a date is given, and which.
    private var dates: [(time: Int64, date: Int64)] = []
    private var isAscending = true

    /// An edge that is so near to a segment's, in microseconds, is the segment's: dates and durations of marks are rounded.
    static let tolerance: Int64 = 50_000

    /// Appends a segment.
    /// - Parameter date: of its first moment; nil: it follows the last one that was given.
    mutating func append(duration: Int64, date: Int64?) {
        starts.append(length)
        if let date {
            if let last = dates.last, last.date > date { isAscending = false }
            dates.append((length, date))
        }
        length += duration
    }

    /// The time of a date; before the playlist's beginning it is negative, and after its end more than its length. A date that the
    /// playlist leaps over is at the leap. Nil: no date is given.
    func time(of date: Int64) -> Int64? {
        guard let first = dates.first, let last = dates.last else { return nil }
        if isAscending {
            let count = dates.partitioningIndex { $0.date > date }
            // Dates before the first are counted back from it.
            let index = max(0, count - 1)
            let time = dates[index].time + date - dates[index].date
            return index + 1 < dates.count ? min(time, dates[index + 1].time) : time
        }
        for (index, run) in dates.enumerated() where date >= run.date {
            let end = index + 1 < dates.count ? dates[index + 1].time : length
            if date - run.date < end - run.time { return run.time + date - run.date }
        }
        guard dates.contains(where: { $0.date <= date }) else { return first.time + date - first.date }
        if let next = dates.filter({ $0.date > date }).min(by: { $0.date < $1.date }) { return next.time }
        return max(length, last.time + date - last.date)
    }

    /// The edge of a segment that is meant by a time.
    func edge(near time: Int64) -> Int64 {
        let next = starts.partitioningIndex { $0 >= time }
        let edges = [next > 0 ? starts[next - 1] : nil, next < starts.count ? starts[next] : length]
        let near = edges.compactMap(\.self).min { abs($0 - time) < abs($1 - time) }
        guard let near, abs(near - time) <= PlaylistTimeline.tolerance else { return time }
        return near
    }
}

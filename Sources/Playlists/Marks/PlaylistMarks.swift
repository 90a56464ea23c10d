// The marks of a media playlist while it is parsed, and the interstitials that they are, in the playlist's time. Marks that cannot be
// read are kept as problems: the film can be read without them. Pure.
internal import MediaTime

/// The marks of a media playlist.
struct PlaylistMarks {
    /// Where the segments lie.
    private(set) var timeline = PlaylistTimeline()
    private var ranges: [DateRangeTag] = []
    private var indices: [String: Int] = [:]
    private var cues = CueTags()
    private var tags = 0
    /// Why a mark cannot be read, or does not say where it is.
    private(set) var problems: [PlaylistError] = []

    /// More problems than these say nothing new.
    private static let mostProblems = 20

    /// Reads a tag, if it is a mark.
    mutating func read(_ tag: String, _ value: Substring, line: Int) throws(PlaylistError) {
        let isRange = tag == "#EXT-X-DATERANGE"
        guard isRange || cues.read(tag, value, line: line, at: timeline.length) else { return }
        tags += 1
        guard ranges.count < PlaylistLimits.ranges, cues.ended.count < PlaylistLimits.ranges,
            tags <= PlaylistLimits.segments * 2
        else {
            throw PlaylistError(
                .tooLarge, line: line, "it marks more than \(PlaylistLimits.ranges) ranges of time")
        }
        guard isRange else { return }
        do throws(PlaylistError) {
            guard let range = try DateRangeTag(PlaylistAttributes(value, line: line)) else { return }
            if let index = indices[range.id] {
                ranges[index].merge(range)
            } else {
                indices[range.id] = ranges.count
                ranges.append(range)
            }
        } catch {
            guard error.reason != .tooLarge else { throw error }
            report(error)
        }
    }

    /// Appends a segment.
    mutating func append(duration: Int64, date text: String?, line: Int) {
        let date = text.flatMap { PlaylistDate.microseconds($0) }
        if let text, date == nil {
            report(
                PlaylistError(
                    .malformed, line: line,
                    "'\(RelativeName.shown(text))' is not the date of a segment (EXT-X-PROGRAM-DATE-TIME)"))
        }
        timeline.append(duration: duration, date: date)
        cues.segment(endsAt: timeline.length)
    }

    private mutating func report(_ problem: PlaylistError) {
        if problems.count < PlaylistMarks.mostProblems { problems.append(problem) }
    }

    /// The interstitials, in the order of their times.
    mutating func interstitials(
        _ segments: [PlaylistSegment]
    ) throws(PlaylistError) -> [PlaylistInterstitial] {
        var found: [PlaylistInterstitial] = []
        for range in ranges where range.isInterstitial || range.isOut {
            if let own = interstitial(range) { found.append(own) }
        }
        // The same break is often marked in several ways.
        var marked = MarkedTime(found)
        for cue in cues.all(until: timeline.length) {
            guard let end = cue.end,
                let own = stitched(.cue, cue.start, timeline.edge(near: end), cue.id, cue.line),
                !marked.covers(own)
            else { continue }
            found.append(own)
        }
        let parts = StitchedParts.find(segments, timeline)
        guard parts.count <= PlaylistLimits.ranges else {
            throw PlaylistError(
                .tooLarge, "more than \(PlaylistLimits.ranges) of its parts come from elsewhere")
        }
        marked = MarkedTime(found)
        for part in parts {
            guard let own = stitched(.part, part.start, part.end, part.folder, part.line),
                !marked.covers(own)
            else { continue }
            found.append(own)
        }
        return found.sorted { ($0.start, $0.line) < ($1.start, $1.line) }
    }

    private mutating func interstitial(_ range: DateRangeTag) -> PlaylistInterstitial? {
        guard let start = start(of: range) else { return nil }
        var length = range.length
        if range.duration == nil, !range.isFirst, !range.isLast,
            let end = range.end.flatMap({ timeline.time(of: $0) })
        {
            length = max(0, end - start)
        }
        if length == nil, range.endsOnNext, let own = range.start {
            length = ranges.compactMap { $0.group == range.group ? $0.start : nil }.filter { $0 > own }.min()
                .map { $0 - own }
        }
        if let limit = range.playoutLimit { length = min(length ?? limit, limit) }
        var isStitched = true
        if range.isInterstitial {
            // Players go on where the interstitial began, or pass over what it replaces.
            let replaced = range.resumeOffset ?? (range.isFirst || range.isLast ? 0 : length ?? 0)
            isStitched = replaced > 0
            if isStitched { length = replaced }
        }
        var own: PlaylistInterstitial?
        if isStitched {
            if let length {
                own = stitched(
                    range.isInterstitial ? .interstitial : .scte35, timeline.edge(near: start),
                    timeline.edge(near: start + length), range.id, range.line)
            } else if start < timeline.length {
                report(
                    PlaylistError(
                        .malformed, line: range.line,
                        "the interstitial \(RelativeName.shown(range.id)) does not say when it ends"))
            }
        } else if start >= -PlaylistTimeline.tolerance, start <= timeline.length + PlaylistTimeline.tolerance
        {
            own = PlaylistInterstitial(
                kind: .interstitial, id: nil,
                start: DecimalNumber.time(microseconds: min(max(0, start), timeline.length)),
                duration: length.map(DecimalNumber.time(microseconds:)), isStitched: false, line: range.line)
        }
        guard var own else { return nil }
        own.id = PlaylistInterstitial.shortened(range.id)
        (own.restrictions, own.asset) = (range.restrictions, range.asset)
        return own
    }

    /// Where a range of dates begins.
    private mutating func start(of range: DateRangeTag) -> Int64? {
        if range.isFirst { return 0 }
        if range.isLast { return timeline.length }
        guard let date = range.start else {
            report(
                PlaylistError(.malformed, line: range.line, "EXT-X-DATERANGE lacks START-DATE"))
            return nil
        }
        if let start = timeline.time(of: date) { return start }
        report(
            PlaylistError(
                .malformed, line: range.line,
                "no EXT-X-PROGRAM-DATE-TIME says where \(RelativeName.shown(range.id)) is"))
        return nil
    }

    /// An interstitial in the playlist's own time, as far as it lies within the playlist; nil: it does not.
    private func stitched(
        _ kind: PlaylistInterstitial.Kind, _ start: Int64, _ end: Int64, _ id: String?, _ line: Int
    ) -> PlaylistInterstitial? {
        let (from, to) = (max(0, start), min(end, timeline.length))
        guard from < to else { return nil }
        return PlaylistInterstitial(
            kind: kind, id: PlaylistInterstitial.shortened(id), start: DecimalNumber.time(microseconds: from),
            duration: DecimalNumber.time(microseconds: to - from), isStitched: true, line: line)
    }
}

/// The time that interstitials take, each moment once.
private struct MarkedTime {
    private var spans: [(start: Time, end: Time)] = []

    init(_ interstitials: [PlaylistInterstitial]) {
        for own in interstitials.filter(\.isStitched).sorted(by: { $0.start < $1.start }) {
            guard let end = own.end else { continue }
            if let last = spans.last, own.start <= last.end {
                spans[spans.count - 1].end = max(last.end, end)
            } else {
                spans.append((own.start, end))
            }
        }
    }

    /// Whether all of an interstitial is among it, but for what marks are rounded by.
    func covers(_ other: PlaylistInterstitial) -> Bool {
        let tolerance = DecimalNumber.time(microseconds: PlaylistTimeline.tolerance)
        guard let end = other.end else { return false }
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].start <= other.start + tolerance { low = middle + 1 } else { high = middle }
        }
        return low > 0 && end <= spans[low - 1].end + tolerance
    }
}

// The ranges of a playlist that a request names: `interstitials` and `program`, as times. The marks of a playlist are pure values; where
// one lies at the border of two segments, the film is asked for the keyframe there, since playlists round their durations.
internal import Libav
public import Media
package import MediaTime
package import Playlists

extension PlaylistSource {
    /// A range whose names are replaced by times, and what a list takes of its films in place of the whole; any other is returned as it is.
    public func resolved(_ range: RangeRequest) throws(MediaError) -> RangeRequest {
        if let films { return try films.resolved(try PlaylistSource.resolved(range, of: mediaName)) }
        guard range.isNamed, let media else { return range }
        let ranges = try ProgramRanges(self, media)
        var range = range
        (range.keep, range.remove) = (try ranges.times(of: range.keep), try ranges.times(of: range.remove))
        return range
    }

    /// The range of a source that is no playlist: all of it is the program. Throws if the range names its interstitials.
    public static func resolved(_ range: RangeRequest, of name: String) throws(MediaError) -> RangeRequest {
        guard range.isNamed else { return range }
        if ((range.keep ?? []) + (range.remove ?? [])).contains(where: { $0.named == .interstitials }) {
            throw MediaError.noInterstitials(name, .interstitials, isPlaylist: false)
        }
        let ranges = ProgramRanges(of: name)
        var range = range
        (range.keep, range.remove) = (try ranges.times(of: range.keep), try ranges.times(of: range.remove))
        return range
    }
}

extension MediaError {
    /// The error of a source that has no interstitials to remove.
    package static func noInterstitials(_ source: String, _ named: NamedRanges, isPlaylist: Bool)
        -> MediaError
    {
        MediaError(
            .invalidRequest,
            isPlaylist
                ? "\(source) names no interstitials in its own time"
                : "\(source) is no playlist, and names no interstitials: '\(named.rawValue)' is no range of it",
            remedy: "give the times, such as --remove 10..40; `trimctl probe` shows what a playlist names")
    }
}

/// The ranges of a playlist that have names.
package struct ProgramRanges {
    /// A part of the asset; without an end it goes on to the end.
    package struct Span: Hashable {
        package var start: Time
        package var end: Time?

        package var spelling: RangeSpelling { RangeSpelling(start: .time(start), end: end.map { .time($0) }) }
    }

    /// The parts that are no part of the program, in order, nothing twice.
    package let interstitials: [Span]
    /// The rest.
    package let program: [Span]
    private let name: String

    /// The ranges of a source without marks.
    package init(of name: String) {
        (self.name, interstitials, program) = (name, [], ProgramRanges.rest(of: []))
    }

    package init(_ source: PlaylistSource, _ media: MediaPlaylist) throws(MediaError) {
        name = source.mediaName
        // One that cannot be read may be what is to be removed.
        if let problem = media.problems.first {
            throw MediaError(
                .invalidRequest, "\(name), \(problem)",
                remedy: "give the times of the interstitials, such as --remove 10..40")
        }
        let edges = SegmentEdges(source, media)
        let marked = media.interstitials.filter(\.isStitched)
        interstitials = ProgramRanges.joined(
            marked.compactMap { own in own.end.map { (own.start, $0) } }, length: media.duration
        ).map { span in
            Span(start: edges.exact(span.start), end: span.end.map(edges.exact))
        }
        program = ProgramRanges.rest(of: interstitials)
    }

    /// Spans that overlap or meet are one; one that reaches the end has none.
    package static func joined(_ spans: [(start: Time, end: Time)], length: Time) -> [Span] {
        var joined: [(start: Time, end: Time)] = []
        for span in spans.sorted(by: { $0.start < $1.start }) {
            if let last = joined.last, span.start <= last.end {
                joined[joined.count - 1].end = max(last.end, span.end)
            } else {
                joined.append(span)
            }
        }
        return joined.map { Span(start: $0.start, end: $0.end >= length ? nil : $0.end) }
    }

    /// All but these spans.
    package static func rest(of spans: [Span]) -> [Span] {
        var rest: [Span] = []
        var from: Time? = .zero
        for span in spans {
            guard let begin = from else { break }
            if span.start > begin { rest.append(Span(start: begin, end: span.start)) }
            from = span.end
        }
        if let from { rest.append(Span(start: from, end: nil)) }
        return rest
    }

    /// Ranges with times in place of names.
    package func times(of ranges: [RangeSpelling]?) throws(MediaError) -> [RangeSpelling]? {
        guard let ranges else { return nil }
        var times: [RangeSpelling] = []
        for range in ranges {
            guard let named = range.named else {
                times.append(range)
                continue
            }
            guard named != .interstitials || !interstitials.isEmpty else {
                throw MediaError.noInterstitials(name, named, isPlaylist: true)
            }
            guard !program.isEmpty else {
                throw MediaError(
                    .invalidTime, "nothing is left: the interstitials of \(name) cover the whole film",
                    remedy: "give the times that are meant, such as --remove 10..40")
            }
            times += (named == .program ? program : interstitials).map(\.spelling)
        }
        return times.isEmpty ? nil : times
    }
}

/// Where the segments of a playlist begin, as exact times of the film.
package struct SegmentEdges {
    private let source: SourceFile
    private let edges: Set<Time>
    private let video: Track?
    private let origin: Time

    /// A keyframe that is so near to where a playlist says a segment begins is its first frame.
    private static let tolerance = Time(1, 4)

    package init(_ playlist: PlaylistSource, _ media: MediaPlaylist) {
        source = playlist.file
        edges = Set(media.segments.map(\.start))
        let asset = try? Probe.asset(of: source, properties: [.tracks])
        video = asset?.mainVideo
        origin = asset?.start ?? .zero
    }

    /// The time of the first frame of the segment that begins at a time; the time itself, if none does.
    package func exact(_ time: Time) -> Time {
        guard time > .zero, edges.contains(time), let video,
            let reader = try? SampleReader(source, quick: true),
            let packet = try? Packet()
        else { return time }
        reader.select(track: video.index)
        let (from, to) = (time - Time(2, 1) + origin, time + Time(2, 1) + origin)
        if from > origin {
            _ = reader.seek(
                track: video.index,
                toTicks: video.timebase.ticks(of: from, rounding: .towardNegativeInfinity).ticks)
        }
        var nearest: Time?
        while case .packet = reader.read(into: packet) {
            guard packet.track == video.index, let pts = packet.pts else { continue }
            if video.timebase.time(ofTicks: packet.dts ?? pts) > to { break }
            let own = video.timebase.time(ofTicks: pts) - origin
            guard packet.isKey, !packet.isDiscarded, !packet.isSecondField,
                (own - time).absoluteValue <= SegmentEdges.tolerance
            else { continue }
            if nearest.map({ (own - time).absoluteValue < ($0 - time).absoluteValue }) ?? true {
                nearest = own
            }
        }
        return nearest ?? time
    }
}

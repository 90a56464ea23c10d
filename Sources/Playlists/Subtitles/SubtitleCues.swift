// The cues of a rendition of subtitles: those of all its segments, in the film's time, each once, as one WebVTT file. Bounded in memory.
// Pure.
public import MediaTime

/// The cues of a rendition.
public struct SubtitleCues: Sendable {
    /// The container time of the playlist's beginning, in microseconds.
    private let zero: Int64
    private var cues: [SubtitleCue] = []
    private var bytes = 0
    /// Of each text, the last cue.
    private var last: [String: Int] = [:]

    /// The most bytes of one segment.
    public static let mostSegmentBytes = 2 << 20
    /// The most bytes of all cues.
    static let mostBytes = 16 << 20
    /// The most cues.
    static let mostCues = 100_000
    /// After so many microseconds the clock of a transport stream begins anew: 33 bits of 1/90000 s.
    private static let period: Int64 = (1 << 33) * 100 / 9

    /// A rendition without cues.
    /// - Parameter zero: the container time of the playlist's beginning.
    public init(zero: Time) {
        self.zero = zero.converted(to: 1_000_000, rounding: .halfAwayFromZero).value
    }

    /// Whether there is no cue.
    public var isEmpty: Bool { cues.isEmpty }

    /// Appends a segment.
    /// - Parameters:
    ///   - start: where it begins in the playlist's time.
    ///   - clock: added to the clock of its transport stream, which begins anew behind a discontinuity.
    public mutating func append(
        _ file: [UInt8], startingAt start: Time, line: Int, clock: Time = .zero
    ) throws(PlaylistError) {
        guard file.count <= SubtitleCues.mostSegmentBytes else {
            throw PlaylistError(
                .tooLarge, line: line,
                "a segment of subtitles has over \(SubtitleCues.mostSegmentBytes) bytes")
        }
        guard let segment = WebVTTSegment(file, most: SubtitleCues.mostCues + 1 - cues.count) else {
            throw PlaylistError(.malformed, line: line, "the segment is no WebVTT")
        }
        let offset = offset(of: segment, start, clock)
        for var cue in segment.cues {
            // WebVTT has thousandths; nothing is shown before the film begins.
            cue.start = max(0, (zero + 999) / 1000, (cue.start + offset + 500) / 1000)
            cue.end = (cue.end + offset + 500) / 1000
            guard cue.start < cue.end, cue.end <= PlaylistLimits.seconds * 1000 else { continue }
            let key = cue.settings + "\n" + cue.text
            // A cue that is shown across segments is in each of them.
            if let index = last[key], cue.isSame(as: cues[index]) { continue }
            last[key] = cues.count
            bytes += key.utf8.count + 40
            cues.append(cue)
            guard cues.count <= SubtitleCues.mostCues, bytes <= SubtitleCues.mostBytes else {
                throw PlaylistError(.tooLarge, line: line, "there are more subtitles than any film has")
            }
        }
    }

    /// The microseconds from a segment's own times to those of the container.
    private func offset(of segment: WebVTTSegment, _ start: Time, _ clock: Time) -> Int64 {
        // Without a map they are those of the playlist.
        guard let map = segment.map, let first = segment.cues.first else { return zero }
        let offset =
            map.ticks * 100 / 9 - map.local
            + clock.converted(to: 1_000_000, rounding: .halfAwayFromZero).value
        let expected = zero + start.converted(to: 1_000_000, rounding: .halfAwayFromZero).value
        let distance = expected - (first.start + offset)
        let half = SubtitleCues.period / 2
        let periods = (distance + (distance < 0 ? -half : half)) / SubtitleCues.period
        return offset + periods * SubtitleCues.period
    }

    /// All cues as one WebVTT file, in the order of their times.
    public var file: [UInt8] {
        var text = "WEBVTT\n\n"
        var written: [String: SubtitleCue] = [:]
        let sorted = cues.enumerated().sorted {
            ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
        }
        for (_, cue) in sorted {
            let key = cue.settings + "\n" + cue.text
            if let last = written[key], cue.isSame(as: last) { continue }
            written[key] = cue
            text += "\(clock(cue.start)) --> \(clock(cue.end))"
            if !cue.settings.isEmpty { text += " " + cue.settings }
            text += "\n" + cue.text + "\n\n"
        }
        return Array(text.utf8)
    }

    /// `00:00:01.500` of thousandths.
    private func clock(_ time: Int64) -> String {
        func padded(_ number: Int64, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let seconds = time / 1000
        return padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
            + "." + padded(time % 1000, 3)
    }
}

extension SubtitleCue {
    /// Whether another cue of the same text is this one: times of segments are rounded one by one.
    fileprivate func isSame(as other: SubtitleCue) -> Bool {
        abs(start - other.start) <= 1 && abs(end - other.end) <= 1
    }
}

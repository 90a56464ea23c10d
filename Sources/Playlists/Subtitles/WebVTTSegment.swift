// One WebVTT file as a segment of subtitles: its cues, and how its times relate to those of the film (X-TIMESTAMP-MAP). Styles, regions
// and notes are left out, and so is what is no cue, as WebVTT wants it. Pure.
internal import Text

/// A cue of subtitles.
struct SubtitleCue: Hashable, Sendable {
    /// When it is shown, in microseconds.
    var start: Int64
    var end: Int64
    /// Where on the frame, as it is written.
    var settings: String
    /// Its lines, with their tags.
    var text: String
}

/// The cues of a segment.
struct WebVTTSegment: Hashable, Sendable {
    /// Which time of its cues is which time of the film.
    struct TimestampMap: Hashable, Sendable {
        /// In microseconds.
        var local: Int64 = 0
        /// In ticks of 1/90000 s.
        var ticks: Int64 = 0
    }

    /// Nil: it does not say.
    private(set) var map: TimestampMap?
    private(set) var cues: [SubtitleCue] = []

    /// Parses a file; nil if it is no WebVTT. An empty one has no cues.
    /// - Parameter most: cues behind these are left out.
    init?(_ bytes: [UInt8], most: Int) {
        var lines = Lines(bytes)
        guard let head = lines.next() else { return }
        guard head.hasPrefix("WEBVTT"), head.utf8.count == 6 || head.dropFirst(6).first?.isWhitespace == true
        else { return nil }
        while let next = lines.next(), !next.isEmpty, !next.contains("-->") {
            if next.hasPrefix("X-TIMESTAMP-MAP=") { map = WebVTTSegment.map(next.dropFirst(16)) }
        }
        // A cue may follow the head at once.
        var line = lines.last.contains("-->") ? lines.last : ""
        while cues.count < most {
            if !line.contains("-->") {
                guard let next = lines.next() else { break }
                line = next
                continue
            }
            let times = WebVTTSegment.times(line)
            var text: [String] = []
            line = ""
            while let next = lines.next(), !next.isEmpty {
                if next.contains("-->") {
                    line = next
                    break
                }
                text.append(next)
            }
            guard let times, !text.isEmpty else { continue }
            cues.append(
                SubtitleCue(
                    start: times.start, end: times.end, settings: times.settings,
                    text: text.joined(separator: "\n")))
        }
    }

    /// The lines of a file, whatever ends them.
    private struct Lines {
        private let bytes: [UInt8]
        private var offset: Int
        private(set) var last = ""

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            offset = PlaylistSignature.markLength(of: bytes)
        }

        mutating func next() -> String? {
            last = ""
            guard offset < bytes.count else { return nil }
            let end = bytes[offset...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
            // A NUL would end a text in C.
            last = String(decoding: bytes[offset..<end].map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
            let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
            offset = end + (isPair ? 2 : 1)
            return last
        }
    }

    /// `MPEGTS:900000,LOCAL:00:00:00.000`, in any order.
    private static func map(_ text: Substring) -> TimestampMap? {
        var map = TimestampMap()
        for part in text.split(separator: ",") {
            let part = part.drop { $0 == " " }
            if part.hasPrefix("MPEGTS:") {
                guard let ticks = DecimalNumber.integer(part.dropFirst(7)), ticks < 1 << 40 else {
                    return nil
                }
                map.ticks = ticks
            } else if part.hasPrefix("LOCAL:") {
                guard let local = time(part.dropFirst(6)) else { return nil }
                map.local = local
            }
        }
        return map
    }

    /// `00:01.000 --> 00:02.000 align:left`; nil if it ends before it begins.
    private static func times(_ line: String) -> (start: Int64, end: Int64, settings: String)? {
        guard let arrow = line.firstRange(of: "-->") else { return nil }
        let words = line[arrow.upperBound...].split(whereSeparator: \.isWhitespace)
        guard let start = time(line[..<arrow.lowerBound].filter { !$0.isWhitespace }),
            let end = words.first.flatMap({ time($0) }), start < end
        else { return nil }
        return (start, end, words.dropFirst().joined(separator: " "))
    }

    /// Microseconds of `[hours:]minutes:seconds.thousandths`.
    private static func time(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count),
            let seconds = parts.last.flatMap({ DecimalNumber.microseconds($0) })
        else { return nil }
        var whole: Int64 = 0
        for part in parts.dropLast() {
            guard let number = DecimalNumber.integer(part), number <= PlaylistLimits.seconds else {
                return nil
            }
            whole = whole * 60 + number
        }
        let time = whole * 60_000_000 + seconds
        return time <= PlaylistLimits.seconds * 1_000_000 ? time : nil
    }
}

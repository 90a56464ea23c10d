// EXT-X-CUE-OUT, EXT-X-CUE-OUT-CONT and EXT-X-CUE-IN: no standard has them, and packagers spell them in several ways. A break begins
// and ends with a segment. In microseconds. Pure.

/// The breaks that cue tags mark, as they are read.
struct CueTags {
    /// A break.
    struct Break: Hashable {
        var start: Int64
        /// Nil while it goes on.
        var end: Int64?
        var duration: Int64?
        var id: String?
        var line: Int
        /// Where the last segment ends that is said to belong to it; nil: none is.
        var last: Int64?

        /// Where it ends where no tag says so: after its duration, or with the last segment that is said to belong to it, at the
        /// latest at the next mark.
        func closed(at limit: Int64) -> Int64 {
            let ends = [duration.map { start + $0 }, last].compactMap(\.self)
            return min(limit, ends.max() ?? limit)
        }
    }

    /// The breaks that have ended.
    private(set) var ended: [Break] = []
    private var current: Break?
    /// Whether the next segment is said to belong to it.
    private var goesOn = false

    /// Reads a tag; whether it was one of these.
    /// - Parameter time: where the next segment begins.
    mutating func read(_ tag: String, _ value: Substring, line: Int, at time: Int64) -> Bool {
        switch tag {
        case "#EXT-X-CUE-OUT": begin(CueValue(value, line: line), line, time)
        case "#EXT-X-CUE-OUT-CONT", "#EXT-X-CUE-SPAN": goOn(CueValue(value, line: line), line, time)
        case "#EXT-X-CUE-IN": end(at: time)
        case "#EXT-X-SCTE35":
            let cue = CueValue(value, line: line)
            switch (cue.isOut, cue.isIn) {
            case ("YES"?, _): begin(cue, line, time)
            case ("CONT"?, _): goOn(cue, line, time)
            case (_, true): end(at: time)
            default: break
            }
        // The splice itself, in base64, beside the tags that say the same.
        case "#EXT-OATCLS-SCTE35": break
        default: return false
        }
        return true
    }

    /// Takes note that a segment ends.
    mutating func segment(endsAt time: Int64) {
        if goesOn { current?.last = time }
        goesOn = false
    }

    /// All breaks of a playlist of a length.
    func all(until length: Int64) -> [Break] {
        guard var open = current else { return ended }
        open.end = open.closed(at: length)
        return ended + [open]
    }

    private mutating func begin(_ cue: CueValue, _ line: Int, _ time: Int64) {
        // The same break may be announced twice before its first segment.
        if var open = current, open.start == time {
            (open.duration, open.id) = (open.duration ?? cue.duration, open.id ?? cue.id)
            current = open
            return
        }
        end(at: time, isMarked: false)
        current = Break(start: time, duration: cue.duration, id: cue.id, line: line)
    }

    private mutating func goOn(_ cue: CueValue, _ line: Int, _ time: Int64) {
        if current == nil {
            // The playlist begins within the break.
            let rest = cue.duration.map { max(0, $0 - (cue.elapsed ?? 0)) }
            current = Break(start: time, duration: rest, id: cue.id, line: line)
        }
        goesOn = true
    }

    private mutating func end(at time: Int64, isMarked: Bool = true) {
        guard var open = current else { return }
        open.end = isMarked ? time : open.closed(at: time)
        ended.append(open)
        current = nil
    }
}

/// The value of a cue tag: its break.
struct CueValue {
    /// In microseconds; nil: not given.
    private(set) var duration: Int64?, elapsed: Int64?
    private(set) var id: String?
    private(set) var isOut: String?
    private(set) var isIn = false

    /// Reads `30`, `8.3/30`, `DURATION=30,ID=…` or `ElapsedTime=8.3,Duration=30`; what cannot be read is not given.
    init(_ text: Substring, line: Int) {
        let text = text.drop { $0 == " " }
        let parts = text.split(separator: "/", maxSplits: 1)
        if let number = parts.first.flatMap({ DecimalNumber.microseconds($0) }) {
            if parts.count == 2 {
                (elapsed, duration) = (number, DecimalNumber.microseconds(parts[1]))
            } else {
                duration = number
            }
            // Some packagers write 0 where they do not know.
            if duration == 0 { duration = nil }
            return
        }
        guard let attributes = try? PlaylistAttributes(text, line: line) else { return }
        func value(_ names: String...) -> String? {
            for name in names { if let found = attributes[anyCase: name] { return found } }
            return nil
        }
        duration = value("DURATION").flatMap { DecimalNumber.microseconds($0) }
        if duration == 0 { duration = nil }
        elapsed = value("ELAPSEDTIME", "ELAPSED").flatMap { DecimalNumber.microseconds($0) }
        id = PlaylistInterstitial.shortened(value("ID", "BREAKID", "CAID"))
        isOut = value("CUE-OUT")?.uppercased()
        isIn = value("CUE-IN")?.uppercased() == "YES"
    }
}

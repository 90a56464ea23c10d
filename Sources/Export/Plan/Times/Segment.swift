// Which parts of the source make the output, and where each lies in it. A value; times are exact.
internal import Media
internal import MediaTime

/// One part of the source, in asset time, and its place in the output.
struct Segment: Hashable, Sendable {
    var start: Time
    /// The first time after it; nil: every track to its own end. Only the last part may have none.
    var end: Time?
    /// The time of the output at which it begins.
    var at: Time = .zero

    /// How long it is, where that is known.
    var length: Time? { end.map { $0 - start } }
    /// The time of the output of an asset time.
    func output(_ time: Time) -> Time { time - start + at }
}

/// All parts of the source that make an output, in the order in which they are joined. At least one.
struct Segments: Hashable, Sendable {
    let all: [Segment]

    /// Puts ranges one after the other. Ranges that go on where the one before ends are one.
    init(_ ranges: [(start: Time, end: Time?)]) {
        var all: [Segment] = []
        var at = Time.zero
        for range in ranges {
            if let last = all.last, last.end == range.start {
                all[all.count - 1].end = range.end
            } else {
                all.append(Segment(start: range.start, end: range.end, at: at))
            }
            if let end = range.end { at = at + (end - range.start) }
        }
        self.all = all
    }

    /// One part alone.
    init(start: Time, end: Time?) { self.init([(start, end)]) }

    /// The in point of the first part.
    var start: Time { all.first?.start ?? .zero }
    /// The out point of the last part; nil: every track to its own end.
    var end: Time? { all.last?.end }
    /// How long the output is, where that is known.
    var length: Time? { all.last.flatMap { last in last.length.map { last.at + $0 } } }

    /// The parts as spans of an asset that is so long; nil where nobody knows where the last one ends.
    func spans(upTo duration: Time?) -> [TimeSpan]? {
        var spans: [TimeSpan] = []
        for part in all {
            guard let end = [part.end, duration].compactMap(\.self).min() else { return nil }
            spans.append(TimeSpan(start: part.start, end: max(end, part.start)))
        }
        return spans
    }

    /// The time of the output at which the last part has come to an asset time.
    func output(_ time: Time) -> Time { all.last.map { max($0.at, $0.output(time)) } ?? time }

    /// The asset time shown at a time of the output.
    func source(_ output: Time) -> Time {
        let part = all.last { $0.at <= output } ?? all.first
        return part.map { output - $0.at + $0.start } ?? output
    }

    /// The parts with the first and last times of all of them, in asset time; nil: to the end.
    var hull: (start: Time, end: Time?) {
        let start = all.map(\.start).min() ?? .zero
        return (start, all.contains { $0.end == nil } ? nil : all.compactMap(\.end).max())
    }
}

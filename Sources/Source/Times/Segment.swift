// The parts of the source that make up the output, and their output positions. A value; times are exact.
package import Media
package import MediaTime

/// One part of the source, in asset time, and its output position.
package struct Segment: Hashable, Codable, Sendable {
    package var start: Time
    /// The first time after it; nil: every track to its own end. Only the last part may have none.
    package var end: Time?
    /// The output time at which it begins.
    package var at: Time = .zero

    /// How much faster than the source the output plays.
    package var speed = Ratio(1)

    package init(
        start: Time, end: Time? = nil, at: Time = .zero, speed: Ratio = Ratio(1)
    ) {
        self.start = start
        self.end = end
        self.at = at
        self.speed = speed
    }

    /// Its duration in the source, where known.
    package var sourceLength: Time? { end.map { $0 - start } }
    /// Its duration in the output, where known.
    package var length: Time? { sourceLength.map { $0.played(at: speed) } }

    /// The output time of an asset time.
    package func output(_ time: Time) -> Time { (time - start).played(at: speed) + at }
    /// The asset time of an output time.
    package func source(_ output: Time) -> Time { (output - at).unplayed(at: speed) + start }
}

/// All parts of the source that make up an output, in output order. At least one.
package struct Segments: Hashable, Codable, Sendable {
    package let all: [Segment]

    /// Joins ranges in order. A range that continues where the previous one ends is merged with it.
    /// - Parameter seams: where nothing of the source goes on: ranges are divided there.
    package init(_ ranges: [(start: Time, end: Time?)], seams: [Time] = []) {
        var merged: [(start: Time, end: Time?)] = []
        for range in ranges {
            if let last = merged.last, last.end == range.start {
                merged[merged.count - 1].end = range.end
            } else {
                merged.append(range)
            }
        }
        let divided = merged.flatMap { range in
            let inner = seams.filter { seam in seam > range.start && range.end.map { seam < $0 } ?? true }
            return zip([range.start] + inner, inner.map(Optional.some) + [range.end]).map { ($0, $1) }
        }
        self.init(inOrder: divided, speed: Ratio(1))
    }

    /// Ranges one after the other.
    private init(inOrder ranges: [(start: Time, end: Time?)], speed: Ratio) {
        var at = Time.zero
        all = ranges.map { range in
            defer { if let end = range.end { at = at + (end - range.start).played(at: speed) } }
            return Segment(start: range.start, end: range.end, at: at, speed: speed)
        }
    }

    /// Parts at their positions in the output; at least one.
    package init(parts: [Segment]) { all = parts }

    /// How much faster than the source the output plays.
    package var speed: Ratio { all.first?.speed ?? Ratio(1) }

    /// The same parts, played at a speed.
    package func played(at speed: Ratio) -> Segments {
        Segments(inOrder: all.map { ($0.start, $0.end) }, speed: speed)
    }

    /// The segments that make up an interval of the output, at their positions there; nil: there are none.
    /// - Parameter end: nil: to the end of the output.
    package func interval(from start: Time, to end: Time?) -> Segments? {
        let parts = all.compactMap { part -> Segment? in
            var cut = part
            if start > part.at {
                cut.start = part.source(start)
                cut.at = start
            }
            if let end { cut.end = [part.end, part.source(end)].compactMap(\.self).min() }
            return cut.end.map { cut.start < $0 } ?? true ? cut : nil
        }
        return parts.isEmpty ? nil : Segments(parts: parts)
    }

    /// A single part.
    package init(start: Time, end: Time?) { self.init([(start, end)]) }

    /// The in point of the first part.
    package var start: Time { all.first?.start ?? .zero }
    /// The out point of the last part; nil: every track to its own end.
    package var end: Time? { all.last?.end }
    /// The duration of the output, where known.
    package var length: Time? { all.last.flatMap { last in last.length.map { last.at + $0 } } }

    /// The parts as spans of an asset of this duration; nil if the end of the last part is unknown.
    package func spans(upTo duration: Time?) -> [TimeSpan]? {
        var spans: [TimeSpan] = []
        for part in all {
            guard let end = [part.end, duration].compactMap(\.self).min() else { return nil }
            spans.append(TimeSpan(start: part.start, end: max(end, part.start)))
        }
        return spans
    }

    /// The output time at which the last part reaches an asset time.
    package func output(_ time: Time) -> Time { all.last.map { max($0.at, $0.output(time)) } ?? time }

    /// The asset time shown at an output time.
    package func source(_ output: Time) -> Time {
        let part = all.last { $0.at <= output } ?? all.first
        return part?.source(output) ?? output
    }

    /// The earliest and latest asset times of all parts; nil: to the end.
    package var hull: (start: Time, end: Time?) {
        let start = all.map(\.start).min() ?? .zero
        return (start, all.contains { $0.end == nil } ? nil : all.compactMap(\.end).max())
    }
}

extension Time {
    /// This length of the source, as the output shows it.
    package func played(at speed: Ratio) -> Time {
        speed == Ratio(1) ? self : multiplied(by: speed.denominator, over: speed.numerator)
    }

    /// This length of the output, in the source.
    package func unplayed(at speed: Ratio) -> Time {
        speed == Ratio(1) ? self : multiplied(by: speed.numerator, over: speed.denominator)
    }
}

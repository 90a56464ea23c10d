// Splits overlapping text events for containers with consecutive samples: each interval holds everything shown in it. Pure.
internal import Source

/// Arranges events without overlap.
struct TextTimeline<Payload> {
    /// An interval; nothing is shown where there are no payloads.
    struct Segment {
        var start: Int64, end: Int64
        var payloads: [Payload]
    }
    private var active: [(end: Int64, payload: Payload)] = []
    /// Where the next segment begins.
    private var position: Int64 = 0

    /// Adds an event; events come in order of their starts.
    /// - Returns: the segments that this completes.
    mutating func add(start: Int64, end: Int64, _ payload: Payload) -> [Segment] {
        let done = advance(to: start)
        if end > max(start, position) { active.append((end, payload)) }
        return done
    }

    /// Returns the rest, to the end of the last event.
    mutating func finish() -> [Segment] { advance(to: active.map(\.end).max() ?? position) }

    private mutating func advance(to time: Int64) -> [Segment] {
        var segments: [Segment] = []
        while position < time {
            active.removeAll { $0.end <= position }
            let until = min(time, active.map(\.end).min() ?? time)
            segments.append(Segment(start: position, end: until, payloads: active.map(\.payload)))
            position = until
        }
        return segments
    }
}

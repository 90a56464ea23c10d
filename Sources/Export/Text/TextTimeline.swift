// Events of text that may overlap, as containers have them that hold samples one after another: each stretch of time with
// all that is shown in it. Pure.

/// Lays events out without overlap.
struct TextTimeline<Payload> {
    /// A stretch of time; nothing is shown where there are no payloads.
    struct Segment {
        var start: Int64, end: Int64
        var payloads: [Payload]
    }
    private var active: [(end: Int64, payload: Payload)] = []
    /// Where the next segment begins.
    private var place: Int64 = 0

    /// Adds an event; events come in the order of their starts.
    /// - Returns: the segments that are complete with that.
    mutating func add(start: Int64, end: Int64, _ payload: Payload) -> [Segment] {
        let done = advance(to: start)
        if end > max(start, place) { active.append((end, payload)) }
        return done
    }

    /// The rest, to the end of the last event.
    mutating func finish() -> [Segment] { advance(to: active.map(\.end).max() ?? place) }

    private mutating func advance(to time: Int64) -> [Segment] {
        var segments: [Segment] = []
        while place < time {
            active.removeAll { $0.end <= place }
            let until = min(time, active.map(\.end).min() ?? time)
            segments.append(Segment(start: place, end: until, payloads: active.map(\.payload)))
            place = until
        }
        return segments
    }
}

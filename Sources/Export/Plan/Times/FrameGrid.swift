// A constant frame rate from any timing: at each point of the grid stands the frame that is on screen there, so that some are
// shown again and some not at all. Pure; times are ticks of the output.
internal import MediaTime

/// The grid of a constant frame rate. Lives in one stage, on its queue.
struct FrameGrid {
    /// Ticks a frame, and the end of the output where it is known.
    let period: Int64, end: Int64?
    /// The next point, counted from 0.
    private var next: Int64 = 0

    init(period: Int64, end: Int64?) {
        self.period = period
        self.end = end
    }

    /// The places at which a frame stands that is on screen from `pts` on for `duration` ticks: none, one or more. Frames
    /// come in order; points before the first one stay empty.
    mutating func places(pts: Int64, duration: Int64) -> [(pts: Int64, duration: Int64)] {
        next = max(next, (pts + period - 1) / period)
        var places: [(pts: Int64, duration: Int64)] = []
        while next * period < min(pts + duration, end ?? .max) {
            let start = next * period
            places.append((start, min(period, (end ?? .max) - start)))
            next += 1
        }
        return places
    }
}

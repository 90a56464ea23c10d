// Converts any timing to a constant frame rate: each point of the grid takes the frame on screen there, so some frames repeat and
// some are dropped. Pure; times are in output ticks.
internal import MediaTime

/// The grid of a constant frame rate. Used in one stage, on its queue.
package struct FrameGrid {
    /// Ticks per frame, and the end of the output where known.
    package let period: Int64, end: Int64?
    /// The next point, counted from 0.
    private var next: Int64 = 0

    package init(period: Int64, end: Int64?) {
        self.period = period
        self.end = end
    }

    /// Returns the grid points of a frame that is on screen from `pts` for `duration` ticks: none, one or more. Frames come in
    /// order; points before the first one stay empty.
    package mutating func slots(pts: Int64, duration: Int64) -> [(pts: Int64, duration: Int64)] {
        next = max(next, (pts + period - 1) / period)
        var slots: [(pts: Int64, duration: Int64)] = []
        while next * period < min(pts + duration, end ?? .max) {
            let start = next * period
            slots.append((start, min(period, (end ?? .max) - start)))
            next += 1
        }
        return slots
    }
}

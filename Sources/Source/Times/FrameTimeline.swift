// Decides which frames an output shows, when and for how long: this defines "exact" for video. Pure: frames are a payload, times
// are rational; decodes nothing. Frames come in presentation order.
package import MediaTime

/// Maps the frames of [start, end) to the output's timeline. Used in one stage, on its queue.
package struct FrameTimeline<Payload> {
    /// A frame with its output position, in output ticks.
    package struct Placed {
        package var payload: Payload
        package var pts: Int64
        package var duration: Int64
        /// Where its second field begins, which may be before or after the part of it that is shown.
        package var middle: Int64
        /// Its number among the shown frames of its part, from 0.
        package var number: Int
    }
    private struct Shown {
        var payload: Payload
        /// Its own first moment, in asset time.
        var time: Time
        /// Its first moment that is shown, in output ticks.
        var pts: Int64
        /// Its own duration, if no frame follows.
        var duration: Time
        var number: Int
    }

    private let segment: Segment
    private var start: Time { segment.start }
    private var end: Time? { segment.end }
    /// Where the part begins, in output ticks.
    private let first: Int64
    private let timebase: Timebase
    private let cadence: FrameCadence
    /// Where the edit list ends, in asset time: it may end within the last frame.
    private let editEnd: Time?
    private var pending: Shown?
    /// The time of the last frame offered.
    private var last: Time?
    /// Where the last frame offered ends.
    private var lastEnd: Time = .zero
    /// Number of shown frames so far, without the first.
    private var shown = 0
    /// The first frame shown began before the in point.
    package private(set) var cutsFirstFrame = false
    /// Frames that were never on screen, since another has the same or an earlier time.
    package private(set) var outOfOrder = 0
    /// The out point was reached.
    package private(set) var isDone = false

    /// A timeline of one part; no end: to the end of the track.
    /// - Parameters:
    ///   - counted: the number of the first frame among the shown ones, where the part begins earlier.
    ///   - editEnd: where the track's edit list ends, up to which the last frame is shown. It hides no frame: movies round it, mostly to
    ///     a millisecond.
    package init(
        _ segment: Segment, timebase: Timebase, cadence: FrameCadence, counted: Int = 0, editEnd: Time? = nil
    ) {
        self.segment = segment
        self.editEnd = editEnd
        first = timebase.ticks(of: segment.at, rounding: .halfAwayFromZero).ticks
        self.timebase = timebase
        self.cadence = cadence
        shown = counted
    }

    /// Takes the next frame and returns the previous one, where it is shown and now complete.
    package mutating func offer(_ payload: Payload, at time: Time, duration: Time) -> Placed? {
        if isDone { return nil }
        if let last, time <= last {
            outOfOrder += 1
            return nil
        }
        if let end, time >= end {
            isDone = true
            lastEnd = end
            if let pending { self.pending?.duration = time - pending.time }
            return finish()
        }
        last = time
        lastEnd = time + duration
        guard time > start else {
            pending = Shown(
                payload: payload, time: time, pts: first, duration: duration, number: shown)
            cutsFirstFrame = time < start
            return nil
        }
        if let pending {
            shown += 1
            guard cadence.keeps(shown, at: time, after: pending.time) else { return nil }
        }
        // Ticks too coarse for the source round two frames to one tick: each still gets its own.
        let next = Shown(
            payload: payload, time: time, pts: max(ticks(time), (pending?.pts ?? first - 1) + 1),
            duration: duration, number: shown)
        defer { pending = next }
        return pending.map {
            Placed(
                payload: $0.payload, pts: $0.pts, duration: next.pts - $0.pts,
                middle: ticks($0.time + (time - $0.time).multiplied(by: 1, over: 2)), number: $0.number)
        }
    }

    /// Returns the last frame, when no more follow.
    package mutating func finish() -> Placed? {
        guard let frame = pending else { return nil }
        pending = nil
        let own = editEnd.map { max(frame.time, min($0, lastEnd)) } ?? lastEnd
        let stop = end.map { min($0, own) } ?? own
        // A track that ended before the in point shows nothing.
        guard stop > start else { return nil }
        return Placed(
            payload: frame.payload, pts: frame.pts, duration: max(1, ticks(stop) - frame.pts),
            middle: ticks(frame.time + frame.duration.multiplied(by: 1, over: 2)), number: frame.number)
    }

    private func ticks(_ time: Time) -> Int64 {
        timebase.ticks(of: segment.output(time), rounding: .halfAwayFromZero).ticks
    }
}

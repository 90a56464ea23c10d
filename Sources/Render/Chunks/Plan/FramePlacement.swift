// Which frames of the source an output shows and when, computed from the frames' times alone, by the timeline and the grid that the
// decoding stage uses. Pure.
internal import Media
internal import MediaTime
internal import Source

/// A frame of an output.
struct PlacedSource: Hashable, Sendable {
    /// The part of the source, and the frame in it.
    var segment: Int, frame: Int
    /// In ticks of the output.
    var pts: Int64, duration: Int64
    /// Where its second field begins.
    var middle: Int64
    /// Its number among the shown frames of its part.
    var number: Int
}

/// The placing of frames on an output's timeline.
struct FramePlacement {
    let timebase: Timebase
    let cadence: FrameCadence
    /// Ticks per frame, where the rate is made constant.
    let gridPeriod: Int64?
    /// Where the track's edit list ends, in asset time.
    var editEnd: Time?

    /// The frames of all parts.
    /// - Parameters:
    ///   - parts: each with its number among the output's, and the frames of that one.
    ///   - counted: the number of the very first frame among those of its part.
    ///   - gridEnd: where the grid ends.
    func place(
        _ parts: [(number: Int, segment: Segment)], frames: [[SourceFrame]], counted: Int = 0, gridEnd: Int64?
    ) -> [PlacedSource] {
        var grid = gridPeriod.map { FrameGrid(period: $0, end: gridEnd) }
        var placed: [PlacedSource] = []
        for (index, part) in parts.enumerated() {
            var timeline = FrameTimeline<Int>(
                part.segment, timebase: timebase, cadence: cadence, counted: index == 0 ? counted : 0,
                editEnd: editEnd)
            func show(_ frame: FrameTimeline<Int>.Placed) {
                let slots =
                    grid?.slots(pts: frame.pts, duration: frame.duration) ?? [(frame.pts, frame.duration)]
                for slot in slots {
                    placed.append(
                        PlacedSource(
                            segment: part.number, frame: frame.payload, pts: slot.pts,
                            duration: slot.duration,
                            middle: frame.middle, number: frame.number))
                }
            }
            let all = frames[part.number]
            let from = max(0, all.partitioningIndex { $0.time > part.segment.start } - 1)
            for number in from..<max(from, all.count) {
                if let frame = timeline.offer(number, at: all[number].time, duration: all[number].duration) {
                    show(frame)
                }
                if timeline.isDone { break }
            }
            if let frame = timeline.finish() { show(frame) }
        }
        return placed
    }
}

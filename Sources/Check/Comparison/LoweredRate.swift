// Determines which of the source's frames a file keeps, where its preset limits the frame rate: from the distances of its frames,
// since a comparison of two files does not know the preset.
internal import Media
internal import MediaTime
internal import Source

/// Compares a file's frame rate with its source's.
struct LoweredRate {
    /// When the source's frames are shown, in the ticks of its track.
    let timing: FrameTiming
    /// The shortest time between two frames of the source.
    let step: Time
    /// The shortest time between two frames of the file, except those that a cut shortens.
    let kept: Time
    /// The rounding of a distance: the ticks of both files, where the source's are not as long as its frames, as in Ogg.
    let slack: Time
    /// A frame of a part of the source.
    struct Place {
        /// When it would be shown in the file, if that had all.
        var shown: Time
        /// When it begins in the source, which may be before the part.
        var begin: Time
    }
    /// The frames of each part, in order.
    let parts: [[Place]]
    /// When the file's frames are shown, in order.
    let shown: [Time]

    /// Common caps of presets. A cap between two of them keeps the same frames as the lower one wherever the frames do not
    /// differ.
    private static let caps: [Int64] = [10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 100, 120]

    /// How frames were dropped. A file that merely lacks some frames still has two as close together as the source's, as one
    /// that lacks those of a cap a little below the source's rate.
    var cadence: FrameCadence {
        // A rounded interval is never this much longer.
        let isLonger = kept + slack > step.multiplied(by: 3, over: 2)
        if timing.isSteady {
            guard isLonger else { return intervals ?? .all }
            guard let rate = timing.rate else { return .all }
            let count = kept.seconds * rate.value
            let whole = count.rounded()
            let jitter = timing.spread ?? .zero
            guard whole >= 2, whole < 20, abs(count - whole) <= 0.05 + (slack + jitter).seconds * rate.value
            else {
                return .all
            }
            return .every(Int(whole))
        }
        // Several may fit: the one that leaves out the frames that are not in the file.
        let fitting = LoweredRate.caps.map { timing.cadence(cap: Ratio($0)) }.filter { cadence in
            if case .apart(let gap) = cadence { gap > step && kept + slack >= gap } else { false }
        }
        let frames = fitting.map { ($0, split(by: $0)) }
        return frames.filter { lacks($1.left) }.min { off(by: $0.1) < off(by: $1.1) }?.0 ?? .all
    }

    /// The frames of the parts that are kept, and those that are left out.
    private func split(by cadence: FrameCadence) -> (kept: [Time], left: [Time]) {
        var frames: (kept: [Time], left: [Time]) = ([], [])
        for part in parts {
            var last: Time?
            for (number, place) in part.enumerated() {
                guard cadence.keeps(number, at: place.begin, after: last) else {
                    frames.left.append(place.shown)
                    continue
                }
                frames.kept.append(place.shown)
                last = place.begin
            }
        }
        return frames
    }

    /// How many frames are in the file that are left out, or the other way round.
    private func off(by frames: (kept: [Time], left: [Time])) -> Int {
        frames.left.count(where: isShown) + frames.kept.count { !isShown(at: $0) }
    }

    /// Whether at least half of these frames are not in the file.
    private func lacks(_ frames: [Time]) -> Bool {
        !frames.isEmpty && frames.count(where: isShown) * 2 <= frames.count
    }

    /// Common caps, and those of NTSC, for a constant rate a little above one of them.
    private static let near = (caps + [24, 30, 60].map { $0 * 1000 }).compactMap {
        Ratio($0, $0 > 1000 ? 1001 : 1)
    }

    /// Single frames that a cap leaves out: at least half of those that it would are not in the file. nil: there is no such cap.
    private var intervals: FrameCadence? {
        LoweredRate.near.lazy.map { timing.cadence(cap: $0) }.first { cadence in
            if case .steady(.intervals) = cadence { lacks(split(by: cadence).left) } else { false }
        }
    }

    /// Whether the file has a frame at a time.
    private func isShown(at time: Time) -> Bool {
        var (low, high) = (0, shown.count)
        while low < high {
            let middle = (low + high) / 2
            if shown[middle] < time - slack { low = middle + 1 } else { high = middle }
        }
        return low < shown.count && shown[low] <= time + slack
    }

    /// The shortest distance between times, in order; nil if there are none.
    /// - Parameter begins: times at which a part begins, whose first frame the cut may shorten.
    static func shortest(of times: [Time], begins: [Time] = [], slack: Time = .zero) -> Time? {
        zip(times, times.dropFirst()).filter { earlier, later in
            !begins.contains { begin in
                (earlier - begin).absoluteValue <= slack || (later - begin).absoluteValue <= slack
            }
        }.map { $1 - $0 }.filter { $0 > .zero }.min()
    }
}

// Derives a track's frame timing from presentation times: constant or variable, and the rate. Pure; takes times in ticks.
package import Media
package import MediaTime

/// The timing of a run of frames.
package struct FrameTiming: Equatable {
    /// Frames per second over the whole run, or the nominal rate where the times agree with it.
    package var rate: Ratio?
    /// The intervals differ by more than the rounding of timestamps.
    package var isVariable: Bool
    /// By how much the longest interval exceeds the shortest; nil where some frames have no time, or there are too few.
    package private(set) var spread: Time?

    /// Phones time each frame by their clock: intervals that differ by no more are one rate for a cap, though the times leave its grid
    /// within seconds. Matroska's milliseconds alone make up to 2 ms, and a tenth is for the ticks of others.
    private static let jitter = Time(21, 10_000)

    /// Whether a cap sees a constant rate.
    package var isSteady: Bool { !isVariable || (spread.map { $0 <= FrameTiming.jitter } ?? false) }

    /// Analyses presentation times.
    /// - Parameters:
    ///   - times: in any order, in ticks; equal ones count once.
    ///   - timebase: of the ticks.
    ///   - nominal: rates that the container claims; one that fits the times is used, since rounded timestamps cannot distinguish
    ///     29.97 from 30 over a short run.
    package init(times: [Int64], timebase: Timebase, nominal: [Ratio]) {
        let sorted = Array(Set(times)).sorted()
        self.init(numbered: Array(sorted.enumerated()), timebase: timebase, nominal: nominal)
    }

    /// Analyses the times of frames some of which have none: each with the frame's number, ascending.
    package init(
        numbered: [(offset: Int, element: Int64)], timebase: Timebase, nominal: [Ratio]
    ) {
        guard numbered.count >= 3, let (begin, first) = numbered.first, let (end, last) = numbered.last,
            last > first,
            end > begin, let tick = Ratio(Int64(timebase.numerator), Int64(timebase.denominator))
        else {
            rate = nominal.first
            isVariable = false
            return
        }
        let steps = Int64(end - begin)
        if numbered.count == steps + 1 {
            let intervals = zip(numbered, numbered.dropFirst()).map { $1.element - $0.element }
            spread = intervals.min().flatMap { low in
                intervals.max().map { timebase.time(ofTicks: $0) - timebase.time(ofTicks: low) }
            }
        }
        /// Whether every time is within the tolerance of an even grid of `span / steps` ticks.
        func fits(_ span: Double) -> Bool {
            let step = span / Double(steps)
            // Containers with 1 ms ticks round each time by up to a tick; finer ones are written by programs that counted in
            // milliseconds or 90 kHz before. Where some frames have no time, containers assign those of others to their
            // neighbours.
            let isWhole = numbered.count == steps + 1
            let tolerance = isWhole ? max(1.0, min(0.001 / tick.value, step / 4)) : step
            return numbered.allSatisfy {
                abs(Double($0.element - first) - Double($0.offset - begin) * step) <= tolerance + 1e-6
            }
        }
        let believed = nominal.first { rate in fits(Double(steps) / rate.value / tick.value) }
        if let believed {
            rate = believed
            isVariable = false
        } else {
            isVariable = !fits(Double(last - first))
            rate = tick.multiplied(by: Ratio(last - first)).flatMap { Ratio(steps).divided(by: $0) }
        }
    }

    /// Frames per second of a rate that counts fields; where that comes from rounded times, the nearest standard rate.
    package static func halved(_ rate: Ratio) -> Ratio? {
        guard let half = rate.divided(by: Ratio(2)) else { return nil }
        return usual.compactMap { Ratio($0.0, $0.1) }.first { abs($0.value / half.value - 1) < 1e-6 } ?? half
    }

    /// Standard rates of interlaced video.
    private static let usual: [(Int64, Int64)] = [(24_000, 1001), (24, 1), (25, 1), (30_000, 1001), (30, 1)]

    /// How frames are dropped so that `cap` frames per second are not exceeded.
    package func cadence(cap: Ratio?) -> FrameCadence {
        guard let cap, let rate, let gap = FrameRateCap.gap(cap) else { return .all }
        return isSteady ? .steady(FrameRateCap(cap, on: rate)) : .apart(gap)
    }
}

/// Which of the shown frames are kept.
package enum FrameCadence: Hashable, Codable, Sendable {
    /// All of them.
    package static let all = steady(.all)
    /// The first shown frame, and every nth after it.
    package static func every(_ n: Int) -> FrameCadence { .steady(.every(n)) }

    /// Those of a constant rate that a cap keeps, counted from the first shown frame.
    case steady(FrameRateCap)
    /// The first shown frame, and each one that starts at least this long after the last kept one (the period of the cap less
    /// what is forgiven).
    case apart(Time)

    /// One in this many is kept; 1 if none are dropped, or not evenly.
    package var count: Int {
        if case .steady(.every(let n)) = self { n } else { 1 }
    }

    /// Whether to keep a frame, given its number among the shown ones from 0, its time, and the time of the last kept frame.
    package func keeps(_ number: Int, at time: Time, after kept: Time?) -> Bool {
        guard let kept, number > 0 else { return true }
        return switch self {
        case .steady(let cap): cap.keeps(number)
        case .apart(let gap): time - kept >= gap
        }
    }
}

// A cut point, and the frame that a decimal means. Other programs print the times of frames rounded to six decimals: 1001/30000 s
// is 0.033367 in ffprobe. Taken exactly, such a time would cut a frame to less than a microsecond.
internal import Media
package import MediaTime

/// A point in asset time.
package struct CutPoint {
    /// As requested.
    package var asked: Time
    /// As meant.
    package var time: Time

    /// A point that is meant exactly.
    package init(_ time: Time) { (asked, self.time) = (time, time) }

    /// A point that means another time.
    package init(asked: Time, meant time: Time) { (self.asked, self.time) = (asked, time) }
}

extension TimeResolution {
    /// How far a time in decimals may be from the frame that it means: the last of six decimals, rounded or cut off.
    private static let reach = Time(1, 1_000_000)

    /// The point that a time in decimals means: a frame of the main video, or the end, within a microsecond; otherwise itself.
    package func meant(by asked: Time, as name: String) -> CutPoint {
        guard let time = boundary(meantBy: asked) else { return CutPoint(asked) }
        diagnostics.warn(
            Warning(
                .frameMeant,
                "the \(name) \(asked.clock(digits: 6)) means the frame boundary at \(time.clock(digits: 9)), within a microsecond of it",
                time: time))
        return CutPoint(asked: asked, meant: time)
    }

    /// The frame time within a microsecond of a time; nil: there is none, or it is the time itself.
    private func boundary(meantBy time: Time) -> Time? {
        let (earliest, latest) = (time - TimeResolution.reach, time + TimeResolution.reach)
        func isNear(_ other: Time) -> Bool { earliest <= other && other <= latest }
        if time == asset.duration { return nil }
        if let end = asset.duration, isNear(end) { return end }
        guard let track = asset.mainVideo else { return nil }
        // Nothing need be read where no tick of the track is near, or one is at the time itself and the next are far.
        let tick = track.timebase.time(ofTicks: 1)
        let at = track.timebase.ticks(of: time + asset.start, rounding: .halfAwayFromZero).ticks
        let nearest = track.timebase.time(ofTicks: at) - asset.start
        guard isNear(nearest), nearest != time || tick <= TimeResolution.reach else { return nil }
        let end = track.duration.map { (track.start ?? .zero) + $0 }
        let near = (presentationTimes(track, from: time, count: 0) + [end].compactMap(\.self))
            .filter(isNear)
        let best = near.min { ($0 - time).absoluteValue < ($1 - time).absoluteValue }
        return best == time ? nil : best
    }
}

// Times, ticks and numbers of frames of a check of joins. Pure; reads nothing.
internal import Media
internal import MediaTime
internal import Render

extension JoinCheck {
    /// The usual number of frames in this time.
    func count(_ time: Time) -> Int {
        Int(time.seconds * max(1, plan.track.video?.frameRate?.value ?? 25)) + 1
    }

    /// The usual duration of this many frames.
    func frames(_ count: Int) -> Time {
        let rate = max(1, plan.track.video?.frameRate?.value ?? 25)
        return Time(1000, Int32(clamping: Int(rate * 1000))).multiplied(by: Int64(count), over: 1)
    }

    /// A file time in a track's ticks, or slightly before it.
    func ticks(_ time: Time, of track: Track) -> Int64 {
        track.timebase.ticks(of: time, rounding: .towardNegativeInfinity).ticks - 2
    }

    /// How far the times of a frame may be apart in both files: each rounds to its ticks.
    func slack(_ track: Track) -> Time {
        track.timebase.time(ofTicks: 2) + plan.timebase.time(ofTicks: 1)
    }
}

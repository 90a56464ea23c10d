// The frame timing of a range: input for a cap on the frame rate and for the check of its result.
package import Media
package import MediaTime

extension TimeResolution {
    /// The timing of a video track's frames in a range, including the frame before it.
    package func timing(_ track: Track, _ range: ResolvedRange) throws(MediaError) -> FrameTiming {
        let times = try ticks(track, range)
        var timing = FrameTiming(
            times: times, timebase: track.timebase,
            nominal: [track.video?.frameRate].compactMap(\.self))
        // One interval shows no pattern: the whole track's timing counts.
        if Set(times).count < 3, track.video?.isVariable == true { timing.isVariable = true }
        // The rate of a camera's clock wanders: the cap counts by that of the whole track.
        if timing.isSteady, let own = timing.rate?.value, let rate = track.video?.frameRate,
            abs(rate.value / own - 1) < 0.01
        {
            timing.rate = rate
        }
        return timing
    }

    /// Asset times of a video track's frames, in order.
    package func times(_ track: Track) -> [Time] { presentationTimes(track, from: nil, count: .max) }
}

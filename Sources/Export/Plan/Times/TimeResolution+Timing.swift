// The timing of the frames of a range: what a cap on the frame rate is applied to, and what it is judged by afterwards.
internal import Media
internal import MediaTime

extension TimeResolution {
    /// The timing of a video track's frames in a range and of the one before it.
    func timing(_ track: Track, _ range: ResolvedRange) throws(MediaError) -> FrameTiming {
        let times = try ticks(track, range)
        var timing = FrameTiming(
            times: times, timebase: track.timebase,
            nominal: [track.video?.frameRate].compactMap(\.self))
        // One step shows no rhythm: the whole track's counts.
        if Set(times).count < 3, track.video?.isVariable == true { timing.isVariable = true }
        return timing
    }

    /// Asset times of a video track's frames, in order.
    func times(_ track: Track) -> [Time] { presentationTimes(track, from: nil, count: .max) }
}

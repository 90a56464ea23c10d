// The stage of a video chain that draws subtitles on the frames, after the filters and before the encoder.
internal import Media
internal import MediaTime
internal import Source
internal import Synchronization

/// Draws subtitles on the frames of an interval.
struct VideoBurningStage: Sendable {
    let work: VideoWork
    let color: VideoColor
    let input: BoundedQueue<PlacedFrame, MediaError>
    let output: BoundedQueue<PlacedFrame, MediaError>

    /// Draws on all frames.
    func run() throws(MediaError) {
        var subtitles: BurnedSubtitles?
        while let element = try input.receive() {
            if subtitles == nil, let colors = color.chain.withLock({ $0 }) {
                subtitles = try BurnedSubtitles(work, colors: colors)
            }
            let time = work.plan.timebase.time(ofTicks: element.pts)
            try subtitles?.draw(on: element.frame, at: time)
            guard output.send(element) else { return input.abandon() }
        }
        output.end()
    }
}

// BurnedSubtitles: draws the subtitles of a track or of a file on frames. It reads them as the frames come, from before the in point on,
// and looks events up by the source's times: so they are cut and moved with the frames, whatever the ranges and the speed. Owns its
// source of subtitles; confined to one thread.
package import Libav
package import Media
package import MediaTime
internal import Source

/// Subtitles on frames.
package final class BurnedSubtitles {
    private let segments: Segments
    private let track: Int?
    /// The subtitles, as the object of a sentence.
    private let name: String
    private let subtitles: any DrawnSubtitles
    private let source: any SubtitleSource
    /// The last moment asked for, in milliseconds.
    private var moment = Int64.min

    /// The subtitles for an interval of the output; nil: none are drawn.
    /// - Parameters:
    ///   - colors: of the frames.
    ///   - lookBack: how far back events are searched for in containers without an index of subtitles.
    package init?(
        _ work: VideoWork, colors: VideoFilterChain, lookBack: Time = TrackSubtitles.lookBack
    ) throws(MediaError) {
        segments = work.segments
        track = work.plan.burned?.index
        name =
            work.subtitles.map { "the subtitles in \($0.name)" }
            ?? "the subtitles of track \(work.plan.burned?.index ?? 0)"
        let plan = work.plan
        if let source = work.subtitles {
            let file = try SubtitleFile(source)
            self.source = FileSubtitles(file)
            subtitles = try DrawnText(
                file.decoder, track: nil, width: plan.width, height: plan.height, colors: colors,
                attached: [], work.diagnostics)
            return
        }
        guard let track = plan.burned else { return nil }
        let source = try TrackSubtitles(track, work, at: work.segments.start, back: lookBack)
        self.source = source
        let decoder = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            try SubtitleDecoder(
                try CodecParameters(source.demuxer, track: track.index), timebase: track.timebase)
        }
        if TextPlan.isText(track) {
            subtitles = try DrawnText(
                decoder, track: track.index, width: plan.width, height: plan.height, colors: colors,
                attached: SubtitleFonts.attached(to: source.demuxer), work.diagnostics)
        } else {
            let video = (width: plan.track.video?.width ?? 0, height: plan.track.video?.height ?? 0)
            subtitles = DrawnPictures(
                decoder, width: plan.width, height: plan.height, video: video, colors: colors)
        }
    }

    /// Draws what is shown at a time of the output.
    package func draw(on frame: Frame, at output: Time) throws(MediaError) {
        let time = segments.source(output)
        let now = BurnedSubtitles.milliseconds(time)
        // Ranges may come in any order.
        if now < moment {
            subtitles.removeAll()
            try source.begin(at: time)
        }
        moment = now
        try DrawingTime.measure(name) { () throws(MediaError) in
            while let event = try source.next(upTo: now) {
                subtitles.add(event.packet, from: event.start, to: event.end)
            }
            let overlays = subtitles.overlays(at: now)
            // Thousands of overlays take as long to blend as to draw.
            try media(.encodeFailed, track: track) { () throws(LibavError) in try frame.draw(overlays) }
        }
    }

    /// A time in whole milliseconds, as libass counts them.
    static func milliseconds(_ time: Time) -> Int64 {
        Timebase.milliseconds.ticks(of: time, rounding: .towardNegativeInfinity).ticks
    }
}

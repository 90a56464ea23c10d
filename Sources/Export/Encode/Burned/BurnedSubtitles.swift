// BurnedSubtitles: draws the subtitles of a track on frames. It reads the track as the frames come, from before the in point on, and
// looks events up by the source's times: so they are cut and moved with the frames, whatever the ranges and the speed. Owns its demuxer
// and decoder; confined to one thread.
internal import Libav
internal import Media
internal import MediaTime

/// The subtitles of one track on frames.
final class BurnedSubtitles {
    private let track: Track
    private let work: VideoWork
    private let subtitles: any DrawnSubtitles
    private var reader: TrackReader
    /// The first packet that is not shown yet, which says when one without a duration ends.
    private var next: Packet?
    private var hasEnded = false
    /// The last moment asked for, in milliseconds.
    private var moment = Int64.min

    /// How far back to search for events in containers without an index of subtitles.
    private static let lookBack = Time(600, 1)
    /// Milliseconds of an event that nothing ends.
    private static let endless: Int64 = 86_400_000

    /// The subtitles of a track for an interval of the output.
    /// - Parameter colors: of the frames.
    init(_ track: Track, _ work: VideoWork, colors: VideoFilterChain) throws(MediaError) {
        (self.track, self.work) = (track, work)
        let opened = try BurnedSubtitles.reader(track, work, at: work.segments.start)
        reader = opened
        let decoder = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            try SubtitleDecoder(
                try CodecParameters(opened.demuxer, track: track.index), timebase: track.timebase)
        }
        let plan = work.plan
        if TextPlan.isText(track) {
            subtitles = try DrawnText(
                decoder, track, width: plan.width, height: plan.height, colors: colors,
                attached: SubtitleFonts.attached(to: opened.demuxer), work.diagnostics)
        } else {
            let video = (width: plan.track.video?.width ?? 0, height: plan.track.video?.height ?? 0)
            subtitles = DrawnPictures(
                decoder, width: plan.width, height: plan.height, video: video, colors: colors)
        }
    }

    private static func reader(
        _ track: Track, _ work: VideoWork, at start: Time
    ) throws(MediaError) -> TrackReader {
        // A movie's index finds the sample shown at a time.
        let hasIndex = track.codecTag != nil && track.samples != nil
        return try TrackReader.open(
            work.source, track: track, origin: work.origin, at: start, back: hasIndex ? .zero : lookBack)
    }

    /// Draws what is shown at a time of the output.
    func draw(on frame: Frame, at output: Time) throws(MediaError) {
        let time = work.segments.source(output)
        let now = BurnedSubtitles.milliseconds(time)
        // Ranges may come in any order.
        if now < moment {
            subtitles.removeAll()
            reader = try BurnedSubtitles.reader(track, work, at: time)
            (next, hasEnded) = (nil, false)
        }
        moment = now
        try read(upTo: now)
        let overlays = subtitles.overlays(at: now)
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in try frame.draw(overlays) }
    }

    private static func milliseconds(_ time: Time) -> Int64 {
        Timebase.milliseconds.ticks(of: time, rounding: .towardNegativeInfinity).ticks
    }

    private func start(of packet: Packet) -> Int64 {
        BurnedSubtitles.milliseconds(track.timebase.time(ofTicks: packet.pts ?? 0) - work.origin)
    }

    /// Adds the events that begin up to a moment.
    private func read(upTo now: Int64) throws(MediaError) {
        if next == nil, !hasEnded { next = try packet() }
        while let packet = next, start(of: packet) <= now {
            next = try self.packet()
            let start = start(of: packet)
            let end: Int64
            if packet.duration > 0, let pts = packet.pts {
                end = BurnedSubtitles.milliseconds(
                    track.timebase.time(ofTicks: pts &+ packet.duration) - work.origin)
            } else {
                end = next.map { self.start(of: $0) } ?? start + BurnedSubtitles.endless
            }
            subtitles.add(packet, from: start, to: end)
        }
    }

    /// The track's next packet with a time; nil at its end.
    private func packet() throws(MediaError) -> Packet? {
        while !hasEnded {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard reader.read(into: packet, work.diagnostics) else { break }
            if packet.pts != nil { return packet }
        }
        hasEnded = true
        return nil
    }
}

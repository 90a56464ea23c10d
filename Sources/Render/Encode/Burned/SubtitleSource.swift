// Where subtitles to draw come from: a track of the film, read as the frames come, or a file. Confined to one thread.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// Subtitles in the order of their beginnings, as packets of one decoder.
protocol SubtitleSource: AnyObject {
    /// Begins anew with what is shown at a time of the source or later.
    func begin(at time: Time) throws(MediaError)
    /// The next one that begins up to a moment, and when it is shown, in milliseconds of asset time; nil: there is none up to then.
    func next(upTo now: Int64) throws(MediaError) -> (packet: Packet, start: Int64, end: Int64)?
}

/// The subtitles of a track of the film. Owns its demuxer.
final class TrackSubtitles: SubtitleSource {
    private let track: Track
    private let work: VideoWork
    private var reader: TrackReader
    /// The first packet that is not shown yet, which says when one without a duration ends.
    private var packet: Packet?
    private var hasEnded = false

    /// How far back to search for events in containers without an index of subtitles.
    static let lookBack = Time(600, 1)
    private let back: Time
    /// Milliseconds of an event that nothing ends.
    private static let endless: Int64 = 86_400_000

    /// The container that it reads.
    var demuxer: Demuxer { reader.demuxer }

    /// The subtitles from a time of the source on.
    init(_ track: Track, _ work: VideoWork, at time: Time, back: Time) throws(MediaError) {
        (self.track, self.work, self.back) = (track, work, back)
        reader = try TrackSubtitles.reader(track, work, at: time, back: back)
    }

    private static func reader(
        _ track: Track, _ work: VideoWork, at start: Time, back: Time
    ) throws(MediaError) -> TrackReader {
        // A movie's index finds the sample shown at a time.
        let hasIndex = track.codecTag != nil && track.samples != nil
        return try TrackReader.open(
            work.source, track: track, origin: work.origin, at: start, back: hasIndex ? .zero : back)
    }

    func begin(at time: Time) throws(MediaError) {
        reader = try TrackSubtitles.reader(track, work, at: time, back: back)
        (packet, hasEnded) = (nil, false)
    }

    func next(upTo now: Int64) throws(MediaError) -> (packet: Packet, start: Int64, end: Int64)? {
        if packet == nil, !hasEnded { packet = try read() }
        guard let packet, start(of: packet) <= now else { return nil }
        self.packet = try read()
        let start = start(of: packet)
        if packet.duration > 0, let pts = packet.pts {
            let end = track.timebase.time(ofTicks: pts &+ packet.duration) - work.origin
            return (packet, start, BurnedSubtitles.milliseconds(end))
        }
        return (packet, start, self.packet.map { self.start(of: $0) } ?? start + TrackSubtitles.endless)
    }

    private func start(of packet: Packet) -> Int64 {
        BurnedSubtitles.milliseconds(track.timebase.time(ofTicks: packet.pts ?? 0) - work.origin)
    }

    /// The track's next packet with a time; nil at its end.
    private func read() throws(MediaError) -> Packet? {
        while !hasEnded {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard reader.read(into: packet, work.diagnostics) else { break }
            if packet.pts != nil { return packet }
        }
        hasEnded = true
        return nil
    }
}

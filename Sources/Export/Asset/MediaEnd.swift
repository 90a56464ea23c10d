// Where pictures and sound end, where the container says only how long all of it is: a late event of text would make that
// hours longer. Reads the last packets; decodes nothing.
internal import Libav
internal import Media
internal import MediaTime

/// The end of pictures and sound.
enum MediaEnd {
    /// The end in asset time; nil where nobody can say.
    static func of(_ asset: Asset, _ source: SourceFile) -> Time? {
        var last: Time?
        for track in asset.tracks where (track.kind == .video && !track.isPicture) || track.kind == .audio {
            let end = of(track, asset, source)
            // A track of sound that cannot be sought in ends with the pictures, or nearly.
            if let end { last = max(last ?? end, end) }
        }
        return last ?? asset.duration
    }

    /// The end of one track in asset time; nil where nobody can say.
    static func of(_ track: Track, _ asset: Asset, _ source: SourceFile) -> Time? {
        track.duration.map { (track.start ?? .zero) + $0 } ?? last(of: track, asset, source)?.end
    }

    /// The last packet of a track in asset time: when it begins, and where it ends, which readers often guess.
    static func last(
        of track: Track, _ asset: Asset, _ source: SourceFile
    ) -> (begin: Time, end: Time)? {
        guard let duration = asset.duration, let demuxer = try? Demuxer(source, quick: true),
            let packet = try? Packet()
        else { return nil }
        demuxer.select(track: track.index)
        let ticks = track.timebase.ticks(of: duration + asset.start, rounding: .towardNegativeInfinity).ticks
        guard demuxer.seek(track: track.index, toTicks: ticks) else { return nil }
        var (begin, end): (Int64?, Int64?)
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == track.index, let pts = packet.pts else { continue }
            begin = max(begin ?? .min, pts)
            end = max(end ?? .min, pts &+ packet.duration)
        }
        guard let begin, let end else { return nil }
        return (
            track.timebase.time(ofTicks: begin) - asset.start, track.timebase.time(ofTicks: end) - asset.start
        )
    }
}

// Finds where video and audio end when the container gives only the total duration, which a late text event may extend by hours.
// Reads the last packets; decodes nothing.
internal import Codecs
package import Libav
package import Media
package import MediaTime

/// The end of video and audio.
package enum MediaEnd {
    /// The end in asset time; nil if unknown.
    package static func of(_ asset: Asset, _ source: SourceFile) -> Time? {
        var last: Time?
        for track in asset.tracks where (track.kind == .video && !track.isPicture) || track.kind == .audio {
            let end = of(track, asset, source)
            // An audio track that cannot be seeked ends with the video, or nearly.
            if let end { last = max(last ?? end, end) }
        }
        return last ?? asset.duration
    }

    /// The end of one track in asset time; nil if unknown.
    package static func of(_ track: Track, _ asset: Asset, _ source: SourceFile) -> Time? {
        track.duration.map { (track.start ?? .zero) + $0 } ?? last(of: track, asset, source)?.end
    }

    /// Frames are shown within this time of their position in the file, or within twenty frames.
    private static let reorder = Time(2, 1)
    /// Shorter files may be read from the beginning.
    private static let short = Time(60, 1)

    /// The last packet of a track in asset time: when it begins, and where it ends, which demuxers often guess.
    package static func last(
        of track: Track, _ asset: Asset, _ source: SourceFile
    ) -> (begin: Time, end: Time)? {
        guard let duration = asset.duration, var samples = try? SampleReader(source, quick: true),
            let packet = try? Packet()
        else { return nil }
        samples.select(track: track.index)
        // A transport stream seeks to the packet at that position, and the last frame shown may be stored before it.
        let slow = track.video?.frameRate.map { Time(20, Int32(clamping: Int(max(1, $0.value)))) } ?? .zero
        let position = max(.zero, duration - max(MediaEnd.reorder, slow)) + asset.start
        let ticks = track.timebase.ticks(of: position, rounding: .towardNegativeInfinity).ticks
        if position > asset.start, !samples.seek(track: track.index, toTicks: ticks) {
            // The track may begin later than that.
            guard duration < MediaEnd.short, let fresh = try? SampleReader(source, quick: true) else {
                return nil
            }
            fresh.select(track: track.index)
            samples = fresh
        }
        var (begin, before, end): (Int64?, Int64?, Int64?)
        /// Samples of the last packet, as its bytes tell where nothing else does.
        var count: Int64?
        while case .packet = samples.read(into: packet) {
            guard packet.track == track.index, let pts = packet.pts else { continue }
            if !packet.isSecondField {
                if let begin, pts > begin { before = begin }
                count = nil
                if packet.duration == 0, track.kind == .audio {
                    count = track.audioCodec.samples(in: packet.bytes)
                }
                begin = max(begin ?? .min, pts)
            }
            end = max(end ?? .min, pts &+ packet.duration)
        }
        guard let begin, var end else { return nil }
        // Audio of which neither container nor parser knows how long a packet is: as its bytes say, or as long as the one before.
        if track.kind == .audio, end == begin {
            if let count, let rate = track.audio?.sampleRate, rate > 0 {
                let length = Time(count, Int32(clamping: rate))
                end = begin &+ track.timebase.ticks(of: length, rounding: .halfAwayFromZero).ticks
            } else if let before {
                end = begin &+ (begin &- before)
            }
        }
        return (
            track.timebase.time(ofTicks: begin) - asset.start, track.timebase.time(ofTicks: end) - asset.start
        )
    }

    /// The last packets lie within this time of the end that the container names.
    private static let reach = Time(1, 1)

    /// Where the tracks of these kinds end, by index and in asset time, as far as the last packets tell. Leaves the demuxer at the end.
    package static func last(of kinds: Set<TrackKind>, _ asset: Asset, _ demuxer: Demuxer) -> [Int: Time] {
        let tracks = Dictionary(
            uniqueKeysWithValues: asset.tracks.filter { kinds.contains($0.kind) && !$0.isPicture }.map {
                ($0.index, $0)
            })
        let main = asset.tracks.first { $0.kind == .video && !$0.isPicture } ?? tracks.values.first
        guard !tracks.isEmpty, let main, let duration = asset.duration, let packet = try? Packet() else {
            return [:]
        }
        let position = max(.zero, duration - MediaEnd.reach) + asset.start
        let ticks = main.timebase.ticks(of: position, rounding: .towardNegativeInfinity).ticks
        guard demuxer.seek(track: main.index, toTicks: ticks) else { return [:] }
        var ends: [Int: Time] = [:]
        while case .packet = demuxer.read(into: packet) {
            guard let track = tracks[packet.track], let pts = packet.pts, packet.duration > 0 else {
                continue
            }
            let end = track.timebase.time(ofTicks: pts &+ packet.duration) - asset.start
            ends[track.index] = max(ends[track.index] ?? end, end)
        }
        // The times of a stream may have begun anew.
        guard asset.container.format.hasPrefix("mpeg") else { return ends }
        return ends.filter { ($0.value - duration).absoluteValue < MediaEnd.reach }
    }
}

// Where tracks end whose containers do not say so, or not rightly.
internal import Libav
internal import Media
internal import MediaTime

extension Asset {
    /// Bare streams of sound, whose packets say how long they are.
    private static let bare: Set<String> = ["aac", "mp3", "ac3", "eac3", "dts", "truehd", "amr"]
    /// Files larger than this are not read for it: two weeks of sound at 128 kbit/s.
    private static let mostCounted: Int64 = 2 << 30

    /// The duration is that of the frames, not one guessed from a bit rate.
    var isCounted: Bool {
        Asset.bare.contains(container.format) && bytes <= Asset.mostCounted
            && tracks.count { !$0.isPicture } == 1
    }

    /// Sums up how long the frames of a bare stream are.
    mutating func countDuration(of source: SourceFile) {
        guard isCounted, let index = tracks.firstIndex(where: { $0.kind == .audio }),
            let demuxer = try? Demuxer(source), let packet = try? Packet(),
            let parameters = try? CodecParameters(demuxer, track: tracks[index].index),
            let rate = tracks[index].audio.flatMap({ Timebase(perSecond: $0.sampleRate) })
        else { return }
        // The container's ticks may be too coarse for one frame.
        var (samples, ticks): (Int64, Int64) = (0, 0)
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == tracks[index].index else { continue }
            let known = parameters.samples(inBytes: packet.size)
            samples += Int64(known)
            if known == 0 { ticks += packet.duration }
        }
        let sum = rate.time(ofTicks: samples) + tracks[index].timebase.time(ofTicks: ticks)
        guard sum > .zero else { return }
        tracks[index].duration = sum
        if let end = Probe.end(of: tracks) { duration = end }
    }

    /// Corrects where pictures end whose fields FFmpeg counts as frames, or frames as fields, in streams that do not say how long
    /// they are: by half a frame.
    mutating func end(ofFieldsIn source: SourceFile) {
        guard ["mpegts", "mpeg"].contains(container.format) else { return }
        for index in tracks.indices where tracks[index].video?.fieldCoding != nil {
            let track = tracks[index]
            guard let last = MediaEnd.last(of: track, self, source), last.end > track.start ?? .zero else {
                continue
            }
            tracks[index].duration = last.end - (track.start ?? .zero)
        }
        if let end = Probe.end(of: tracks) { duration = end }
    }
}

// Finds where tracks end whose containers do not say, or say it wrongly.
internal import Libav
internal import Media
internal import MediaTime

extension Asset {
    /// Raw audio streams, whose packets give their durations.
    static let bare: Set<String> = ["aac", "mp3", "ac3", "eac3", "dts", "truehd", "mlp", "amr"]
    /// Larger files are not read for this: 37 hours of audio at 128 kbit/s.
    private static let mostCounted: Int64 = 2 << 30

    /// The duration is the sum of the frames', not an estimate from the bit rate.
    var isCounted: Bool {
        Asset.bare.contains(container.format) && bytes <= Asset.mostCounted
            && tracks.count { !$0.isPicture } == 1
    }

    /// Sums the frame durations of a raw stream.
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

    /// Corrects the end of video whose fields FFmpeg counts as frames, or frames as fields, in streams that do not store
    /// durations: by half a frame.
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

// Finds where tracks end whose containers do not say, or say it wrongly.
package import Libav
package import Media
package import MediaTime

extension Asset {
    /// Raw video streams without any times.
    private static let untimed: Set<String> = ["h264", "hevc"]

    /// The frames a second at which those of a raw stream are shown, which stores no times: those that its headers say, or FFmpeg's 25; nil: it
    /// stores times.
    package var rateOfUntimedFrames: Ratio? {
        Asset.untimed.contains(container.format) ? mainVideo?.video?.frameRate : nil
    }

    /// Raw audio streams, whose packets give their durations.
    package static let bare: Set<String> = ["aac", "mp3", "ac3", "eac3", "dts", "truehd", "mlp", "amr"]
    /// Larger files are not read for this: 37 hours of audio at 128 kbit/s, six minutes of video at 6 Mbit/s.
    private static let mostCounted: Int64 = 2 << 30, mostVideoCounted: Int64 = 256 << 20

    /// The duration is the sum of the frames', not an estimate from the bit rate. Raw MPEG video of a variable rate states none.
    package var isCounted: Bool {
        let most =
            Asset.bare.contains(container.format)
            ? Asset.mostCounted : container.format == "mpegvideo" ? Asset.mostVideoCounted : 0
        return bytes <= most && tracks.count { !$0.isPicture } == 1
    }

    /// Sums the frame durations of a raw stream.
    package mutating func countDuration(of source: SourceFile) {
        guard isCounted,
            let index = tracks.firstIndex(where: { $0.kind == .audio || $0.kind == .video && !$0.isPicture }),
            let demuxer = try? Demuxer(source), let packet = try? Packet(),
            let parameters = try? CodecParameters(demuxer, track: tracks[index].index)
        else { return }
        let rate = tracks[index].audio.flatMap { Timebase(perSecond: $0.sampleRate) } ?? .seconds
        // The container's ticks may be too coarse for one frame.
        var (samples, ticks): (Int64, Int64) = (0, 0)
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == tracks[index].index else { continue }
            let known = tracks[index].kind == .audio ? parameters.samples(inBytes: packet.size) : 0
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
    package mutating func end(ofFieldsIn source: SourceFile) {
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

    /// Corrects the ends of tracks that are stored nowhere, as far as the last packets tell. In streams FFmpeg takes the last time that
    /// they store, which is that of the first of several audio frames; in movies of fragments it counts those that it has read.
    package mutating func end(ofLastPacketsIn demuxer: Demuxer, isFragmented: Bool) {
        let isStream = ["mpegts", "mpeg"].contains(container.format)
        guard isStream || isFragmented else { return }
        let ends = MediaEnd.last(of: isStream ? [.audio] : [.audio, .video], self, demuxer)
        for index in tracks.indices {
            let track = tracks[index]
            guard let length = track.duration, let end = ends[track.index] else { continue }
            tracks[index].duration = max(length, end - (track.start ?? .zero))
        }
        if let end = Probe.end(of: tracks) { duration = end }
    }

    /// Corrects the end of a Matroska file whose first time is not 0: of what it says that it lasts, FFmpeg's muxer counts from 0, and others
    /// from the first time.
    package mutating func end(ofShiftedMatroskaIn demuxer: Demuxer) {
        guard container.format.contains("matroska"), start != .zero,
            let end = MediaEnd.last(of: [.audio, .video], self, demuxer).values.max(), end > .zero
        else { return }
        guard let said = duration, faults.contains(where: { $0.code == .truncated }) else {
            duration = end
            return
        }
        // Where the file breaks off, the end of what is there is not the film's.
        let counted = min(said, said - start)
        if counted >= end { duration = counted }
    }

    /// Corrects the end of video whose last frames are shown later than the sum of all durations says: that sum is of the times of decoding,
    /// and its last one is of the sample that is decoded last. The edit list says how long the track is, and the frames where it ends.
    package mutating func end(ofReorderedVideoIn source: SourceFile) {
        for index in tracks.indices where tracks[index].kind == .video {
            let track = tracks[index]
            guard let length = track.duration, let edits = track.edits, let one = edits.first else {
                continue
            }
            let shown = edits.drop { $0.mediaTime == nil }.map(\.duration).reduce(.zero, +)
            guard shown - length > Time(1, one.duration.timescale),
                let last = MediaEnd.last(of: track, self, source), last.end > (track.start ?? .zero) + length
            else { continue }
            tracks[index].duration = min(shown, last.end - (track.start ?? .zero))
        }
        if let end = Probe.end(of: tracks) { duration = end }
    }
}

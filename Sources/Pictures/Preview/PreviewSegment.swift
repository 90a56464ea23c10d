// A part of a preview: fragmented MP4 with H.264 and AAC, as Media Source Extensions take it. Its times are the asset's, so that
// segments need only be appended. It is complete: a segment plays alone too.
public import Libav
public import Media
public import MediaTime
internal import Source

/// A segment of a preview.
public struct PreviewSegment {
    private let source: SourceFile
    private let start: Time, duration: Time
    private let width: Int
    private let track: Int?, subtitles: Int?

    /// A part of a source, `width` pixels wide unless the video is smaller, with an audio track, or with the first that decodes, and
    /// with a subtitle track on the frames; nil: with none.
    public init(
        _ source: SourceFile, from start: Time, duration: Time, width: Int, track: Int?, subtitles: Int? = nil
    ) {
        self.source = source
        self.start = start
        self.duration = duration
        self.width = width
        self.track = track
        self.subtitles = subtitles
    }

    /// Writes the segment to a descriptor that is open for writing, from its beginning.
    public func run(output: Int32) throws(MediaError) -> SegmentReport {
        let asset = try Probe.asset(of: source)
        let diagnostics = Diagnostics()
        let heard = try asset.heardAudio(track, of: source)
        // Audio that can be heard does not stand in for video that cannot be shown.
        let shown = asset.mainVideo == nil && heard != nil ? nil : try asset.shownVideo(of: source)
        let end = asset.duration ?? .positiveInfinity
        guard start < end else {
            throw MediaError(
                .invalidTime,
                "the start \(start.clock()) is \(start == end ? "at" : "past") the end (\(end.clock()))",
                time: start, remedy: "choose an earlier start")
        }
        let part = TimeSpan(start: start, end: min(start + duration, end))
        let isLast = part.end == end
        let video = shown.map { PreviewVideo($0, part: part, width: width, origin: asset.start) }
        let drawn = try subtitles.map { number throws(MediaError) in
            PreviewSubtitles(
                track: try asset.subtitles(number, of: source), source: source, origin: asset.start,
                diagnostics: diagnostics)
        }
        let audio = heard.map { PreviewAudio($0, part: part, isLast: isLast) }
        let images = try video.map { video throws(MediaError) in
            try video.encode(source, origin: asset.start, subtitles: drawn, diagnostics: diagnostics)
        }
        let sound = try audio.map { audio throws(MediaError) in
            let encoder = try media(.encodeFailed) { () throws(LibavError) in try audio.encoder() }
            let packets = try audio.packets(
                encoder, source: source, origin: asset.start, diagnostics: diagnostics)
            return (
                format: try media(.encodeFailed) { () throws(LibavError) in try encoder.format() },
                packets: packets
            )
        }
        try media(.inputOutput) { () throws(LibavError) in
            try write(output, video: video, images, audio: audio, sound)
        }
        let codecs = [images.map { PreviewSegment.codec($0.format) }, sound.map { _ in "mp4a.40.2" }]
        var report = SegmentReport(
            range: part,
            mime:
                "\(video == nil ? "audio" : "video")/mp4; codecs=\"\(codecs.compactMap(\.self).joined(separator: ","))\"",
            video: nil, audio: nil, last: isLast, bytes: 0, warnings: diagnostics.warnings)
        report.video = video.map {
            SegmentReport.Video(
                track: $0.track.index, width: $0.width, height: $0.height,
                frames: Int64(images?.packets.count ?? 0))
        }
        report.audio = audio.map {
            SegmentReport.Audio(
                track: $0.track.index, sampleRate: $0.rate,
                first: $0.frames.lowerBound * PreviewAudio.frameSize,
                samples: Int64(sound?.packets.count ?? 0) * PreviewAudio.frameSize)
        }
        return report
    }

    /// The codec's name in a type, from the profile and level of the H.264 stream's sequence parameter set.
    private static func codec(_ format: EncodedFormat) -> String {
        let digits = Array(format.extradata)
        // In hexadecimal: a start code, the byte 67, and three bytes of profile, constraints and level.
        guard let at = format.extradata.firstRange(of: "0000000167") else { return "avc1.64001f" }
        let from = format.extradata.distance(from: format.extradata.startIndex, to: at.upperBound)
        return "avc1." + String(digits.dropFirst(from).prefix(6))
    }

    private func write(
        _ output: Int32, video: PreviewVideo?, _ images: PreviewVideo.Encoded?, audio: PreviewAudio?,
        _ sound: (format: EncodedFormat, packets: [Packet])?
    ) throws(LibavError) {
        let setup = try MuxerSetup(format: "mp4", descriptor: output)
        setup.omitRandomBytes()
        var tracks: [(index: Int, timebase: Timebase, packets: [Packet])] = []
        if let video, let images {
            let index = try setup.addTrack(
                try images.format.parameters(), timebase: video.timebase, language: nil, title: nil,
                isDefault: true)
            tracks.append((index, video.timebase, images.packets))
        }
        if let audio, let sound {
            let timebase = Timebase(perSecond: audio.rate) ?? .seconds
            let index = try setup.addTrack(
                try sound.format.parameters(hasPriming: false), timebase: timebase, language: nil, title: nil,
                isDefault: true)
            tracks.append((index, timebase, sound.packets))
        }
        let scale = video.map { [("video_track_timescale", "\($0.timebase.denominator)")] } ?? []
        // The times of a fragment begin at its own, not at 0, and no edit list moves them.
        let muxer = try setup.begin(
            options: scale + [
                ("movflags", "empty_moov+default_base_moof+frag_custom+frag_discont+skip_trailer"),
                ("use_editlist", "0"),
            ])
        for track in tracks {
            let unit = muxer.timebase(of: track.index)
            for packet in track.packets {
                packet.track = track.index
                if unit != track.timebase {
                    packet.pts = packet.pts.map { unit.ticks(of: track.timebase.time(ofTicks: $0)).ticks }
                    packet.dts = packet.pts
                    packet.duration = unit.ticks(of: track.timebase.time(ofTicks: packet.duration)).ticks
                }
            }
        }
        for packet in PreviewSegment.interleaved(tracks.map { ($0.timebase, $0.packets) }) {
            try muxer.write(packet)
        }
        try muxer.finish()
    }

    /// The packets of all tracks, by their times.
    private static func interleaved(_ tracks: [(Timebase, [Packet])]) -> [Packet] {
        tracks.flatMap { timebase, packets in
            packets.map { (time: timebase.time(ofTicks: $0.dts ?? 0), packet: $0) }
        }
        .sorted { $0.time < $1.time }.map(\.packet)
    }
}

// Estimates the size of the index of a movie or Matroska file before anything is encoded; this many bytes are reserved before the
// media. Too little costs a second write of the media; too much wastes the bytes. Pure.
internal import Media
internal import MediaTime

/// Reserved space for an index.
enum IndexReserve {
    /// Bytes common to every movie and track.
    private static let movie = 2048, track = 1536
    /// A frame has a size (4), a composition offset (8) and often its own chunk (4); an audio packet has a size and, with the
    /// chunks between frames, about ten bytes more. Measured: 15 and 13 at 30 frames per second.
    private static let perFrame = 18.0, perPacket = 16.0

    /// A Matroska cue: a time, a track, two positions. One for each keyframe or audio cluster.
    private static let cue = 28.0
    /// Keyframes per second of copied video, and of encoded video with a longer interval: encoders insert extra ones.
    private static let keyframes = 2.0
    /// Codec delays and the SeekHead.
    private static let head = 512.0

    /// Container overhead in bytes that an output probably has; measured on mp4, and similar on Matroska.
    static func likely(_ plan: ExportPlan, length: Time) -> Int {
        let seconds = max(0, length.seconds)
        let rate = plan.video?.frameRate ?? plan.smartTrim?.track.video?.frameRate
        let video = plan.video == nil && plan.smartTrim == nil ? 0 : seconds * (rate?.value ?? 30) * 15
        let audio = plan.audio.reduce(0.0) { $0 + seconds * Double($1.sampleRate) / 1024 * 12 }
        return 1600 + plan.passthrough.bytesBeside + Int(video + audio)
    }

    /// Bytes for a plan of a given duration.
    static func bytes(_ plan: ExportPlan, length: Time) -> Int {
        let seconds = max(0, length.seconds)
        guard !plan.fileType.isMatroska else {
            let interval = plan.video?.settings.keyframeInterval.value ?? 1
            return Int(head + (seconds * max(keyframes, 2 / max(0.01, interval)) + 8) * cue)
        }
        var bytes = Double(movie + plan.chapters.count * 160)
        let tracks = plan.audio.count + (plan.video == nil && plan.smartTrim == nil ? 0 : 1)
        bytes += Double(plan.passthrough.headerBytes(tracks: tracks))
        let rate = plan.video?.frameRate ?? plan.smartTrim?.track.video?.frameRate
        if plan.video != nil || plan.smartTrim != nil {
            let isEven = plan.video?.isConstant ?? false
            let frames = seconds * (rate?.value ?? 60) + 8
            // Where durations differ, each has an additional 8-byte entry.
            bytes += Double(track) + frames * (isEven ? perFrame : perFrame + 8)
        }
        for audio in plan.audio {
            // The shortest common audio packets hold 960 samples.
            bytes += Double(track) + (seconds * Double(audio.sampleRate) / 960 + 8) * perPacket
        }
        return Int(bytes)
    }
}

// How many bytes the index of a movie or of Matroska will need, told before anything is encoded: what is kept free for it before the media.
// Too little costs a second writing of the media; too much costs that many bytes. Pure.
internal import Media
internal import MediaTime

/// Room for an index.
enum IndexReserve {
    /// Bytes for what every movie and track has.
    private static let movie = 2048, track = 1536
    /// A picture has a size (4), an offset of composition (8) and often a chunk of its own (4); a packet of sound a size, and
    /// with the chunks between pictures about ten bytes more. Measured: 15 and 13 at 30 frames a second.
    private static let picture = 18.0, sound = 16.0

    /// A cue of Matroska: a time, a track, two places. There is one for each keyframe, or cluster of sound.
    private static let cue = 28.0
    /// Keyframes a second of what is taken over, and encoded where the interval is longer: encoders add some of their own.
    private static let keyframes = 2.0
    /// What delays of codecs and the list of places take.
    private static let head = 512.0

    /// Bytes that a container is likely to have beside its packets; measured on mp4, and as much on Matroska.
    static func likely(_ plan: ExportPlan, length: Time) -> Int {
        let seconds = max(0, length.seconds)
        let rate = plan.video?.frameRate ?? plan.smartTrim?.track.video?.frameRate
        let pictures = plan.video == nil && plan.smartTrim == nil ? 0 : seconds * (rate?.value ?? 30) * 15
        let sounds = plan.audio.reduce(0.0) { $0 + seconds * Double($1.sampleRate) / 1024 * 12 }
        return 1600 + plan.passthrough.bytesBeside + Int(pictures + sounds)
    }

    /// Bytes for a plan of a length.
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
            // Where durations differ, each has an entry of eight bytes more.
            bytes += Double(track) + frames * (isEven ? picture : picture + 8)
        }
        for audio in plan.audio {
            // The shortest packets there are in films hold 960 samples.
            bytes += Double(track) + (seconds * Double(audio.sampleRate) / 960 + 8) * sound
        }
        return Int(bytes)
    }
}

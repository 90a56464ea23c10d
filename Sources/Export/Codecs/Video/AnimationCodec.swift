// QuickTime Animation: lossless; each key frame holds all its lines.
internal import Libav
internal import Media

/// Uses FFmpeg's encoder.
enum AnimationCodec: HeadTailCodec {
    static let names: Set<String> = ["qtrle"]

    /// Pixel formats that are encoded as decoded. Palettes cannot be joined: the container stores only one.
    private static let formats: Set<String> = ["rgb24", "argb"]

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        let format = headTail.track.video?.pixelFormat ?? "unknown"
        guard formats.contains(format) else {
            throw headTail.refused("its encoder does not take pixels of the format \(format)")
        }
        return HeadTailJoin(setup: headTail.quantised("qtrle"))
    }
}

// Head and tail of QuickTime Animation: FFmpeg's encoder; they are lossless.
internal import Codecs
internal import Libav
internal import Media

extension AnimationCodec: HeadTailCodec {
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

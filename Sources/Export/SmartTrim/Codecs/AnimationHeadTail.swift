// QuickTime Animation: each key frame holds all of its lines, and nothing is lost in any.
internal import Libav
internal import Media

/// FFmpeg's own encoder.
enum AnimationHeadTail: HeadTailCodec {
    static let names: Set<String> = ["qtrle"]

    /// Formats of pixels that are encoded as they are decoded. A palette cannot be joined: the container keeps one.
    private static let formats: Set<String> = ["rgb24", "argb"]

    static func join(_ edge: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin {
        let format = edge.track.video?.pixelFormat ?? "unknown"
        guard formats.contains(format) else {
            throw edge.refused("its encoder does not take pixels of the format \(format)")
        }
        return HeadTailJoin(setup: edge.quantised("qtrle"))
    }
}

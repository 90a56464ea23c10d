// VP8 and VP9: each key frame resets the decoder.
internal import Libav
internal import Media

/// Uses libvpx.
enum VPXHeadTail: HeadTailCodec {
    static let names: Set<String> = ["vp8", "vp9"]

    /// Constant quality.
    private static let quality = 16

    static func join(_ edge: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin {
        let track = edge.track
        if track.video?.hasAlpha == true { throw edge.refused("its frames have an alpha channel") }
        var setup = edge.common(track.codec == "vp8" ? "libvpx" : "libvpx-vp9")
        setup.hasGlobalHeader = false
        setup.keyframeInterval = HeadTailSetup.groupLength
        // For VP8 the average bit rate caps what the constant quality may use.
        if track.codec == "vp8" { setup.bitRate = max(2_000_000, setup.width * setup.height * 20) }
        // No reorder delay.
        setup.options = [
            ("deadline", "good"), ("cpu-used", "4"), ("crf", "\(quality)"), ("auto-alt-ref", "0"),
            ("lag-in-frames", "0"),
        ]
        if track.codec == "vp9" { setup.options.append(("row-mt", "1")) }
        return HeadTailJoin(setup: setup)
    }
}

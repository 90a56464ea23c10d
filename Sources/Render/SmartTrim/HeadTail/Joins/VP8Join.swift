// Head and tail of VP8: libvpx.
internal import Codecs
internal import Libav
internal import Media

extension VP8Codec: HeadTailCodec {
    static let keyframesHaveSizes = true

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        var setup = try headTail.libvpx("libvpx")
        // The average bit rate caps what the constant quality may use.
        setup.bitRate = max(2_000_000, setup.width * setup.height * 20)
        return HeadTailJoin(setup: setup)
    }
}

extension HeadTailSetup {
    /// Constant quality.
    private static let vpxQuality = 16

    /// Settings for an encoder of libvpx, without reorder delay.
    func libvpx(_ encoder: String) throws(MediaError) -> VideoEncoderSetup {
        var setup = common(encoder)
        if track.video?.hasAlpha == true {
            // It encodes alpha as a second stream, of eight bits at half the resolution of colours only.
            guard setup.pixelFormat == "yuv420p" else {
                throw refused("libvpx encodes an alpha channel beside yuv420p only, not \(setup.pixelFormat)")
            }
            setup.pixelFormat = "yuva420p"
        }
        setup.hasGlobalHeader = false
        setup.keyframeInterval = HeadTailSetup.groupLength
        setup.options = [
            ("deadline", "good"), ("cpu-used", "4"), ("crf", "\(HeadTailSetup.vpxQuality)"),
            ("auto-alt-ref", "0"), ("lag-in-frames", "0"),
        ]
        return setup
    }
}

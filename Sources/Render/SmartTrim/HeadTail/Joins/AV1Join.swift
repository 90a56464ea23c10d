// Head and tail of AV1: libaom at a fast preset. SVT-AV1 1.4 hangs when closed without a frame.
internal import Codecs
internal import Libav
internal import Media

extension AV1Codec: HeadTailCodec {
    /// Constant quality, 0 to 63: 51 dB; 16 gives 57 dB in twice the bytes.
    private static let quality = 28

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        var setup = headTail.common("libaom-av1")
        setup.hasGlobalHeader = false
        setup.keyframeInterval = HeadTailSetup.groupLength
        // libaom 3.6 crashes where it encodes one plane in its realtime usage.
        let usage = setup.pixelFormat.hasPrefix("gray") ? "good" : "realtime"
        // No reorder delay.
        setup.options = [
            ("usage", usage), ("cpu-used", usage == "good" ? "6" : "7"), ("crf", "\(quality)"),
            ("lag-in-frames", "0"), ("row-mt", "1"),
        ]
        return HeadTailJoin(setup: setup)
    }
}

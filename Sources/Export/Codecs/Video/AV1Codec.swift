// AV1: each key frame of head and tail carries its own sequence header, and so must copied ones.
internal import Libav
internal import Media

/// libaom at a fast preset. SVT-AV1 1.4 hangs when closed without a frame.
enum AV1Codec: HeadTailCodec {
    static let names: Set<String> = ["av1"]

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

    static func hasHeader(_ sample: [UInt8]) -> Bool { AV1Unit(sample[...]).hasSequenceHeader }

    static let needsOwnHeaders = true

    static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit {
        AccessUnit(randomAccess: AV1Unit(sample).isKey ? .closed : .none)
    }

    static func isNonShown(_ packet: Packet) -> Bool { AV1Unit.isNonShown(packet.bytes[...]) }

    static func isWhole(_ sample: [UInt8]) -> Bool { AV1Unit.isWhole(sample[...]) }

    static func levelText(_ level: Int32) -> String { "\(2 + level / 4).\(level % 4)" }
}

// AV1: each key frame of an end carries its own sequence header, and so must those that are copied.
internal import Libav
internal import Media

/// libaom, fast. SVT-AV1 1.4 never ends when it is closed without having been given a picture.
enum AV1HeadTail: HeadTailCodec {
    static let names: Set<String> = ["av1"]

    /// The constant quality, of 63: 51 dB, where 16 gives 57 in twice the bytes.
    private static let quality = 28

    static func join(_ edge: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin {
        var setup = edge.common("libaom-av1")
        setup.hasGlobalHeader = false
        setup.keyframeInterval = HeadTailSetup.groupLength
        // No picture is held back.
        setup.options = [
            ("usage", "realtime"), ("cpu-used", "7"), ("crf", "\(quality)"), ("lag-in-frames", "0"),
            ("row-mt", "1"),
        ]
        return HeadTailJoin(setup: setup)
    }

    static func hasHeader(_ sample: [UInt8]) -> Bool { AV1Unit(sample[...]).hasSequenceHeader }
}

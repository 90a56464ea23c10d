// VP8: each key frame resets the decoder; frames that are only references are packets of their own.
internal import Libav
internal import Media

/// Uses libvpx.
enum VP8Codec: HeadTailCodec {
    static let names: Set<String> = ["vp8"]
    static let keyframesHaveSizes = true

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        var setup = try headTail.libvpx("libvpx")
        // The average bit rate caps what the constant quality may use.
        setup.bitRate = max(2_000_000, setup.width * setup.height * 20)
        return HeadTailJoin(setup: setup)
    }

    static func isNonShown(_ packet: Packet) -> Bool { packet.withBytes { isNonShown($0) } }

    /// The same for a packet's bytes (RFC 6386, 9.1).
    static func isNonShown(_ bytes: Span<UInt8>) -> Bool { !bytes.isEmpty && bytes[0] & 16 == 0 }

    /// RFC 6386, 9.1.
    static func isWhole(_ sample: [UInt8]) -> Bool {
        guard sample.count >= 3 else { return sample.isEmpty }
        let isKey = sample[0] & 1 == 0
        let first = (Int(sample[0]) | Int(sample[1]) << 8 | Int(sample[2]) << 16) >> 5
        guard first <= sample.count - (isKey ? 10 : 3) else { return false }
        return !isKey || Array(sample[3..<6]) == [0x9D, 0x01, 0x2A]
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

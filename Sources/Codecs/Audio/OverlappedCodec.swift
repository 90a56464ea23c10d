// Codecs of which only one rule is known: packets overlap, or nothing is lost.

/// Packets overlap by one.
package enum OverlappedCodec: AudioCodec {
    package static let names: Set<String> = ["wmav1", "wmav2", "wmapro", "dts"]

    package static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { packet }
}

/// Lossless codecs for which there is no encoder, and TTA, whose decoder needs the length of the last packet in the header, which
/// Matroska's was written without. FLAC takes their place where packets, which may be seconds long, cannot be cut.
package enum LosslessCodec: AudioCodec {
    package static let names: Set<String> = ["ape", "tta", "wmalossless"]
    package static let isLossless = true
    package static let isEncodedAtCuts = true
    package static let reuse = FLACCodec.reuse
    /// TTA in a file of its own, whose header has the number of samples.
    package static let trueAudio = AudioReuse(codec: "tta", encoder: "tta")
}

/// WavPack. Packets are half a second long.
package enum WavPackCodec: AudioCodec {
    package static let names: Set<String> = ["wavpack"]
    package static let isLossless = true
    package static let isEncodedAtCuts = true
    package static let reuse = AudioReuse(codec: "wavpack", encoder: "wavpack")

    /// The header of a packet's first block (WavPack 4 & 5 binary file format): "wvpk", and from byte 20 the samples of the block.
    package static func samples(in packet: [UInt8]) -> Int64? {
        guard packet.count >= 24, packet.starts(with: Array("wvpk".utf8)) else { return nil }
        return (0..<4).reduce(Int64(0)) { $0 | Int64(packet[20 + $1]) << Int64(8 * $1) }
    }
}

/// Uncompressed audio.
package enum PCMCodec: AudioCodec {
    package static let names: Set<String> = []
    package static let isLossless = true
    package static let staysUnread = true
}

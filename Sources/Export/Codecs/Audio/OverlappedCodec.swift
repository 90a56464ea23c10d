// Codecs of which only one rule is known: packets overlap, or nothing is lost.

/// Packets overlap by one.
enum OverlappedCodec: AudioCodec {
    static let names: Set<String> = ["wmav2", "dts"]

    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { packet }
}

/// Lossless codecs without rules of their own.
enum LosslessCodec: AudioCodec {
    static let names: Set<String> = ["tta", "wavpack", "ape", "wmalossless"]
    static let isLossless = true
}

/// Uncompressed audio.
enum PCMCodec: AudioCodec {
    static let names: Set<String> = []
    static let isLossless = true
}

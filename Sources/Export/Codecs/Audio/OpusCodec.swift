// Opus: decoders converge within 80 ms.

/// Opus.
enum OpusCodec: AudioCodec {
    static let names: Set<String> = ["opus"]
    static let declaresPadding = true
    static let isEncodedAtCuts = true
    static let reuse = AudioReuse(codec: "opus", encoder: "libopus", highestBitRate: 256_000)

    /// RFC 7845, 4.6: 80 ms.
    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { Int64(rate) * 8 / 100 }
}

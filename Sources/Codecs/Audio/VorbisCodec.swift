// Vorbis: packets overlap, so the first one gives no samples.

/// Vorbis.
enum VorbisCodec: AudioCodec {
    static let names: Set<String> = ["vorbis"]
    static let beginsSilent = true
    static let reuse = AudioReuse(codec: "vorbis", encoder: "libvorbis", highestBitRate: 256_000)

    static func isWhole(_ packet: [UInt8]) -> Bool { packet.first.map { $0 & 1 == 0 } ?? false }
    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { packet }
}

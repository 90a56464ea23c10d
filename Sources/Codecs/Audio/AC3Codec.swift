// AC-3 and E-AC-3.

/// AC-3, whose frames have checksums.
enum AC3Codec: AudioCodec {
    static let names: Set<String> = ["ac3"]
    static let reuse = AudioReuse(codec: "ac3", encoder: "ac3", highestBitRate: 640_000)

    static func isWhole(_ packet: [UInt8]) -> Bool { packet.starts(with: [0x0B, 0x77]) }

    static func checksumHolds(_ packet: [UInt8]) -> Bool? {
        isWhole(packet) ? Checksum.ansi16.holds(packet[2...]) : nil
    }

    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { packet }
}

/// E-AC-3.
enum EAC3Codec: AudioCodec {
    static let names: Set<String> = ["eac3"]
    static let reuse = AudioReuse(codec: "eac3", encoder: "eac3", highestBitRate: 1_024_000)

    static func isWhole(_ packet: [UInt8]) -> Bool { AC3Codec.isWhole(packet) }
    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { packet }
}

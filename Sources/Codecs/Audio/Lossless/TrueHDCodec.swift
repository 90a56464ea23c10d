// TrueHD and MLP: lossless; decoding begins at a major sync.

/// Meridian Lossless Packing.
enum MLPCodec: AudioCodec {
    static let names: Set<String> = ["mlp"]
    static let isLossless = true
    static let beginsWithMajorSync = true

    /// A major sync occurs at least every 128 access units.
    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { packet * 128 }
}

/// Dolby TrueHD.
enum TrueHDCodec: AudioCodec {
    static let names: Set<String> = ["truehd"]
    static let isLossless = true
    static let beginsWithMajorSync = true

    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 {
        MLPCodec.preroll(profile: profile, packet: packet, rate: rate)
    }
}

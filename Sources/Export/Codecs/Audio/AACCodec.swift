// AAC: packets overlap by one; spectral band replication needs more.

/// AAC of all profiles.
enum AACCodec: AudioCodec {
    static let names: Set<String> = ["aac"]
    static let declaresPadding = true
    static let hasGaplessNote = true

    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 {
        packet * (profile?.hasPrefix("HE") == true ? 3 : 1)
    }
}

// FLAC: lossless; each frame has checksums and its number.
internal import Media

/// FLAC.
enum FLACCodec: AudioCodec {
    static let names: Set<String> = ["flac"]
    static let isLossless = true
    static let canShorten = true
    static let isEncodedAtCuts = true
    static let reuse = AudioReuse(codec: "flac", encoder: "flac")

    static func checksumHolds(_ packet: [UInt8]) -> Bool? { Checksum.ansi16.holds(packet[...]) }

    static func isCodedAlike(_ track: Track, _ header: [UInt8], deepest: Int) -> Bool {
        guard let format = track.audio, let bits = format.storedBits ?? format.bits else { return false }
        return [16, 24, 32].contains(bits) && bits <= deepest
    }

    static func shortened(_ made: [UInt8], inPlaceOf old: [UInt8]) -> [UInt8]? {
        guard let old = FLACFrame(old), let new = FLACFrame(made) else { return nil }
        return new.inPlace(of: old)
    }
}

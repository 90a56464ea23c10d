// ALAC: lossless; the magic cookie says how packets are coded.
internal import Media

/// Apple Lossless.
enum ALACCodec: AudioCodec {
    static let names: Set<String> = ["alac"]
    static let isLossless = true
    static let staysUnread = true
    static let canShorten = true
    static let reuse = AudioReuse(codec: "alac", encoder: "alac")

    /// The magic cookie: size, type, version, samples per packet, then the parameters of the entropy coder.
    static func isCodedAlike(_ track: Track, _ header: [UInt8], deepest: Int) -> Bool {
        guard header.count >= 24 else { return false }
        return [16, 24].contains(header[17]) && Array(header[18..<21]) == [40, 10, 14]
    }
}

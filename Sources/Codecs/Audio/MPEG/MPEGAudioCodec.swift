// MPEG audio, layers I to III.

/// MP1, MP2 and MP3.
enum MPEGAudioCodec: AudioCodec {
    static let names: Set<String> = ["mp1", "mp2", "mp3"]
    static let movieName: String? = "mp3"
    /// FFmpeg's demuxer also returns the data after the last frame.
    static let hasFrameHeaders = true
    static let declaresPadding = true
    static let reuse = AudioReuse(codec: "mp3", encoder: "libmp3lame", highestBitRate: 320_000)

    static func isWhole(_ packet: [UInt8]) -> Bool {
        packet.count >= 4 && packet[0] == 0xFF && packet[1] & 0xE0 == 0xE0
    }

    /// The bit reservoir reaches up to 511 bytes back, several packets at low rates.
    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { packet * 10 }
}

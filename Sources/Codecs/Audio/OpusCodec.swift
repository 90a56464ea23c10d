// Opus: decoders converge within 80 ms. The header states the samples to skip, packets their length.

/// Opus.
package enum OpusCodec: AudioCodec {
    package static let names: Set<String> = ["opus"]
    package static let declaresPadding = true
    package static let isEncodedAtCuts = true
    /// RFC 9559, 12.4: the pre-skip is a CodecDelay, in Matroska and WebM.
    package static let hasCodecDelay = true
    package static let reuse = AudioReuse(codec: "opus", encoder: "libopus", highestBitRate: 256_000)

    /// RFC 7845, 4.6: 80 ms.
    package static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { Int64(rate) * 8 / 100 }

    /// RFC 6716, 3.1 and 3.2: at 48 kHz.
    package static func samples(in packet: [UInt8]) -> Int64? {
        guard let first = packet.first else { return nil }
        let mode = Int(first >> 3)
        let frame =
            switch mode {
            case 0..<12: [480, 960, 1920, 2880][mode & 3]
            case 12..<16: [480, 960][mode & 1]
            default: [120, 240, 480, 960][mode & 3]
            }
        switch first & 3 {
        case 0: return Int64(frame)
        case 1, 2: return Int64(frame * 2)
        default: return packet.count > 1 ? Int64(frame * Int(packet[1] & 63)) : nil
        }
    }

    /// RFC 7845, 5.1: the pre-skip is the number at byte 10.
    package static func header(_ header: [UInt8], skipping samples: Int64) -> [UInt8]? {
        guard header.count >= 19, header.starts(with: Array("OpusHead".utf8)),
            let count = UInt16(exactly: samples)
        else { return nil }
        var header = header
        (header[10], header[11]) = (UInt8(count & 255), UInt8(count >> 8))
        return header
    }
}

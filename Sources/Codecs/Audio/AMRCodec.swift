// AMR (3GPP TS 26.101 and 26.201).

/// AMR, narrow and wide.
package enum AMRCodec: AudioCodec {
    package static let names: Set<String> = ["amr_nb", "amr_wb"]

    /// Whether a codec is the wide one; nil: it is neither.
    package static func isWide(_ codec: String) -> Bool? { names.contains(codec) ? codec == "amr_wb" : nil }

    /// Samples of a frame.
    package static func frameLength(isWide: Bool) -> Int64 { isWide ? 320 : 160 }

    /// The bytes of each frame of a packet, of which samples of movies may have several (3GPP TS 26.244, 6.6) and FFmpeg's muxer takes
    /// one; nil where the packet is one frame, or not made of frames.
    package static func frames(of packet: [UInt8], isWide: Bool) -> [Range<Int>]? {
        let sizes = isWide ? wide : narrow
        var frames: [Range<Int>] = []
        var at = 0
        while at < packet.count {
            let size = sizes[Int(packet[at] >> 3 & 15)]
            guard size > 0, size <= packet.count - at, frames.count < most else { return nil }
            frames.append(at..<(at + size))
            at += size
        }
        return frames.count > 1 ? frames : nil
    }

    /// More frames are in no sample: a movie gives their number in a byte (3GPP TS 26.244, 6.7).
    private static let most = 255
    /// Bytes of a frame by its type, with its first byte; 0: there is no such type.
    private static let narrow = [13, 14, 16, 18, 20, 21, 27, 32, 6, 7, 6, 6, 0, 0, 0, 1]
    private static let wide = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]
}

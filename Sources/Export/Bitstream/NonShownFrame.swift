// Detects VP8 and VP9 packets whose frame is only a reference and never shown, by their headers (RFC 6386, 9.1; VP9 Bitstream &
// Decoding Process Specification, 6.1 and annex B). Pure.
internal import Libav

/// Checks packets of one codec.
enum NonShownFrame {
    /// Whether decoding a packet shows nothing. False for all other codecs, and where unknown.
    static func isIn(_ packet: Packet, codec: String) -> Bool {
        guard codec == "vp8" || codec == "vp9" else { return false }
        return packet.withBytes { isIn($0, codec: codec) }
    }

    /// The same for a packet's bytes.
    static func isIn(_ bytes: Span<UInt8>, codec: String) -> Bool {
        guard !bytes.isEmpty else { return false }
        let (first, last) = (bytes[0], bytes[bytes.count - 1])
        if codec == "vp8" { return first & 16 == 0 }
        // The last frame of a superframe is shown. A frame begins with the bits 10.
        guard codec == "vp9", first >> 6 == 2, last & 0xE0 != 0xC0 else { return false }
        // Two profile bits, the low one first, and one more for profile 3; then show_existing_frame, frame_type and show_frame.
        let rest = first << (first >> 4 & 3 == 3 ? 5 : 4)
        if rest & 128 != 0 { return false }
        // In profile 3, show_frame is the first byte's last bit; otherwise the one before.
        return rest & 32 == 0
    }
}

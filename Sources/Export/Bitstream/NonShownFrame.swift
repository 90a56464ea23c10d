// Packets of VP8 and VP9 whose picture is only referred to, never shown: told by their headers (RFC 6386, 9.1; VP9
// Bitstream & Decoding Process Specification, 6.1 and annex B). Pure.
internal import Libav

/// Judges packets of one codec.
enum NonShownFrame {
    /// Whether nothing is shown when a packet is decoded. False for all other codecs, and for what cannot be told.
    static func isIn(_ packet: Packet, codec: String) -> Bool {
        guard codec == "vp8" || codec == "vp9" else { return false }
        return packet.withBytes { isIn($0, codec: codec) }
    }

    /// The same of a packet's bytes.
    static func isIn(_ bytes: Span<UInt8>, codec: String) -> Bool {
        guard !bytes.isEmpty else { return false }
        let (first, last) = (bytes[0], bytes[bytes.count - 1])
        if codec == "vp8" { return first & 16 == 0 }
        // The last picture of a superframe is shown. A frame begins with the bits 10.
        guard codec == "vp9", first >> 6 == 2, last & 0xE0 != 0xC0 else { return false }
        // Two bits of the profile, the low one first, and one more where it is 3; then show_existing_frame, frame_type and
        // show_frame.
        let rest = first << (first >> 4 & 3 == 3 ? 5 : 4)
        if rest & 128 != 0 { return false }
        // Of profile 3, show_frame is the first byte's last bit; otherwise the one before.
        return rest & 32 == 0
    }
}

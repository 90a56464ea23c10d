// VP9: each key frame resets the decoder; frames that are only references are in superframes or packets of their own.

/// VP9.
package enum VP9Codec: VideoCodec {
    package static let names: Set<String> = ["vp9"]
    package static let joiner: String? = "vp9_superframe"

    /// VP9 Bitstream & Decoding Process Specification, 6.1 and annex B.
    package static func isNonShown(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        let (first, last) = (bytes[0], bytes[bytes.count - 1])
        // The last frame of a superframe is shown. A frame begins with the bits 10.
        guard first >> 6 == 2, last & 0xE0 != 0xC0 else { return false }
        // Two profile bits, the low one first, and one more for profile 3; then show_existing_frame, frame_type and show_frame.
        let rest = first << (first >> 4 & 3 == 3 ? 5 : 4)
        if rest & 128 != 0 { return false }
        // In profile 3, show_frame is the first byte's last bit; otherwise the one before.
        return rest & 32 == 0
    }

    package static func isWhole(_ sample: [UInt8]) -> Bool { sample.first.map { $0 >> 6 == 2 } ?? false }

    package static func levelText(_ level: Int32) -> String { "\(level / 10).\(level % 10)" }
}

// VP8: each key frame resets the decoder; frames that are only references are packets of their own.

/// VP8.
package enum VP8Codec: VideoCodec {
    package static let names: Set<String> = ["vp8"]

    /// RFC 6386, 9.1.
    package static func isNonShown(_ bytes: Span<UInt8>) -> Bool { !bytes.isEmpty && bytes[0] & 16 == 0 }

    /// RFC 6386, 9.1.
    package static func isWhole(_ sample: [UInt8]) -> Bool {
        guard sample.count >= 3 else { return sample.isEmpty }
        let isKey = sample[0] & 1 == 0
        let first = (Int(sample[0]) | Int(sample[1]) << 8 | Int(sample[2]) << 16) >> 5
        guard first <= sample.count - (isKey ? 10 : 3) else { return false }
        return !isKey || Array(sample[3..<6]) == [0x9D, 0x01, 0x2A]
    }
}

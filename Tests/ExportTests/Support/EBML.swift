// Elements of Matroska, written by hand: for what no muxer writes.

/// An element with its content.
func element(_ id: UInt32, _ body: [UInt8], isOpen: Bool = false) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: id >> (24 - 8 * UInt32($0))) }.drop { $0 == 0 }
    let size = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(body.count) >> (56 - 8 * UInt64($0))) }
    // A size of ones alone says that nobody knows.
    return bytes + (isOpen ? [0x01] + [UInt8](repeating: 255, count: 7) : [0x01] + size.dropFirst()) + body
}

/// A WebM file of one picture of VP8, whatever its bytes are.
struct HandmadeWebM {
    var isEncrypted = false
    /// Nobody went back to write how long the segment is.
    var isOpen = false

    var bytes: [UInt8] {
        let encryption = element(
            0x5035, element(0x47E1, [5]) + element(0x47E2, [UInt8](repeating: 7, count: 16)))
        let encodings = element(0x6D80, element(0x6240, element(0x5033, [1]) + encryption))
        let video = element(0xE0, element(0xB0, [64]) + element(0xBA, [48]))
        let track = element(
            0xAE,
            element(0xD7, [1]) + element(0x73C5, [1]) + element(0x83, [1])
                + element(0x86, Array("V_VP8".utf8))
                + video + (isEncrypted ? encodings : []))
        let pictures = (0..<3).flatMap { number in
            element(0xA3, [0x81, 0, UInt8(40 * number), 0x80] + [UInt8](repeating: 0x5A, count: 100))
        }
        let cluster = element(0x1F43_B675, element(0xE7, [0]) + pictures)
        return element(0x1A45_DFA3, element(0x4282, Array("webm".utf8)))
            + element(
                0x1853_8067,
                element(0x1549_A966, element(0x2AD7B1, [0x0F, 0x42, 0x40])) + element(0x1654_AE6B, track)
                    + cluster,
                isOpen: isOpen)
    }
}

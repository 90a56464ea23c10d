// Elements of Matroska, written by hand: for what no muxer writes.

/// An element with its content.
func element(_ id: UInt32, _ body: [UInt8], isOpen: Bool = false) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: id >> (24 - 8 * UInt32($0))) }.drop { $0 == 0 }
    let size = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(body.count) >> (56 - 8 * UInt64($0))) }
    // A size of ones alone says that nobody knows.
    return bytes + (isOpen ? [0x01] + [UInt8](repeating: 255, count: 7) : [0x01] + size.dropFirst()) + body
}

/// A WebM file with one VP8 frame of any bytes.
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
        let blocks = (0..<3).flatMap { number in
            element(0xA3, [0x81, 0, UInt8(40 * number), 0x80] + [UInt8](repeating: 0x5A, count: 100))
        }
        let cluster = element(0x1F43_B675, element(0xE7, [0]) + blocks)
        return element(0x1A45_DFA3, element(0x4282, Array("webm".utf8)))
            + element(
                0x1853_8067,
                element(0x1549_A966, element(0x2AD7B1, [0x0F, 0x42, 0x40])) + element(0x1654_AE6B, track)
                    + cluster,
                isOpen: isOpen)
    }
}

/// A Matroska file of small clusters with its index behind them, as FFmpeg lays it out.
struct HandmadeMatroska {
    var clusters: Int
    /// Bytes of the one block of each cluster.
    var size: Int
    /// Bytes of room in the head.
    var fill: Int
    /// The index leads a byte too far.
    var isWrong = false

    /// An element whose length is written in as few bytes as hold it.
    private func short(_ id: UInt32, _ body: [UInt8]) -> [UInt8] {
        let name = (0..<4).map { UInt8(truncatingIfNeeded: id >> (24 - 8 * UInt32($0))) }.drop { $0 == 0 }
        let size =
            body.count < 127
            ? [0x80 | UInt8(body.count)] : [0x40 | UInt8(body.count >> 8), UInt8(body.count & 255)]
        return name + size + body
    }

    /// A number in as few bytes as hold it.
    private func number(_ value: Int) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }.drop { $0 == 0 }
        return bytes.isEmpty ? [0] : Array(bytes)
    }

    var bytes: [UInt8] {
        let video = short(0xE0, short(0xB0, [64]) + short(0xBA, [48]))
        let track = short(
            0xAE,
            short(0xD7, [1]) + short(0x73C5, [1]) + short(0x83, [1]) + short(0x86, Array("V_VP8".utf8))
                + video)
        let facts = short(0x1549_A966, short(0x2AD7B1, [0x0F, 0x42, 0x40])) + short(0x1654_AE6B, track)
        let wide: [(id: UInt32, offset: Int)] = [(0x1549_A966, 0), (0x1654_AE6B, 0), (0x1C53_BB6B, 0)]
        func list(_ offsets: [(id: UInt32, offset: Int)]) -> [UInt8] {
            short(
                0x114D_9B74,
                offsets.flatMap { entry in
                    let offset = (0..<8).map { UInt8(truncatingIfNeeded: entry.offset >> (56 - 8 * $0)) }
                    return short(0x4DBB, short(0x53AB, id(entry.id)) + short(0x53AC, offset))
                })
        }
        let room = fill < 2 ? [] : short(0xEC, [UInt8](repeating: 0, count: fill))
        let first = list(wide).count
        let media = (0..<clusters).map { at in
            short(
                0x1F43_B675,
                short(0xE7, number(at * 40))
                    + short(0xA3, [0x81, 0, 0, 0x80] + [UInt8](repeating: 0x5A, count: size)))
        }
        var offset = first + facts.count + room.count
        var cues: [UInt8] = []
        for (at, cluster) in media.enumerated() {
            let spot = short(0xF7, [1]) + short(0xF1, number(offset + (isWrong ? 1 : 0)))
            cues += short(0xBB, short(0xB3, number(at * 40)) + short(0xB7, spot))
            offset += cluster.count
        }
        let head = list([
            (0x1549_A966, first), (0x1654_AE6B, first + (facts.count - short(0x1654_AE6B, track).count)),
            (0x1C53_BB6B, offset),
        ])
        return element(0x1A45_DFA3, short(0x4282, Array("matroska".utf8)))
            + element(0x1853_8067, head + facts + room + media.flatMap(\.self) + short(0x1C53_BB6B, cues))
    }

    private func id(_ name: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: name >> (24 - 8 * UInt32($0))) }
    }
}

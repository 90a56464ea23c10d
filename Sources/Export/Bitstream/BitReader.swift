// Reads bits of a NAL unit's payload, without the bytes that keep start codes out of it. Pure; beyond the end all is 0, and
// `isBeyond` says so.

/// A reader of bits, most significant first.
struct BitReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    /// - Parameter unit: a NAL unit's bytes after its header, with emulation prevention.
    init(_ unit: some Sequence<UInt8>) {
        var plain: [UInt8] = []
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            plain.append(byte)
        }
        bytes = plain
    }

    /// More was read than there is.
    var isBeyond: Bool { position > bytes.count * 8 }

    /// There is more than the stop bit and what fills the last byte.
    var hasMore: Bool {
        guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return false }
        return position < last * 8 + 7 - bytes[last].trailingZeroBitCount
    }

    mutating func bit() -> Bool {
        defer { position += 1 }
        guard position < bytes.count * 8 else { return false }
        return bytes[position / 8] >> (7 - position % 8) & 1 == 1
    }

    /// An unsigned number of at most 32 bits.
    mutating func bits(_ count: Int) -> Int { (0..<count).reduce(0) { value, _ in value << 1 | (bit() ? 1 : 0) } }

    /// An unsigned Exp-Golomb number.
    mutating func ue() -> Int {
        var zeros = 0
        while zeros < 32, !isBeyond, !bit() { zeros += 1 }
        return (1 << zeros) - 1 + bits(zeros)
    }

    /// A signed Exp-Golomb number.
    mutating func se() -> Int {
        let value = ue()
        return value % 2 == 1 ? value / 2 + 1 : -(value / 2)
    }
}

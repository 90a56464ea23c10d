// Reads bit fields of headers.

/// Reads bits, most significant first. Past the end it returns zeros and sets `isDamaged`.
struct BitReader {
    private let bytes: [UInt8]
    /// Number of bits read.
    private(set) var position = 0
    /// A read went past the end, or a number was invalid.
    private(set) var isDamaged = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Number of remaining bits, including trailing ones.
    var left: Int { bytes.count * 8 - position }

    mutating func bit() -> Bool {
        guard position < bytes.count * 8 else {
            isDamaged = true
            return false
        }
        defer { position += 1 }
        return bytes[position >> 3] >> UInt8(7 - position & 7) & 1 == 1
    }

    /// Reads an unsigned number of 0 to 32 bits.
    mutating func bits(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 1 | (bit() ? 1 : 0) }
        return value
    }

    mutating func skip(_ count: Int) {
        if count > left { isDamaged = true }
        position += Swift.max(0, Swift.min(count, left))
    }

    /// Reads an unsigned Exp-Golomb number, ue(v): 0 to 2^32 - 2.
    mutating func ue() -> Int {
        var zeros = 0
        while !bit() {
            zeros += 1
            guard zeros <= 32, !isDamaged else {
                isDamaged = true
                return 0
            }
        }
        return (1 << zeros) - 1 + bits(zeros)
    }

    /// Reads a signed Exp-Golomb number, se(v).
    mutating func se() -> Int {
        let code = ue()
        return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
    }

    /// Whether bits precede the stop bit (more_rbsp_data).
    var hasMoreData: Bool {
        guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return false }
        return position < last * 8 + 7 - bytes[last].trailingZeroBitCount
    }
}

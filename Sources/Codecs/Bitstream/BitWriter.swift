// Writes bit fields of headers.

/// Writes bits, most significant first.
struct BitWriter {
    /// The bytes written; the last one is padded with zeros.
    private(set) var bytes: [UInt8] = []
    /// Number of bits written.
    private(set) var count = 0

    mutating func bit(_ value: Bool) {
        if count & 7 == 0 { bytes.append(0) }
        if value { bytes[count >> 3] |= 0x80 >> UInt8(count & 7) }
        count += 1
    }

    /// Writes the lowest bits of a number.
    mutating func bits(_ value: Int, _ count: Int) {
        for shift in (0..<count).reversed() { bit(value >> shift & 1 == 1) }
    }

    /// Writes an unsigned Exp-Golomb number, ue(v); negative ones count as 0.
    mutating func ue(_ value: Int) {
        let code = Swift.max(0, Swift.min(value, Int(UInt32.max) - 1)) + 1
        let length = Int.bitWidth - code.leadingZeroBitCount
        bits(0, length - 1)
        bits(code, length)
    }

    /// Writes a signed Exp-Golomb number, se(v).
    mutating func se(_ value: Int) { ue(value > 0 ? 2 * value - 1 : -2 * value) }

    /// Writes all remaining bits of a reader, including its stop bit, and zeros to the end of the byte.
    mutating func rest(of reader: BitReader) {
        var reader = reader
        while reader.hasMoreData { bit(reader.bit()) }
        bit(true)
    }
}

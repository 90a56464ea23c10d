// The emulation prevention bytes 03, which keep start codes out of NAL units.

/// Removes emulation prevention bytes from a NAL unit and inserts them.
package enum EmulationPrevention {
    /// The payload of a NAL unit.
    /// - Parameter limit: maximum number of bytes returned; headers are at the start of long slices.
    package static func unescape(_ unit: ArraySlice<UInt8>, limit: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Swift.min(unit.count, limit))
        var zeros = 0
        for byte in unit {
            if bytes.count >= limit { break }
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        return bytes
    }

    /// A NAL unit without trailing zeros. None ends in zero: they belong to the next start code, and FFmpeg's movie muxer leaves
    /// them on sets that precede a 4-byte start code.
    package static func trimmed(_ unit: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = unit.lastIndex(where: { $0 != 0 }) else { return unit.prefix(0) }
        return unit.prefix(through: last)
    }

    /// The NAL unit of a payload.
    package static func escape(_ payload: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var zeros = 0
        for byte in payload {
            if zeros >= 2, byte <= 3 {
                bytes.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        // A payload that ends in zeros (cabac_zero_words) would lose them to the next start code.
        if zeros > 0 { bytes.append(3) }
        return bytes
    }
}

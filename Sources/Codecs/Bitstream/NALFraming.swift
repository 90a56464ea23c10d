// How the NAL units of a packet are delimited, and conversion between the formats.

/// Delimits the NAL units of a packet.
package enum NALFraming: Equatable, Sendable {
    /// A big-endian length of this many bytes (1, 2 or 4) before each unit: MP4, QuickTime, Matroska.
    case lengthPrefixed(Int)
    /// A start code 00 00 01 before each unit: transport streams and raw files.
    case annexB

    /// Joins NAL units in this framing.
    /// - Returns: nil if a unit is too long for its length field.
    package func join(_ units: some Sequence<ArraySlice<UInt8>>) -> [UInt8]? {
        var bytes: [UInt8] = []
        for unit in units {
            switch self {
            case .annexB: bytes += [0, 0, 0, 1]
            case .lengthPrefixed(let size):
                guard (1...4).contains(size), UInt64(unit.count) < UInt64(1) << UInt64(8 * size) else {
                    return nil
                }
                for byte in (0..<size).reversed() {
                    bytes.append(UInt8(truncatingIfNeeded: unit.count >> (8 * byte)))
                }
            }
            bytes += unit
        }
        return bytes
    }

    /// Converts a packet of this framing to another.
    /// - Returns: nil if the packet is damaged or a unit is too long for the other framing.
    package func convert(_ packet: ArraySlice<UInt8>, to other: NALFraming) -> [UInt8]? {
        let units = NALUnits(packet, framing: self)
        return units.isWhole ? other.join(units) : nil
    }
}

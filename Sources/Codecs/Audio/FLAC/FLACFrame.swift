// The header of a FLAC frame (RFC 9639, 9.1): its number, and the checksums of header and frame.

/// A parsed FLAC frame.
struct FLACFrame {
    /// Sync code, blocking strategy, sizes and rates: four bytes.
    private let start: ArraySlice<UInt8>
    /// The coded number of the frame or of its first sample.
    private let number: ArraySlice<UInt8>
    /// Uncommon block size and sample rate.
    private let more: ArraySlice<UInt8>
    /// The subframes.
    private let body: ArraySlice<UInt8>

    /// Parses a frame; nil if it is invalid.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 8, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8 else { return nil }
        let ones = (~bytes[4]).leadingZeroBitCount
        // The first byte's leading ones give the length of the number in bytes, as in UTF-8: no leading one means one byte.
        let length = ones == 0 ? 1 : ones
        guard ones != 1, length <= 7 else { return nil }
        var extra = 0
        switch bytes[2] >> 4 {
        case 6: extra += 1
        case 7: extra += 2
        default: break
        }
        switch bytes[2] & 15 {
        case 12: extra += 1
        case 13, 14: extra += 2
        default: break
        }
        let end = 4 + length + extra
        guard bytes.count > end + 3 else { return nil }
        start = bytes[0..<4]
        number = bytes[4..<4 + length]
        more = bytes[4 + length..<end]
        body = bytes[(end + 1)..<(bytes.count - 2)]
    }

    /// This frame's audio with the position of another frame.
    func inPlace(of other: FLACFrame) -> [UInt8] {
        var bytes = [start[start.startIndex], other.start[other.start.startIndex + 1]] + start.dropFirst(2)
        bytes += other.number + more
        bytes.append(UInt8(truncatingIfNeeded: Checksum.atm8.of(bytes[...])))
        bytes += body
        let sum = Checksum.ansi16.of(bytes[...])
        return bytes + [UInt8(sum >> 8), UInt8(sum & 255)]
    }
}

// Checksums that codecs put into their samples. Pure.
internal import CFFmpeg

/// A checksum of a codec: over a sample and its checksum it is 0.
public enum Checksum: Sendable {
    /// Of 32 bits: FFV1's slices.
    case ieee32
    /// Of 16 bits: AC-3's and FLAC's frames.
    case ansi16

    /// Whether bytes that end in their checksum are what they were.
    public func holds(_ bytes: ArraySlice<UInt8>) -> Bool {
        let table = unsafe av_crc_get_table(self == .ieee32 ? AV_CRC_32_IEEE : AV_CRC_16_ANSI)
        return unsafe bytes.withUnsafeBufferPointer { unsafe av_crc(table, 0, $0.baseAddress, $0.count) } == 0
    }
}

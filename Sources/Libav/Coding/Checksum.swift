// Checksums that codecs store in their samples. Pure.
internal import CFFmpeg

/// A codec's checksum: over a sample including its checksum it is 0.
public enum Checksum: Sendable {
    /// 32 bits: FFV1 slices.
    case ieee32
    /// 16 bits: AC-3 and FLAC frames.
    case ansi16
    /// 8 bits: headers of FLAC frames.
    case atm8

    /// Continues a checksum over further bytes.
    public func updated(_ sum: UInt32, over bytes: [UInt8]) -> UInt32 {
        let table = unsafe av_crc_get_table(kind)
        return unsafe bytes.withUnsafeBufferPointer {
            unsafe av_crc(table, sum, $0.baseAddress, $0.count)
        }
    }

    /// Whether bytes that end in their checksum are intact.
    public func holds(_ bytes: ArraySlice<UInt8>) -> Bool {
        let table = unsafe av_crc_get_table(kind)
        return unsafe bytes.withUnsafeBufferPointer { unsafe av_crc(table, 0, $0.baseAddress, $0.count) } == 0
    }

    private var kind: AVCRCId {
        switch self {
        case .ieee32: AV_CRC_32_IEEE
        case .ansi16: AV_CRC_16_ANSI
        case .atm8: AV_CRC_8_ATM
        }
    }
}

// Numbers of boxes are big-endian.

/// Big-endian numbers in bytes.
public enum BigEndian {
    /// The unsigned number in these bytes; of more than eight, the last eight count.
    public static func value(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The last `width` bytes of a number.
    public static func bytes(_ value: some FixedWidthInteger, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
    }
}

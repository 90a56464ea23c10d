// The slices of an FFV1 frame (RFC 9043, 4.9). Pure.

/// The slices of an FFV1 frame, found from their trailers: the size in three bytes and, where they are checked, a status byte and
/// a four-byte checksum (RFC 9043, 4.9).
package struct FFV1Slices {
    private let bytes: [UInt8]
    package private(set) var ranges: [Range<Int>] = []

    /// The slices that fill a sample; nil if none do.
    package init?(_ bytes: [UInt8], areChecked: Bool) {
        self.bytes = bytes
        let tail = areChecked ? 8 : 3
        var end = bytes.count
        while end >= tail {
            let size = bytes[(end - tail)..<(end - tail + 3)].reduce(0) { $0 << 8 | Int($1) }
            guard size + tail <= end else { return nil }
            ranges.append((end - tail - size)..<end)
            end -= size + tail
        }
        guard end == 0, !ranges.isEmpty else { return nil }
    }

    /// All checksums match.
    package var areWhole: Bool { ranges.allSatisfy { Checksum.ieee32.holds(bytes[$0]) } }
}

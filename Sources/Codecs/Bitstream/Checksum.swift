// Checksums that codecs store in their samples. Pure.

/// A cyclic redundancy check, most significant bit first, that begins with 0: over bytes with their checksum at the end it is 0.
package struct Checksum: Sendable {
    /// 32 bits: FFV1 slices.
    package static let ieee32 = Checksum(bits: 32, polynomial: 0x04C1_1DB7)
    /// 16 bits: AC-3 and FLAC frames.
    package static let ansi16 = Checksum(bits: 16, polynomial: 0x8005)
    /// 8 bits: headers of FLAC frames.
    package static let atm8 = Checksum(bits: 8, polynomial: 0x07)

    /// The sum's highest bit is the highest of 32.
    private let unused: UInt32
    /// Four tables of 256 each: what a byte adds to the sum when 0, 1, 2 or 3 bytes follow it.
    private let tables: [UInt32]

    private init(bits: UInt32, polynomial: UInt32) {
        unused = 32 - bits
        var tables = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte) << 24) { sum, _ in
                sum >> 31 == 1 ? sum << 1 ^ polynomial << (32 - bits) : sum << 1
            }
        }
        for index in 256..<1024 {
            let sum = tables[index - 256]
            tables.append(sum << 8 ^ tables[Int(sum >> 24)])
        }
        self.tables = tables
    }

    /// Continues a checksum over further bytes.
    package func updated(_ sum: UInt32, over bytes: ArraySlice<UInt8>) -> UInt32 {
        let bytes = bytes.span
        let tables = tables.span
        var sum = sum << unused
        var place = 0
        while place + 4 <= bytes.count {
            let first = UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16
            let next = (first | UInt32(bytes[place + 2]) << 8 | UInt32(bytes[place + 3])) ^ sum
            sum = tables[Int(768 + (next >> 24))] ^ tables[Int(512 + (next >> 16 & 255))]
            sum ^= tables[Int(256 + (next >> 8 & 255))] ^ tables[Int(next & 255)]
            place += 4
        }
        while place < bytes.count {
            sum = sum << 8 ^ tables[Int(sum >> 24 ^ UInt32(bytes[place]))]
            place += 1
        }
        return sum >> unused
    }

    /// The checksum of bytes.
    package func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { updated(0, over: bytes) }

    /// Whether bytes that end in their checksum are intact.
    package func holds(_ bytes: ArraySlice<UInt8>) -> Bool { of(bytes) == 0 }
}

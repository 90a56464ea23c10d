// Splits MPEG-1, MPEG-2 or MPEG-4 video at its start codes, which occur nowhere else.

/// Start codes.
package enum StartCodes {
    /// A part, with its code.
    package struct Part {
        /// The byte after 00 00 01.
        package var code: UInt8
        /// From the first byte of the code to the next code.
        package var bytes: ArraySlice<UInt8>
    }

    /// Splits a stream. Bytes before the first code are left out.
    package static func split(_ bytes: [UInt8]) -> [Part] {
        let offsets = bytes.indices.dropLast(3).filter {
            bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1
        }
        return zip(offsets, offsets.dropFirst() + [bytes.count]).map { from, to in
            Part(code: bytes[from + 3], bytes: bytes[from..<to])
        }
    }
}

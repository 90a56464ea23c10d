// MPEG-4 Part 2 (DivX, Xvid): a header, stored once by containers, says how all frames are coded.

/// MPEG-4 Part 2.
package enum MPEG4Codec: VideoCodec {
    package static let names: Set<String> = ["mpeg4"]

    package static func hasHeader(_ sample: [UInt8]) -> Bool { MPEG4Header(sample) != nil }

    package static func header(of stored: StoredStream) -> [UInt8] { volHeader(of: stored)?.bytes ?? [] }

    package static func copyRefusal(_ stored: StoredStream) -> String? {
        volHeader(of: stored)?.isPacked == true
            ? "its B-frames are packed with other frames, which only AVI allows" : nil
    }

    package static func isWhole(_ sample: [UInt8]) -> Bool {
        StartCodes.split(sample).contains { $0.code == 0xB6 }
    }

    /// The header, from wherever the stream has one.
    package static func volHeader(of stored: StoredStream) -> MPEG4Header? {
        MPEG4Header(stored.header) ?? MPEG4Header(stored.first)
    }
}

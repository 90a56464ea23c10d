// Packets of AV1, by the headers of their OBUs.
import Testing

@testable import Codecs
@testable import Export

struct AV1UnitTests {
    /// An OBU with its size: its type, then its payload.
    private func obu(_ type: UInt8, _ payload: [UInt8], extended: Bool = false) -> [UInt8] {
        [type << 3 | (extended ? 4 : 0) | 2] + (extended ? [0] : []) + [UInt8(payload.count)] + payload
    }

    private func unit(_ parts: [UInt8]...) -> AV1Unit { AV1Unit(parts.flatMap(\.self)[...]) }

    private let delimiter: [UInt8] = [2 << 3 | 2, 0]

    @Test func aKeyFrameIsShown() {
        let sequence = obu(1, [0, 0, 0])
        // show_existing_frame 0, frame_type 00, show_frame 1.
        let key = unit(delimiter, sequence, obu(6, [0b0001_0000, 9]))
        #expect(key.isKey && key.hasSequenceHeader)
        #expect(unit(delimiter, obu(3, [0b0001_0000], extended: true)).isKey)
        #expect(!unit(delimiter, obu(3, [0b0001_0000])).hasSequenceHeader)
        #expect(!unit(sequence, obu(6, [0b0000_0000])).isKey, "it is shown later")
        #expect(!unit(sequence, obu(6, [0b0011_0000])).isKey, "another frame is needed for it")
        #expect(!unit(sequence, obu(3, [0b1001_0000])).isKey, "one that came before is shown")
    }

    @Test func damageIsNoKeyFrame() {
        let whole = delimiter + obu(1, [0, 0, 0]) + obu(6, [0b0001_0000, 9])
        for count in 0..<whole.count { #expect(!AV1Unit(whole[..<count]).isKey) }
        #expect(!unit([6 << 3 | 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]).isKey)
        #expect(!unit([6 << 3 | 2, 0]).isKey)
    }
}

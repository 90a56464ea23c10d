// Files of units are read by the programs after an upgrade too.
import Media
import MediaTime
import Testing

@testable import Render

struct UnitFileTests {
    @Test func aFileOfAnEarlierReleaseIsRead() throws {
        // Its checksums are FFmpeg's av_crc of AV_CRC_32_IEEE, which gives the sum with its bytes in the other order.
        let head = Array(#"{"timebase":"1/25"}"#.utf8)
        var bytes = Array("TRIMUNIT".utf8) + [UInt8(head.count), 0, 0, 0, 0xFC, 0x7F, 0x4B, 0x17] + head
        bytes += Array("E".utf8) + [UInt8](repeating: 0, count: 8) + [0x56, 0x03, 0x38, 0x6F]
        let scratch = try Scratch()
        var reader = try UnitFileReader(try scratch.source(bytes: bytes), of: UnitName(.video, 0))
        #expect(reader.head.timebase == Timebase(perSecond: 25))
        try reader.check()
        bytes[bytes.count - 1] ^= 1
        var spoiled = try UnitFileReader(try scratch.source(bytes: bytes), of: UnitName(.video, 0))
        #expect(throws: (any Error).self) { try spoiled.check() }
    }
}

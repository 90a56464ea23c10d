// The headers of codecs that keep them in the stream, or in front of it, taken apart.
import Testing

@testable import Codecs
@testable import Export

struct MPEG4HeaderTests {
    /// As FFmpeg and Xvid write them.
    private static let lavc: [UInt8] = [
        0, 0, 1, 0xB0, 1, 0, 0, 1, 0xB5, 0x89, 0x13, 0, 0, 1, 0, 0, 0, 1, 0x20, 0, 0xC4, 0x8D, 0x88, 0, 0xCD,
        0x14, 0x04, 0x3C,
        0x14, 0x63, 0, 0, 1, 0xB2, 0x4C, 0x61, 0x76, 0x63,
    ]
    private static let xvid: [UInt8] = [
        0, 0, 1, 0xB0, 0xF5, 0, 0, 1, 0xB5, 9, 0, 0, 1, 0, 0, 0, 1, 0x20, 8, 0xBC, 4, 6, 0x84, 0, 0x67, 0x0C,
        0x28, 0x10, 0x78,
        0x51, 0x8F, 0, 0, 1, 0xB2, 0x58, 0x76, 0x69, 0x44, 0x30, 0x30, 0x36, 0x39,
    ]

    @Test func theHeaderBeforeTheFramesIsRead() throws {
        let lavc = try #require(MPEG4Header(Self.lavc))
        #expect(lavc.resolution == 25 && lavc.isLowDelay == true && !lavc.isPacked)
        let xvid = try #require(MPEG4Header(Self.xvid))
        #expect(xvid.resolution == 25 && xvid.isLowDelay == false && !xvid.isPacked)
        #expect(xvid.layer != lavc.layer)
        // The encoder's name does not change the header, and the frames that follow are not part of it.
        let picture: [UInt8] = [0, 0, 1, 0xB3, 0, 16, 7, 0, 0, 1, 0xB6, 0x10, 1, 2, 3]
        let sample = try #require(MPEG4Header(Self.lavc.dropLast(8) + picture))
        #expect(sample.layer == lavc.layer && sample.userData.isEmpty)
        #expect(sample.bytes == Array(Self.lavc.dropLast(8)))
        #expect(MPEG4Header(picture) == nil && MPEG4Header([]) == nil)
    }

    @Test func divxSaysThatFramesArePacked() throws {
        let said = Array("DivX503b1393p".utf8)
        #expect(try #require(MPEG4Header(Self.xvid.dropLast(8) + said)).isPacked)
        #expect(!(try #require(MPEG4Header(Self.xvid.dropLast(8) + said.dropLast())).isPacked))
    }

    @Test func headersOfXiphComeInTwoForms() throws {
        let parts = [
            [UInt8](repeating: 1, count: 42), [UInt8](repeating: 3, count: 300),
            [UInt8](repeating: 5, count: 700),
        ]
        let counted = parts.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
        let laced: [UInt8] = [2, 42, 255, 45] + parts.flatMap { $0 }
        for bytes in [counted, laced] {
            let headers = try #require(XiphHeaders(bytes))
            #expect(headers.identification == parts[0] && headers.setup == parts[2])
        }
        for bytes in [[], [2], [2, 255], Array(counted.dropLast()), [0, 0]] as [[UInt8]] {
            #expect(XiphHeaders(bytes) == nil)
        }
    }
}

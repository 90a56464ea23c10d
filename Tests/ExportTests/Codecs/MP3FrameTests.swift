// The layout of MP3 frames, and the frame that fills the bit reservoir.
import Testing

@testable import Codecs
@testable import Export

struct MP3FrameTests {
    /// A frame of 128 kbit/s at 44.1 kHz in stereo, whose audio begins `reach` bytes before its own.
    private func frame(reach: Int, filled: UInt8, mono: Bool = false) -> [UInt8] {
        let side = mono ? 17 : 32
        var bytes: [UInt8] = [0xFF, 0xFB, 0x90, mono ? 0xC0 : 0x00]
        bytes += [UInt8(reach >> 1), UInt8(reach & 1) << 7] + [UInt8](repeating: 0, count: side - 2)
        return bytes + [UInt8](repeating: filled, count: 417 - bytes.count)
    }

    @Test(arguments: [false, true]) func theReservoirEndsWithTheBytesBefore(mono: Bool) throws {
        var reservoir = MP3Reservoir()
        for filled in 1...3 { reservoir.add(frame(reach: 0, filled: UInt8(filled), mono: mono)) }
        let made = try #require(reservoir.packet(before: frame(reach: 450, filled: 9, mono: mono)))
        let parsed = try #require(MP3Frame(made))
        #expect(parsed.size == made.count)
        #expect(parsed.reach == 0)
        #expect(made[4..<parsed.head].allSatisfy { $0 == 0 }, "it is silent")
        let own = mono ? 417 - 21 : 417 - 36
        #expect(
            Array(made.suffix(450)) == [UInt8](repeating: 2, count: 450 - own)
                + [UInt8](repeating: 3, count: own))
    }

    @Test func aSmallReservoirKeepsTheBitRate() throws {
        var reservoir = MP3Reservoir()
        reservoir.add(frame(reach: 0, filled: 1))
        let made = try #require(reservoir.packet(before: frame(reach: 300, filled: 9)))
        #expect(made.count == 417)
        #expect(made[2] == 0x90)
    }

    @Test func anotherLayerIsNoFrame() {
        #expect(MP3Frame([0xFF, 0xFD, 0x90, 0x00] + [UInt8](repeating: 0, count: 400)) == nil)
        #expect(MP3Frame([0xFF, 0xFB, 0x00, 0x00] + [UInt8](repeating: 0, count: 400)) == nil, "free format")
    }

    @Test func opusPacketsSayHowLongTheyAre() {
        // SILK of 20 and 60 ms, CELT of 2.5 ms, two of 20 ms, and six of 20 ms.
        for (bytes, wanted) in [
            ([0x08], 960), ([0x18], 2880), ([0x80], 120), ([0xF9], 1920), ([0xFB, 0x06], 5760),
        ] as [([UInt8], Int64)] {
            #expect(OpusCodec.samples(in: bytes) == wanted)
        }
        #expect(OpusCodec.samples(in: []) == nil)
    }
}

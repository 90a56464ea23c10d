// Chunks that are made again until the decoder's buffer holds: with encoders that miss what they are told by a fixed share of the buffer.
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

struct BufferCheckTests {
    private let buffer = DecoderBuffer(bitRate: 1_000_000, bits: 1_000_000, timescale: 1000)

    /// A chunk as an encoder makes it that uses all it is told of, misses that by `miss` of the buffer, and leaves `left` of it.
    private func made(_ chunk: Chunk, miss: Double, left: Double) -> DecoderBuffer.Passage {
        func amount(_ share: Double) -> Int64 { Int64(share * Double(buffer.size)) }
        let start = chunk.buffered ?? 0.9
        let need = start - (chunk.reserve ?? 0) + miss
        return DecoderBuffer.Passage(
            need: amount(need), floor: amount(1 - need), change: amount(left - start), cap: amount(left))
    }

    /// Checks and makes again until nothing is to be made again; how often chunks were made again, and what is said at the end.
    private func ended(
        _ encoder: String, miss: [Double], left: Double = 0.3, assumed: Double? = 0.5
    ) -> (corrections: [Int], missed: [Int], worst: Double) {
        let check = BufferCheck(buffer, encoder: encoder)
        var chunks = miss.indices.map { index in
            Chunk(
                segments: Segments([(.zero, nil)]), counted: 0,
                shown: Int64(index) * 10..<Int64(index + 1) * 10,
                buffered: index == 0 ? nil : assumed)
        }
        for _ in 0..<20 {
            let result = check.check(zip(chunks, miss).map { ($0, made($0, miss: $1, left: left)) })
            if result.corrected.isEmpty {
                return (
                    chunks.map(\.corrections), result.missed.map(\.index),
                    result.missed.map(\.share).max() ?? 0
                )
            }
            for (index, chunk) in result.corrected { chunks[index] = chunk }
        }
        Issue.record("it does not end")
        return ([], [], 0)
    }

    @Test func whatBeginsTooFullBeginsAsItIs() {
        let end = ended("libx264", miss: [0, 0, 0])
        #expect(end.corrections == [0, 1, 1] && end.missed.isEmpty)
    }

    /// An encoder that misses by itself gets a reserve, also for the first chunk.
    @Test(arguments: [("libx264", 0.04, 2), ("libx265", 0.1, 3), ("libx264", 0.3, 4)])
    func whatMissesGetsAReserve(_ encoder: String, _ miss: Double, _ corrections: Int) {
        let end = ended(encoder, miss: [miss, 0, miss], left: 0.5)
        #expect(end.corrections == [corrections, 0, corrections] && end.missed.isEmpty)
    }

    @Test(arguments: [("libx264", 0.5, 4), ("libvpx-vp9", 0.1, 2)])
    func whatStillMissesIsNamed(_ encoder: String, _ miss: Double, _ corrections: Int) {
        let end = ended(encoder, miss: [0, miss, 0], left: 0.5)
        #expect(end.corrections == [0, corrections, 0] && end.missed == [1])
        #expect(abs(end.worst - (miss - (corrections == 4 ? 0.35 : 0.05))) < 0.01)
    }

    @Test func withoutMeasuresNothingIsSaid() {
        let chunk = Chunk(segments: Segments([(.zero, nil)]), counted: 0, shown: 0..<10)
        let result = BufferCheck(buffer, encoder: "libx264").check([(chunk, nil)])
        #expect(result.corrected.isEmpty && result.missed.isEmpty)
    }
}

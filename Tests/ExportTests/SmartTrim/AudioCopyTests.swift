// Copied audio packets on the output's timeline, in samples.
import Testing

@testable import Render

struct AudioCopyTests {
    @Test func prerollLiesBeforeZeroAndTheEndIsCut() throws {
        let copy = AudioCopy(start: 5000, end: 9000, preroll: 1024, isDivisible: false)
        let spans = (0..<12).compactMap { copy.offer(position: $0 * 1024, count: 1024) }
        #expect(spans.first == AudioCopy.Span(sample: 3072 - 5000, count: 1024, keep: 0..<1024))
        let last = try #require(spans.last)
        #expect(last.sample + last.count == 4000)
        #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.sample + $0.count == $1.sample })
    }

    @Test func whatCanBeCutIsCutToTheSample() {
        let copy = AudioCopy(start: 5, end: 25, preroll: nil, isDivisible: true)
        let spans = (0..<4).compactMap { copy.offer(position: $0 * 10, count: 10) }
        #expect(spans.map(\.sample) == [0, 5, 15])
        #expect(spans.map(\.keep) == [5..<10, 0..<10, 0..<5])
    }

    @Test func whatIsPlayedAtOnceBeginsWithTheNearestPacket() {
        for (start, first) in [(Int64(1000), Int64(24)), (1400, -376), (1536, -512), (1537, 511)] {
            var copy = AudioCopy(start: start, end: 5000, preroll: nil, isDivisible: false)
            copy.beginsNearest = true
            #expect(
                (0..<8).compactMap { copy.offer(position: $0 * 1024, count: 1024) }.first?.sample == first)
        }
    }

    @Test func nothingHiddenMeansWholePackets() {
        let copy = AudioCopy(start: 1000, end: 5000, preroll: nil, isDivisible: false)
        let spans = (0..<8).compactMap { copy.offer(position: $0 * 1024, count: 1024) }
        #expect(spans.first?.sample == 24)
        #expect(spans.allSatisfy { $0.count == 1024 })
        #expect(spans.count == 4)
    }
}

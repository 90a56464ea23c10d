// Copied packets of sound on the output's timeline, in samples.
import Testing

@testable import Export

struct AudioCopyTests {
    @Test func prerollLiesBeforeZeroAndTheEndIsCut() throws {
        let copy = AudioCopy(start: 5000, end: 9000, preroll: 1024, isDivisible: false)
        let places = (0..<12).compactMap { copy.offer(place: $0 * 1024, count: 1024) }
        #expect(places.first == AudioCopy.Place(sample: 3072 - 5000, count: 1024, keep: 0..<1024))
        let last = try #require(places.last)
        #expect(last.sample + last.count == 4000)
        #expect(zip(places, places.dropFirst()).allSatisfy { $0.sample + $0.count == $1.sample })
    }

    @Test func whatCanBeCutIsCutToTheSample() {
        let copy = AudioCopy(start: 5, end: 25, preroll: nil, isDivisible: true)
        let places = (0..<4).compactMap { copy.offer(place: $0 * 10, count: 10) }
        #expect(places.map(\.sample) == [0, 5, 15])
        #expect(places.map(\.keep) == [5..<10, 0..<10, 0..<5])
    }

    @Test func nothingHiddenMeansWholePackets() {
        let copy = AudioCopy(start: 1000, end: 5000, preroll: nil, isDivisible: false)
        let places = (0..<8).compactMap { copy.offer(place: $0 * 1024, count: 1024) }
        #expect(places.first?.sample == 24)
        #expect(places.allSatisfy { $0.count == 1024 })
        #expect(places.count == 4)
    }
}

// The polarity of sound, compared all along: the same sound, however it drifts, and other sound, wherever it is.
import Testing

@testable import Check

struct SoundTraceTests {
    /// White noise, in one channel.
    private func noise(_ seed: UInt64, seconds: Int) -> [Float] {
        var random = Seeded(seed)
        return (0..<(seconds * ChannelLevels.rate)).map { _ in Float.random(in: -0.5...0.5, using: &random) }
    }

    private func trace(_ samples: [Float], at position: Int = 0) -> SoundTrace {
        var trace = SoundTrace()
        // In pieces, as they are decoded.
        for start in stride(from: 0, to: samples.count, by: 777) {
            trace.add([Array(samples[start..<min(start + 777, samples.count)])], at: position + start)
        }
        return trace
    }

    private func spans(_ seconds: Int) -> [Int] {
        Array(0..<(seconds * ChannelLevels.rate / SoundTrace.span))
    }

    @Test func theSameSoundIsNoOther() {
        let sound = noise(1, seconds: 20)
        #expect(trace(sound).other(than: trace(sound), among: spans(20)) == nil)
        #expect(
            trace(sound.map { 0.1 * $0 + 0.2 }).other(than: trace(sound), among: spans(20)) == nil,
            "quieter, not centred")
        #expect(trace(sound, at: 150).other(than: trace(sound), among: spans(19)) == nil, "19 ms late")
    }

    /// A sample is left out each second, and later a hundred: more in all than is searched for at once.
    @Test func driftIsNoOtherSound() {
        let sound = noise(2, seconds: 300)
        var drifting: [Float] = []
        for second in 0..<300 {
            let start = second * ChannelLevels.rate
            drifting += sound[(start + (second == 200 ? 100 : 1))..<(start + ChannelLevels.rate)]
        }
        #expect(trace(drifting).other(than: trace(sound), among: spans(298)) == nil)
    }

    @Test(arguments: [(2.0, 2.75), (9.5, 10.5), (18.5, 20)]) func otherSoundIsFound(
        _ start: Double, _ end: Double
    ) throws {
        let (sound, other) = (noise(3, seconds: 20), noise(4, seconds: 20))
        let range = Int(start * Double(ChannelLevels.rate))..<Int(end * Double(ChannelLevels.rate))
        var changed = sound
        changed.replaceSubrange(range, with: other[range])
        let found = try #require(trace(changed).other(than: trace(sound), among: spans(20)))
        #expect(abs(found.lowerBound - range.lowerBound) <= SoundTrace.span)
        #expect(abs(found.upperBound - range.upperBound) <= SoundTrace.span)
    }

    /// Too little sound, or none in common, says nothing: what is all other is found by its lag.
    @Test func littleSoundSaysNothing() {
        #expect(trace(noise(5, seconds: 1)).other(than: trace(noise(6, seconds: 1)), among: spans(1)) == nil)
        #expect(trace(noise(5, seconds: 9)).other(than: trace(noise(6, seconds: 9)), among: spans(9)) == nil)
    }
}

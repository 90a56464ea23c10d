// Audio from files that lack what other containers need: raw TrueHD and MLP, which have neither times nor an index, and Opus in CAF,
// which has no header.
import Export
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(60))) struct BareAudioTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static let kinds = [
        ("thd", "truehd", "mp4"), ("mlp", "mlp", "mka"), ("caf", "libopus", "mp4"),
        ("caf", "libopus", "opus"),
    ]

    @Test(arguments: kinds) func everySampleIsAtItsPlace(type: String, codec: String, output: String) throws {
        let input = try Film(
            name: "", type: type, words: Film.noise(48_000) + ["-c:a", codec, "-strict", "-2"]
        ).make(in: scratch)
        let whole = try Truth(input).samples(rate: 48_000)
        // Matroska's times are too coarse for a packet of MLP.
        let ranges = [(Time.zero, Time?.none)] + (output == "mka" ? [] : [(Time(1, 2), Time(3, 2))])
        for (start, end) in ranges {
            let made = try export(
                input, "passthrough", start: start, end: end, in: scratch, type: output
            ) {
                $0.render = .auto
                $0.output.name = "o.\(output)"
            }
            let decoded = try Truth(made.file).samples(rate: 48_000)
            let first = start == .zero ? 0 : 24_000
            let count = end == nil ? whole.count : 48_000
            #expect(abs(decoded.count - count) <= 1, "\(decoded.count) samples, not \(count)")
            #expect(try lag(of: decoded, in: whole, at: first) == 0)
            #expect(made.result.tracks.first?.way != .encode)
            try verify(made, in: scratch)
        }
    }

    @Test func theLengthOfRawMLPIsCounted() throws {
        let input = try Film(
            name: "", type: "mlp", words: Film.noise(48_000, seconds: "2") + ["-c:a", "mlp", "-strict", "-2"]
        ).make(in: scratch)
        let asset = try Probe.asset(of: try scratch.source(input))
        #expect(asset.duration == Time(2, 1))
        #expect(asset.faults.isEmpty, "\(asset.faults)")
    }
}

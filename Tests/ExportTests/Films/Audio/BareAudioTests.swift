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

    /// Readers give the first major sync the time of the first packet, whatever lies between.
    @Test(arguments: ["mlp", "truehd"]) func aCutInMatroskaBeginsWithAMajorSync(_ codec: String) throws {
        let input = try Film(
            name: "", type: "mka", words: Film.noise(48_000) + ["-c:a", codec, "-strict", "-2"]
        ).make(in: scratch)
        let whole = try Truth(input).samples(rate: 48_000)
        for start in [Time(1, 2), Time(13, 20), Time(4, 5)] {
            let made = try export(
                input, "passthrough", start: start, end: start + Time(1, 1), in: scratch, type: "mka"
            ) {
                $0.render = .auto
                $0.output.name = "o.mka"
            }
            let truth = try Truth(made.file)
            // The output's time 0 is the in point, and its first packet may come later.
            let begins = try truth.firstSample(of: try #require(truth.audio), rate: 48_000)
            let place = Int((start + truth.origin).seconds * 48_000 + begins)
            let off = try lag(of: try truth.samples(rate: 48_000), in: whole, at: place, reach: 800)
            #expect(abs(off) <= 48, "\(codec) from \(start.seconds) is \(off) samples off")
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

// Audio from files that lack what other containers need: raw TrueHD and MLP, which have neither times nor an index, Opus in CAF, which
// has no header, and AMR, of which movies keep several frames in a sample.
import FoundationEssentials
import Media
import MediaTime
import Testing

@testable import Codecs
@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct BareAudioTests {
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

    /// Codecs in a file of their own, which mkvmerge puts into Matroska with several packets in a block.
    static let laced = [
        ("opus", "libopus"), ("ogg", "libvorbis"), ("mp3", "libmp3lame"), ("mp2", "mp2"), ("m4a", "aac"),
        ("ac3", "ac3"),
        ("eac3", "eac3"), ("flac", "flac"), ("dts", "dca"),
    ]

    /// Some muxers write the rate of what was encoded, whatever the codec decodes to.
    @Test(arguments: laced) func theRateInMatroskasHeaderMayBeWrong(type: String, codec: String) throws {
        let bare = try Film(
            name: "", type: type, words: Film.noise(48_000, seconds: "3") + ["-c:a", codec, "-strict", "-2"]
        ).make(in: scratch)
        let (right, wrong) = (scratch.name("mka"), scratch.name("mka"))
        _ = try Tool.output(["mkvmerge", "-q", "-o", right, bare])
        _ = try Tool.output(["mkvmerge", "-q", "-o", wrong, bare])
        _ = try Tool.output([
            "mkvpropedit", "-q", wrong, "--edit", "track:a1", "--set", "sampling-frequency=16000",
        ])
        for start in [Time.zero, Time(1, 2)] {
            let samples = try [right, wrong].map { input in
                let made = try export(
                    input, "wav", start: start, end: start + Time(2, 1), in: scratch, type: "wav")
                try verify(made, in: scratch)
                return try Truth(made.file).samples(rate: 48_000)
            }
            #expect(samples[0].count == 96_000)
            #expect(samples[0] == samples[1], "\(codec) from \(start.seconds)")
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

    /// Phones write five frames a sample; FFmpeg's muxer takes one.
    @Test(arguments: ["3gp", "mov"]) func framesOfAMRAreTakenApart(_ type: String) throws {
        let raw = scratch.name("amr")
        var frames = Data("#!AMR\n".utf8)
        var seed: UInt32 = 7
        for _ in 0..<100 {
            frames.append(0x3C)
            for _ in 0..<31 {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                frames.append(UInt8(seed >> 24))
            }
        }
        try frames.write(to: URL(filePath: raw))
        let input = scratch.name("3gp")
        try Tool.ffmpeg(["-i", raw, "-c", "copy", input])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: input)))
        /// Replaces numbers of a table, after its version and flags.
        func patch(_ table: String, _ numbers: [Int: UInt32]) throws {
            let name = Array(table.utf8)
            let at = try #require((0..<(bytes.count - 4)).last { Array(bytes[$0..<($0 + 4)]) == name }) + 8
            for (index, number) in numbers {
                for byte in 0..<4 { bytes[at + 4 * index + byte] = UInt8(number >> (24 - 8 * byte) & 255) }
            }
        }
        try patch("stts", [1: 20, 2: 800])
        try patch("stsz", [0: 160, 1: 20])
        try patch("stsc", [2: 20])
        try Data(bytes).write(to: URL(filePath: input))
        #expect(try Carried.of(input, packets: true).packets?.count == 20)
        let made = try export(
            input, "passthrough", start: Time(1, 2), end: Time(3, 2), in: scratch, type: type
        ) { $0.render = .auto }
        #expect(made.result.tracks.map(\.way) == [.copy])
        let whole = try Truth(raw).samples(rate: 8000)
        let decoded = try Truth(made.file).samples(rate: 8000)
        #expect(decoded.count == 8000)
        #expect(try lag(of: decoded, in: whole, at: 4000) == 0)
        try verify(made, in: scratch)
    }

    @Test func packetsOfAMRAreMadeOfFrames() {
        let (full, quiet) = (
            [0x3C] + [UInt8](repeating: 1, count: 31), [0x44] + [UInt8](repeating: 0, count: 5)
        )
        #expect(AMRCodec.frames(of: full + quiet + full, isWide: false) == [0..<32, 32..<38, 38..<70])
        #expect(AMRCodec.frames(of: full, isWide: false) == nil)
        #expect(AMRCodec.frames(of: full + full.dropLast(), isWide: false) == nil)
        #expect(AMRCodec.frames(of: [0x64, 0x64], isWide: false) == nil)
        #expect(AMRCodec.frames(of: [0x7C, 0x7C], isWide: true) == [0..<1, 1..<2])
        #expect(AMRCodec.frames(of: [], isWide: true) == nil)
        let most = [UInt8](repeating: 0x7C, count: 255)
        #expect(AMRCodec.frames(of: most, isWide: true)?.count == 255)
        #expect(AMRCodec.frames(of: most + [0x7C], isWide: true) == nil)
    }
}

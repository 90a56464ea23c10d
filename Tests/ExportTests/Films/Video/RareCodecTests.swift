// Codecs that trimd does not decode: a track of one can be stored, and cannot be encoded.
import Export
import FoundationEssentials
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(60))) struct RareCodecTests {
    let scratch: Scratch
    let input: String

    init() throws {
        scratch = try Scratch()
        input = try Film(
            name: "", type: "mov",
            words: Film.video(seconds: "2") + Film.noise(seconds: "2") + [
                "-c:v", "smc", "-pix_fmt", "pal8", "-c:a", "pcm_s16le",
            ]
        ).make(in: scratch)
    }

    @Test func aTrackThatIsStoredNeedsNoDecoder() throws {
        let made = try export(input, "passthrough", end: Time(1, 1), in: scratch, type: "mov") {
            $0.render = .auto
            $0.output.name = "out.mov"
        }
        #expect(made.result.tracks.map(\.codec) == ["smc", "pcm_s16le"])
        #expect(made.result.tracks.map(\.way) == [.copy, .copy])
        try verify(made, in: scratch)
        // It is looked at all the same: a file that breaks off is no output.
        let bytes = try Data(contentsOf: URL(filePath: made.file))
        let cut = try scratch.source(bytes: Array(bytes.prefix(bytes.count / 2)), name: "cut.mov")
        #expect(throws: MediaError.self) { try Verification(cut, made.result).run() }
    }

    /// FFmpeg's muxers know these, and fail when they write the header, or write what nobody can read.
    @Test(arguments: [("avi", "rawvideo", "mkv"), ("avi", "rawvideo", "mov"), ("rm", "rv20", "mkv")])
    func codecsThatMuxersOnlyKnowAreRefused(type: String, codec: String, output: String) throws {
        let film = try Film(
            name: "", type: type,
            words: Film.video(size: "176x144", seconds: "1") + ["-c:v", codec, "-pix_fmt", "yuv420p"]
        ).make(in: scratch)
        let error = try refusal(film, "passthrough", in: scratch) {
            $0.render = .copy
            $0.output.name = "o.\(output)"
        }
        #expect(error.code == .presetNotValid, "\(error)")
    }

    @Test func oneThatIsEncodedDoes() throws {
        let error = try refusal(input, in: scratch)
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains("smc"))
    }

    /// Its header may state the bit rate that stands for a variable one; the duration that FFmpeg estimates from that is none.
    @Test func theLengthOfRawMPEGVideoIsCounted() throws {
        let film = scratch.name("mpg")
        try Tool.ffmpeg(
            Film.video(size: "176x144", seconds: "3") + ["-c:v", "mpeg1video", "-f", "mpeg1video", film])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: film)))
        for start in bytes.indices.dropLast(12) where Array(bytes[start..<(start + 4)]) == [0, 0, 1, 0xB3] {
            (bytes[start + 8], bytes[start + 9]) = (0xFF, 0xFF)
            bytes[start + 10] |= 0xC0
        }
        try Data(bytes).write(to: URL(filePath: film))
        let asset = try Probe.asset(of: try scratch.source(film))
        #expect(asset.duration == Time(3, 1), "\(String(describing: asset.duration))")
        let made = try export(film, "m4v720", start: Time(1, 1), end: Time(2, 1), in: scratch, type: "m4v")
        #expect(try Truth(made.file).frames().count == 25)
    }
}

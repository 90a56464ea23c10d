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

    @Test func oneThatIsEncodedDoes() throws {
        let error = try refusal(input, in: scratch)
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains("smc"))
    }
}

// Codecs that trimd does not decode: a track of one can be stored, and cannot be encoded.
import Check
import FoundationEssentials
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct RareCodecTests {
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

    /// Tags say what the codec alone does not: the kind of ProRes and of DNxHR, and the encoder of MPEG-4, whose faults decoders know. Where
    /// movies and AVI have tags of their own for a codec, it gets that of its new container.
    @Test(arguments: [
        ("mov", ["-c:v", "prores_ks", "-profile:v", "0"], "mov", "apco"),
        ("mov", ["-c:v", "prores_ks", "-profile:v", "2"], "mov", "apcn"),
        ("mov", ["-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10le"], "mov", "ap4h"),
        ("mov", ["-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10le"], "mkv", "ap4h"),
        ("mkv", ["-c:v", "prores_ks", "-profile:v", "1"], "mov", "apcs"),
        ("mov", ["-c:v", "dnxhd", "-profile:v", "dnxhr_sq", "-pix_fmt", "yuv422p"], "mov", "AVdh"),
        ("avi", ["-c:v", "mpeg4", "-tag:v", "XVID"], "avi", "XVID"),
        ("avi", ["-c:v", "mpeg4", "-tag:v", "XVID"], "mov", "mp4v"),
        ("mov", ["-c:v", "mpeg4"], "avi", "FMP4"), ("mov", ["-c:v", "mjpeg"], "avi", "MJPG"),
        ("avi", ["-c:v", "mjpeg"], "mov", "jpeg"),
        ("mov", ["-c:v", "libx264", "-tag:v", "avc3"], "mp4", "avc1"),
    ])
    func aCopyHasTheTagOfItsKind(type: String, words: [String], output: String, tag: String) throws {
        let film = try Film(
            name: "", type: type, words: Film.video(size: "256x144", seconds: "1") + words
        ).make(in: scratch)
        let made = try export(film, "passthrough", in: scratch, type: output) {
            ($0.render, $0.output.name) = (.copy, "out.\(output)")
        }
        let own = try Tool.output([
            "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_tag_string",
            "-of", "csv=p=0", made.file,
        ])
        #expect(own.contains(tag), "\(own)")
        let frames = try [film, made.file].map {
            try Tool.ffmpeg(["-i", $0, "-map", "0:v", "-f", "md5", "-"])
        }
        #expect(frames[0] == frames[1])
        try verify(made, in: scratch)
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

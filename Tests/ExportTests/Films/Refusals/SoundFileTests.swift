// Sound alone, in every container that holds it: each file type that the check calls valid is one that an export makes.
import Export
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct SoundFileTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The extension, the muxer and the encoder.
    static let kinds: [(type: String, words: [String])] = [
        ("mp4", ["-c:a", "aac"]), ("m4a", ["-c:a", "alac"]), ("mov", ["-c:a", "pcm_s16le"]),
        ("mov", ["-c:a", "aac"]), ("3gp", ["-c:a", "aac"]), ("mkv", ["-c:a", "libvorbis"]),
        ("mka", ["-c:a", "ac3"]), ("webm", ["-c:a", "libopus"]), ("ts", ["-c:a", "mp2"]),
        ("m2ts", ["-c:a", "ac3", "-f", "mpegts", "-mpegts_m2ts_mode", "1"]), ("avi", ["-c:a", "libmp3lame"]),
        ("avi", ["-c:a", "pcm_s16le"]), ("mxf", ["-c:a", "pcm_s16le", "-f", "mxf_opatom"]),
        ("ogv", ["-c:a", "libvorbis"]), ("ogg", ["-c:a", "flac"]), ("opus", ["-c:a", "libopus"]),
        ("flac", ["-c:a", "flac"]), ("wav", ["-c:a", "pcm_s24le"]), ("w64", ["-c:a", "pcm_s16le"]),
        ("mp3", ["-c:a", "libmp3lame"]), ("aac", ["-c:a", "aac"]), ("aiff", ["-c:a", "pcm_s16be"]),
        ("caf", ["-c:a", "alac"]), ("flv", ["-c:a", "aac"]),
    ]

    @Test(arguments: kinds.indices) func whatIsValidIsMade(_ index: Int) throws {
        let (type, words) = SoundFileTests.kinds[index]
        let input = scratch.name(type)
        try Tool.ffmpeg(["-f", "lavfi", "-i", "sine=r=48000:d=3"] + words + [input])
        let preset = try preset("passthrough")
        let report = try Checker(try scratch.source(input), presets: [preset], fileType: nil).report()
        let result = try #require(report.presets.first)
        #expect(result.valid, "\(result.reasons.map(\.message))")
        for made in result.fileTypes {
            let output = try export(
                input, "passthrough", start: Time(1, 1), end: Time(2, 1), in: scratch, type: made
            ) { ($0.render, $0.output.name) = (.copy, "o.\(made)") }
            #expect(output.result.fileType == made && output.result.tracks.count == 1)
        }
    }
}

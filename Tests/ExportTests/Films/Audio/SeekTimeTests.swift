// Audio after a seek: FFmpeg finds the place by an average rate of bytes, by a timestamp that several frames share, or without having
// read how the stream is framed. The audio is where it is when all is decoded from the beginning.
import Media
import MediaTime
import Signals
import Testing

@Suite(.timeLimit(.minutes(10))) struct SeekTimeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A container and a codec whose times FFmpeg does not store.
    struct Kind: CustomTestStringConvertible, Sendable {
        var type: String, rate: Int, codec: [String]
        var testDescription: String { "\(codec[1]) in \(type)" }
    }

    static let kinds = [
        Kind(type: "mp2", rate: 48_000, codec: ["-c:a", "mp2", "-b:a", "384k", "-ac", "2"]),
        Kind(type: "mp3", rate: 44_100, codec: ["-c:a", "libmp3lame", "-b:a", "320k", "-write_xing", "0"]),
        Kind(type: "aac", rate: 44_100, codec: ["-c:a", "aac", "-b:a", "256k"]),
        Kind(type: "ac3", rate: 48_000, codec: ["-c:a", "ac3", "-b:a", "640k"]),
        Kind(type: "wav", rate: 22_050, codec: ["-c:a", "adpcm_ms"]),
        Kind(type: "wav", rate: 22_050, codec: ["-c:a", "adpcm_ima_wav"]),
        Kind(type: "wav", rate: 48_000, codec: ["-c:a", "ac3", "-b:a", "640k"]),
        Kind(type: "ogg", rate: 44_100, codec: ["-c:a", "flac"]),
        Kind(type: "ts", rate: 48_000, codec: ["-c:a", "truehd", "-strict", "-2"]),
        Kind(type: "tta", rate: 44_100, codec: ["-c:a", "tta"]),
        Kind(type: "wv", rate: 44_100, codec: ["-c:a", "wavpack"]),
        Kind(type: "ogg", rate: 16_000, codec: ["-c:a", "libspeex"]),
        Kind(type: "ogg", rate: 44_100, codec: ["-c:a", "libvorbis", "-ac", "2"]),
        Kind(type: "opus", rate: 48_000, codec: ["-c:a", "libopus", "-ac", "2"]),
    ]

    @Test(arguments: kinds) func theFirstSampleIsThatAtTheInPoint(_ kind: Kind) throws {
        let input = try Film(
            name: "", type: kind.type, words: Film.noise(kind.rate, seconds: "8") + kind.codec
        ).make(in: scratch)
        let whole = try samples(of: input, rate: kind.rate)
        for second in [0, 1, 3, 7] {
            let made = try export(
                input, "wav", start: Time(Int64(second), 1), end: Time(Int64(second) * 2 + 1, 2), in: scratch,
                type: "wav")
            try verify(made, in: scratch)
            let cut = try samples(of: made.file, rate: kind.rate)
            #expect(cut.count == kind.rate / 2)
            let at = second * kind.rate
            // White noise is alike at its own place alone.
            // Over a part of the cut that lies clear of its ends.
            let near = place(of: cut.dropFirst(400).prefix(200), in: whole, among: (at - 2600)...(at + 3400))
            #expect(near == at + 400, "from second \(second)")
        }
    }

    /// The first channel, as ffmpeg decodes all of it.
    private func samples(of file: String, rate: Int) throws -> [Int16] {
        let bytes = try Tool.ffmpeg(
            FFmpegFaults.decoder(of: file, rate) + [
                "-i", file, "-map", "0:a:0", "-af", "pan=mono|c0=c0", "-ar", "\(rate)", "-f", "s16le", "-",
            ])
        return Signals.samples(bytes)
    }
}

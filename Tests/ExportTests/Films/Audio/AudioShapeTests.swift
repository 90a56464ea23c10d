// Channels, depth and loudness: coefficients of the downmix, no clipping, surround where the preset has it,
// samples as deep as the source's, and the loudness that was asked for.
import Check
import Foundation
import Media
import MediaTime
import Signals
import Testing

@testable import Codecs
@testable import Source

struct AudioShapeTests {
    /// Interleaved samples of the first second, as numbers of full scale.
    private func samples(_ file: String, channels: Int) throws -> [[Double]] {
        let bytes = try Tool.ffmpeg(["-i", file, "-f", "s16le", "-c:a", "pcm_s16le", "-"])
        let values = Signals.samples(bytes).map { Double($0) / 32768 }
        return (0..<channels).map { channel in
            stride(from: channel, to: values.count, by: channels).map { values[$0] }
        }
    }

    private func level(_ samples: [Double]) -> Double {
        (samples.reduce(0) { $0 + $1 * $1 } / Double(max(1, samples.count))).squareRoot()
    }

    private func surround(_ amplitudes: [Double], in scratch: Scratch) throws -> String {
        let film = scratch.name("wav")
        let tones = amplitudes.map { "\($0)*sin(2*PI*440*t)" }.joined(separator: "|")
        try Tool.ffmpeg(
            ["-f", "lavfi", "-i", "aevalsrc=\(tones):c=5.1:s=48000:d=1", "-c:a", "pcm_s16le", film])
        return film
    }

    private func stereo(_ request: inout ExportRequest) { request.preset.audio?.maxChannels = 2 }

    /// Front left, front right, centre, effects, back left, back right; and what reaches the left: ITU-R BS.775, brought
    /// down so that all of them together do not clip.
    @Test(arguments: [(0, 1.0), (1, 0), (2, 0.7071), (3, 0), (4, 0.7071), (5, 0)])
    func theDownmixHasTheRightCoefficients(_ channel: Int, _ coefficient: Double) throws {
        let scratch = try Scratch()
        var amplitudes = [Double](repeating: 0, count: 6)
        amplitudes[channel] = 0.5
        let made = try export(
            surround(amplitudes, in: scratch), "wav", in: scratch, type: "wav", adjust: stereo)
        let left = level(try samples(made.file, channels: 2)[0])
        #expect(abs(left - 0.5 / 2.0.squareRoot() * coefficient / 2.4142) < 0.002, "\(left)")
        #expect(made.result.warnings.contains { $0.code == .downmixed })
    }

    /// Every layout through every encoder: it opens, and what is stored is read again with as many channels, each with its sound.
    @Test(arguments: ["aac", "opus", "alac", "ac3", "mp3", "flac", "pcm"], ChannelLayout.known.map(\.name))
    func noChannelSoundsFromAnotherPlace(_ codec: String, _ layout: String) throws {
        let scratch = try Scratch()
        let film = scratch.name("wav")
        let own = try #require(ChannelLayout.named(layout))
        let tones = (0..<own.speakers.count).map { "0.2*sin(2*PI*\(60 + 140 * $0)*t)" }.joined(separator: "|")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "aevalsrc=\(tones):c=\(layout):s=48000:d=0.5", "-c:a", "pcm_s16le", film,
        ])
        var options = ExportOptions()
        options.audioCodec = AudioCodecChoice(rawValue: codec)
        // Matroska does not say which speakers PCM is for.
        let type = codec == "pcm" ? "wav" : "mka"
        let made = try export(film, "passthrough", in: scratch, type: type) {
            ($0.options, $0.render, $0.output.name) = (options, .auto, "o.\(type)")
        }
        let settings = try #require(options.audioCodec?.settings)
        let source = try #require(try Probe.asset(of: scratch.source(film)).audioTracks.first?.audio)
        let output = try #require(try Probe.asset(of: scratch.source(made.file)).audioTracks.first?.audio)
        #expect(output.channels == settings.channels(of: source))
        #expect(
            made.result.warnings.contains { $0.code == .downmixed } == (output.channels < source.channels))
        #expect(
            ChannelLayout.isSame(output.channelLayout, settings.layout(of: source)), "\(output.channelLayout)"
        )
        let report = try Comparison(
            try scratch.source(film), try scratch.source(made.file), RangeRequest()
        ).run(picture: nil)
        #expect(report.exact, "\(report.findings)")
    }

    /// Broadcasts change between programs; the output has the channels of the first.
    @Test func aPartWithMoreChannelsWarns() throws {
        let scratch = try Scratch()
        var bytes = Data()
        for layout in ["stereo", "5.1"] {
            let part = scratch.name("ac3")
            try Tool.ffmpeg(
                Film.noise(48_000, seconds: "1") + [
                    "-af", "aformat=channel_layouts=\(layout)", "-c:a", "ac3", part,
                ])
            bytes += try Data(contentsOf: URL(filePath: part))
        }
        let (raw, film) = (scratch.name("ac3"), scratch.name("ts"))
        try bytes.write(to: URL(filePath: raw))
        try Tool.ffmpeg(["-i", raw, "-c", "copy", film])
        for (end, warns) in [(Time(1, 2), false), (Time(3, 2), true)] {
            let made = try export(film, "m4a", end: end, in: scratch, type: "m4a") {
                $0.preset.audio?.maxChannels = 6
            }
            #expect(made.result.tracks.first?.channels == 2)
            #expect(made.result.warnings.contains { $0.code == .downmixed } == warns)
        }
    }

    @Test func allChannelsAtFullScaleDoNotClip() throws {
        let scratch = try Scratch()
        let film = try surround([Double](repeating: 0.999, count: 6), in: scratch)
        let made = try export(film, "wav", in: scratch, type: "wav", adjust: stereo)
        let left = try samples(made.file, channels: 2)[0]
        #expect(left.map(abs).max() ?? 0 < 0.9995)
        // A clipped sine is louder than a whole one.
        #expect(abs(level(left) - 0.999 / 2.0.squareRoot()) < 0.003)
    }

    private struct Answer: Decodable {
        struct Stream: Decodable {
            var codec_name: String, channels: Int, channel_layout: String?, bit_rate: String?,
                sample_rate: String
            var bits_per_raw_sample: String?
        }
        var streams: [Stream]
    }

    private func audioStream(_ file: String) throws -> Answer.Stream {
        try #require(
            try Tool.ffprobe(["-show_streams", "-select_streams", "a", file], as: Answer.self).streams.first)
    }

    @Test(arguments: [
        ("highest", "mp4", 6, "5.1"), ("m4v480", "m4v", 2, "stereo"), ("prores422", "mov", 6, "5.1(side)"),
    ])
    func surroundStaysWhereThePresetHasIt(_ id: String, _ type: String, _ channels: Int, _ layout: String)
        throws
    {
        let scratch = try Scratch()
        let film = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video(seconds: "1") + [
                "-f", "lavfi", "-i",
                "anoisesrc=d=1:r=48000:a=0.2,pan=5.1(side)|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0",
            ]
                + Film.h264() + ["-c:a", "pcm_s16le", film])
        let made = try export(film, id, end: Time(1, 2), in: scratch, type: type) {
            $0.output.name = "o.\(type)"
        }
        let found = try audioStream(made.file)
        #expect(found.channels == channels)
        #expect([layout, layout.replacing("(side)", with: "")].contains(found.channel_layout ?? ""))
        try verify(made, in: scratch)
    }

    @Test(arguments: [
        ("wav", "pcm_s24le", "pcm_s24le"), ("wav", "pcm_s16le", "pcm_s16le"), ("flac", "pcm_s24le", "flac"),
    ])
    func samplesAreAsDeepAsTheSources(_ id: String, _ source: String, _ codec: String) throws {
        let scratch = try Scratch()
        let film = scratch.name("wav")
        try Tool.ffmpeg(Film.noise(seconds: "1") + ["-c:a", source, film])
        let made = try export(film, id, start: Time(1, 4), end: Time(3, 4), in: scratch, type: id)
        #expect(try audioStream(made.file).codec_name == codec)
        #expect(made.result.tracks.first?.codec == codec)
        // Without loss means the very same samples.
        func raw(_ file: String, _ words: [String]) throws -> [UInt8] {
            try Tool.ffmpeg(["-i", file] + words + ["-f", "s24le", "-c:a", "pcm_s24le", "-"])
        }
        let whole = try raw(film, ["-af", "atrim=start_sample=11025:end_sample=33075"])
        #expect(try raw(made.file, []) == whole)
    }

    private func loudness(_ file: String) throws -> Double {
        let words = try Tool.ffmpeg(
            [
                "-i", file, "-map", "0:a", "-af",
                "ebur128=metadata=1,ametadata=mode=print:key=lavfi.r128.I:file=-", "-f", "null", "-",
            ])
        let lines = String(decoding: words, as: UTF8.self).split(separator: "\n")
        let last = lines.last { $0.hasPrefix("lavfi.r128.I=") }
        return try #require(last.flatMap { Double($0.dropFirst(13)) })
    }

    @Test(arguments: [("m4a", "m4a", 0.02, -16.0), ("wav", "wav", 0.4, -23.0), ("opus", "ogg", 0.02, -20.0)])
    func theAudioIsAsLoudAsRequested(_ id: String, _ type: String, _ amplitude: Double, _ target: Double)
        throws
    {
        let scratch = try Scratch()
        let film = scratch.name("wav")
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "sine=f=500:d=4:r=48000,volume=\(amplitude * 8)", "-ac", "2", "-c:a",
                "pcm_s16le", film,
            ])
        let made = try export(film, id, start: Time(1, 2), end: Time(7, 2), in: scratch, type: type) {
            $0.options = ExportOptions()
            $0.options?.loudness = target
        }
        #expect(abs(try loudness(made.file) - target) < 0.5)
        #expect(!made.result.warnings.contains { $0.word.hasPrefix("loudness") })
        #expect((made.result.actual.end - Time(7, 2)).absoluteValue < Time(1, 1000))
    }

    @Test func loudnessIsLimitedByThePeaksAndSilenceIsLeftAlone() throws {
        let scratch = try Scratch()
        func loud(_ source: String) throws -> Made {
            let film = scratch.name("wav")
            try Tool.ffmpeg(["-f", "lavfi", "-i", source, "-c:a", "pcm_s16le", film])
            return try export(film, "wav", in: scratch, type: "wav") {
                $0.options = ExportOptions()
                $0.options?.loudness = -6
            }
        }
        let peaky = try loud("aevalsrc='0.9*sin(2*PI*500*t)*lt(mod(t,1),0.05)':s=48000:d=3")
        #expect(peaky.result.warnings.contains { $0.code == .loudnessLimited })
        #expect(try samples(peaky.file, channels: 1)[0].map(abs).max() ?? 1 < 0.9)
        let silent = try loud("anullsrc=r=48000:d=1")
        #expect(silent.result.warnings.contains { $0.code == .loudnessUnknown })
    }
}

// Films keep their type where the container can hold the cut: every frame at its time, and the audio where it belongs. Where it
// cannot, the refusal says why and what to do.
import Export
import Foundation
import Media
import MediaTime
import Signals
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct FilmTypeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Kind: CustomTestStringConvertible, Sendable {
        var film: Film
        var output: String
        var way: RenderMode
        /// Samples by which the audio may be off: where the container cannot say when it begins.
        var lag: Int
        var testDescription: String { film.name }

        init(
            _ name: String, _ type: String, _ words: [String], to output: String? = nil,
            _ way: RenderMode = .smart, lag: Int = 0, hasAudio: Bool = true
        ) {
            let audio = hasAudio ? Film.noise(48_000, seconds: "4") : []
            film = Film(
                name: name, type: type,
                words: Film.video(size: "96x72", seconds: "4") + audio + words + ["-g", "25"])
            (self.output, self.way, self.lag) = (output ?? type, way, lag)
        }
    }

    static let kinds = [
        Kind(
            "m2ts", "m2ts",
            ["-c:v", "libx264", "-bf", "2", "-c:a", "ac3", "-f", "mpegts", "-mpegts_m2ts_mode", "1"]),
        Kind("mts of a camera", "mp4", ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"], to: "mts"),
        Kind("3gp", "3gp", ["-c:v", "libx264", "-bf", "0", "-c:a", "aac"]),
        Kind("H.263 in 3gp", "3gp", ["-c:v", "h263", "-s", "128x96", "-c:a", "aac"]),
        Kind("MPEG-4 in avi", "avi", ["-c:v", "mpeg4", "-q:v", "3", "-c:a", "libmp3lame"], lag: 576),
        Kind("Motion JPEG in avi", "avi", ["-c:v", "mjpeg", "-q:v", "3", "-c:a", "pcm_s16le"], .copy),
        Kind("MPEG-2 in mxf", "mxf", ["-c:v", "mpeg2video", "-q:v", "2", "-bf", "0", "-c:a", "pcm_s16le"]),
        Kind("DV in mxf", "mxf", ["-s", "720x576", "-c:v", "dvvideo", "-c:a", "pcm_s16le"], .copy),
        Kind("Theora and Vorbis in ogv", "ogv", ["-c:v", "libtheora", "-q:v", "8", "-c:a", "libvorbis"]),
        Kind("Theora and Opus in ogv", "ogv", ["-c:v", "libtheora", "-q:v", "8", "-c:a", "libopus"]),
        Kind("Theora and FLAC in ogv", "ogv", ["-c:v", "libtheora", "-q:v", "8", "-c:a", "flac"]),
        Kind(
            "VP8 in ivf", "ivf", ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "1M"],
            hasAudio: false),
        Kind(
            "VP9 in ivf", "ivf", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
            hasAudio: false),
        Kind(
            "AV1 in ivf to mkv", "ivf", ["-c:v", "libsvtav1", "-preset", "10"], to: "mkv", hasAudio: false),
    ]

    private func pass(_ input: String, _ type: String, _ start: Time, _ end: Time?) throws -> Made {
        try export(input, "passthrough", start: start, end: end, in: scratch, type: type) {
            $0.render = .auto
            $0.output.name = "o.\(type)"
        }
    }

    @Test(arguments: kinds) func everyFrameIsAtItsTime(_ kind: Kind) throws {
        let input = try kind.film.make(in: scratch)
        let truth = try Truth(input)
        let (frames, pictures) = (try truth.frames(), try truth.thumbnails())
        // From the third frame after a keyframe to the second after another.
        let (start, end) = try (
            #require(frames.dropFirst(28).first?.time), #require(frames.dropFirst(77).first?.time)
        )
        let made = try pass(input, kind.output, start, end)
        #expect(made.result.tracks.first?.way == kind.way)
        #expect(made.result.fileType == kind.output)
        let wanted = try expected(frames, start: start, end: end)
        let output = try Truth(made.file)
        let got = try output.frames()
        #expect(got.count == wanted.times.count)
        let first = try #require(got.first?.time)
        for (one, time) in zip(got, wanted.times) {
            #expect((one.time - first - time).absoluteValue <= Time(1, 1000), "\(one.time), not \(time)")
        }
        for (index, picture) in zip(wanted.indices, try output.thumbnails()) {
            let off = difference(picture, pictures[index])
            #expect(off < 4 * picture.count, "frame \(index) is another")
        }
        if let stream = truth.audio {
            let whole = try truth.samples(rate: 48_000)
            let own = try truth.firstSample(of: stream, rate: 48_000)
            let sound = try #require(output.audio)
            let offset = try output.firstSample(of: sound, rate: 48_000) - first.seconds * 48_000
            let at = Int((start.seconds * 48_000 - own + offset).rounded())
            let off = try lag(of: output.samples(rate: 48_000), in: whole, at: at, reach: kind.lag + 40)
            #expect(abs(off) <= kind.lag, "the audio is off by \(off) samples")
        }
        try verify(made, in: scratch)
    }

    @Test func whatCannotBeHeldIsRefusedWithARemedy() throws {
        let plain = try Film(
            name: "", type: "avi", words: Film.video() + ["-c:v", "mpeg4", "-g", "25", "-q:v", "3"]
        ).make(in: scratch)
        let between = try refused(plain, "avi", start: Time(141, 100))
        #expect(between.remedy?.contains("--snap frame") == true, "\(between)")
        let reordered = try Film(
            name: "", type: "avi", words: Film.video() + ["-c:v", "mpeg4", "-g", "25", "-bf", "2"]
        ).make(in: scratch)
        #expect(try refused(reordered, "avi", start: Time(1, 1)).remedy?.contains(".mkv") == true)
        let variable = try Film(
            name: "", type: "mkv",
            words: Film.video("25", filters: "select=not(eq(mod(n\\,5)\\,1))") + [
                "-fps_mode", "vfr", "-c:v", "mpeg4",
            ]
        ).make(in: scratch)
        #expect(try refused(variable, "avi", start: Time(1, 1)).remedy?.contains(".mkv") == true)
        let h264 = try Film(name: "", type: "mp4", words: Film.video() + Film.h264()).make(in: scratch)
        for type in ["avi", "mxf", "ogv", "ivf"] {
            #expect(try refused(h264, type, start: Time(1, 1)).message.contains("cannot hold h264"))
        }
    }

    /// Blu-ray's streams have no AAC and MP2: FFmpeg wrote them as private data, which players do not play, and readers know by long
    /// tracks alone.
    @Test(arguments: ["aac", "mp2", "ac3"], ["m2ts", "mts", "ts"])
    func audioInATransportStreamIsKnownByItsType(_ codec: String, _ type: String) throws {
        let film = try Film(
            name: "", type: "ts",
            words: Film.video() + Film.noise(48_000) + Film.h264() + ["-c:a", codec]
        ).make(in: scratch)
        for length in [Time(1, 25), Time(1, 1)] {
            let made = try export(
                film, "passthrough", start: Time(1, 1), end: Time(1, 1) + length, in: scratch, type: type
            ) {
                ($0.render, $0.output.name) = (.auto, "o.\(type)")
            }
            let tag = try Tool.output([
                "ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "stream=codec_tag",
                "-of", "csv=p=0", made.file,
            ])
            // The registration of AC-3 goes before its type.
            let expected = ["aac": "0x000f", "mp2": "0x0003", "ac3": "0x332d4341"]
            #expect(tag.contains(expected[codec] ?? ""), "\(tag)")
            let size = try FileManager.default.attributesOfItem(atPath: made.file)[.size] as? Int ?? 0
            #expect(size % (codec == "ac3" && type != "ts" ? 192 : 188) == 0)
            try verify(made, in: scratch)
        }
    }

    private func refused(_ input: String, _ type: String, start: Time) throws -> MediaError {
        try #require(throws: MediaError.self) { try pass(input, type, start, nil) }
    }

    @Test func theCheckerOffersATypeOnlyWhereItHoldsTheCut() throws {
        func types(_ input: String, from start: Time) throws -> [String] {
            try Checker(
                try scratch.source(input), presets: [try preset("passthrough")], fileType: nil,
                range: RangeRequest(start: .time(start))
            ).report().presets.first?.fileTypes ?? []
        }
        let avi = try Film(
            name: "", type: "avi",
            words: Film.video() + Film.noise(48_000) + [
                "-c:v", "mpeg4", "-g", "25", "-q:v", "3", "-c:a", "libmp3lame",
            ]
        ).make(in: scratch)
        #expect(try types(avi, from: Time(1, 1)).first == "avi")
        #expect(try !types(avi, from: Time(141, 100)).contains("avi"))
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video() + Film.noise(48_000) + Film.h264() + ["-c:a", "aac"]
        ).make(in: scratch)
        let offered = try Set(types(film, from: Time(1, 1)))
        #expect(offered == ["mp4", "mov", "m4v", "mkv", "ts", "m2ts", "mts", "3gp", "flv"])
    }

    /// Presets of H.264 and HEVC write Matroska and transport streams, too: 25 frames of a second, and their audio.
    @Test(arguments: ["highest", "640x480", "hevc-highest"], ["mkv", "ts"])
    func presetsOfH264AndHEVCWriteMatroskaAndTransportStreams(id: String, type: String) throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + Film.h264() + [
                "-c:a", "aac",
            ]
        ).make(in: scratch)
        let made = try export(film, id, start: Time(12, 25), end: Time(37, 25), in: scratch, type: type) {
            $0.output.name = "o.\(type)"
        }
        #expect(made.result.fileType == type)
        #expect(made.result.tracks.map(\.codec) == [id.hasPrefix("hevc") ? "hevc" : "h264", "aac"])
        let span = TimeSpan(start: Time(12, 25), end: Time(37, 25))
        #expect(made.result.tracks.allSatisfy { $0.requested == span }, "each track says what was asked for")
        let answer = try Tool.output([
            "ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_type,nb_read_frames",
            "-of",
            "csv=p=0", made.file,
        ])
        #expect(answer.contains("video,25"), "\(answer)")
    }

    @Test func withoutANameTheTypeIsTheSources() throws {
        for kind in Self.kinds where kind.output == kind.film.type {
            let asset = try Probe.asset(of: try scratch.source(try kind.film.make(in: scratch)))
            #expect(FileType(of: asset)?.rawValue == kind.output, "\(kind.film.name)")
        }
    }
}

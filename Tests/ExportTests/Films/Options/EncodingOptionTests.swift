// Options over presets, on films: what they touch is encoded as they say, the rest is copied, and frames are cropped, turned and
// scaled in that order, in the pixels that a player shows.
import Check
import Foundation
import Media
import MediaTime
import Testing

@testable import Codecs

struct EncodingOptionTests {
    private struct Answer: Decodable {
        struct Stream: Decodable {
            var codec_name: String, width: Int?, height: Int?, bit_rate: String?, channels: Int?
        }
        var streams: [Stream]
    }
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ size: String = "320x180", _ more: [String] = []) throws -> String {
        try Film(
            name: "", type: "mp4",
            words: Film.video(size: size, seconds: "2") + Film.noise(48_000, seconds: "2") + Film.h264()
                + ["-c:a", "aac", "-b:a", "128k"] + more
        ).make(in: scratch)
    }

    private func made(
        _ input: String, _ id: String, type: String = "mp4", render: RenderMode = .auto,
        _ change: (inout ExportOptions) -> Void
    ) throws -> (made: Made, streams: [Answer.Stream], options: ExportOptions) {
        var options = ExportOptions()
        change(&options)
        let made = try export(input, id, start: Time(1, 2), end: Time(3, 2), in: scratch, type: type) {
            ($0.options, $0.render) = (options, render)
            $0.output.name = "o.\(type)"
        }
        try verify(made, in: scratch)
        let answer = try Tool.ffprobe(["-show_streams", made.file], as: Answer.self)
        return (made, answer.streams, options)
    }

    private func compare(_ input: String, _ made: Made, _ options: ExportOptions) throws -> [String] {
        try Comparison(
            try scratch.source(input), try scratch.source(made.file),
            RangeRequest(start: .time(Time(1, 2)), end: .time(Time(3, 2))), options: options
        ).run(picture: nil).findings.map(\.code)
    }

    /// Audio that an option changes keeps its codec, also where that is no choice by its name: integers would clip samples in floating
    /// point.
    @Test(
        arguments: [
            ("pcm_f32le", "wav"), ("pcm_f32le", "mov"), ("pcm_f32le", "mka"), ("pcm_f64le", "wav"),
            ("pcm_f32be", "caf"), ("pcm_f32be", "aiff"), ("pcm_s24be", "aiff"), ("pcm_s16be", "aiff"),
            ("pcm_s24le", "wav"), ("eac3", "mkv"), ("eac3", "mp4"), ("ac3", "mkv"), ("flac", "mka"),
        ], ["loudness", "speed"])
    func audioThatAnOptionChangesKeepsItsCodec(_ stored: (codec: String, type: String), _ option: String)
        throws
    {
        let input = try Film(
            name: "", type: stored.type, words: Film.noise(48_000, seconds: "2") + ["-c:a", stored.codec]
        ).make(in: scratch)
        let (_, streams, _) = try made(input, "passthrough", type: stored.type) {
            if option == "speed" { $0.speed = Ratio(3, 2) } else { $0.loudness = -20 }
        }
        let kept = stored.type == "caf" ? "pcm_f32le" : stored.codec
        #expect(streams.map(\.codec_name) == [kept])
    }

    /// A rate that is asked for needs a codec whose rates may be chosen.
    @Test func aRateOfAudioLeavesEAC3() throws {
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + Film.h264()
                + ["-c:a", "eac3"]
        ).make(in: scratch)
        let (_, streams, _) = try made(input, "passthrough") { $0.audioBitRate = 128_000 }
        #expect(streams.map(\.codec_name) == ["h264", "aac"])
        let limited = try made(input, "passthrough") { ($0.loudness, $0.limitSize) = (-20, 400_000) }
        #expect(limited.streams.map(\.codec_name) == ["h264", "aac"])
    }

    @Test func aQualityIsEncodedThoughTheFilmFits() throws {
        let input = try film()
        let plain = try made(input, "m4v720", type: "m4v") { _ in }
        #expect(plain.made.result.render != .encode, "without options this film is copied")
        let fine = try made(input, "m4v720", type: "m4v") { $0.crf = 15 }
        let coarse = try made(input, "m4v720", type: "m4v") { $0.crf = 45 }
        let ways = coarse.made.result.tracks.map(\.way)
        #expect(ways == [.encode, .copy], "the audio is not touched")
        let sizes = try [fine, coarse].map { try Data(contentsOf: URL(filePath: $0.made.file)).count }
        #expect(sizes[1] * 2 < sizes[0])
    }

    @Test(arguments: ["mp4", "mkv", "webm"])
    func passthroughEncodesWhatIsTouchedAndCopiesTheRest(_ type: String) throws {
        let input =
            type == "webm"
            ? try Film(
                name: "", type: "webm",
                words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "2")
                    + ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"]
            ).make(in: scratch) : try film()
        let video = try made(input, "passthrough", type: type) { $0.rotate = 90 }
        // WebM cannot say where between two packets its audio begins: Opus is encoded again where its beginning is cut off.
        #expect(video.made.result.tracks.map(\.way) == [.encode, type == "webm" ? .encode : .copy])
        let audio = try made(input, "passthrough", type: type) { $0.audioBitRate = 64_000 }
        #expect(audio.made.result.tracks.first?.way != .encode)
        #expect(audio.made.result.tracks.last?.way == .encode)
        #expect(video.streams.map(\.codec_name) == (type == "webm" ? ["vp9", "opus"] : ["h264", "aac"]))
    }

    @Test(arguments: [
        ("h264", "aac", "mp4"), ("hevc", "opus", "mp4"), ("av1", "opus", "webm"), ("vp9", "opus", "webm"),
        ("prores", "pcm", "mov"), ("hevc", "flac", "mkv"), ("h264", "mp3", "mp4"), ("h264", "ac3", "mkv"),
        ("h264", "alac", "mov"),
    ])
    func codecsAreChosen(_ video: String, _ audio: String, _ type: String) throws {
        let input = try film("160x90")
        let made = try made(input, "passthrough", type: type) {
            $0.videoCodec = VideoCodecChoice(rawValue: video)
            $0.audioCodec = AudioCodecChoice(rawValue: audio)
        }
        #expect(made.streams.map(\.codec_name) == [video, audio == "pcm" ? "pcm_s16le" : audio])
        #expect(try compare(input, made.made, made.options).isEmpty)
    }

    @Test(arguments: [VideoCodecChoice.h264, .hevc, .vp9, .av1])
    func anAverageRateIsThatOfTheOutput(_ codec: VideoCodecChoice) throws {
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(size: "128x72", seconds: "6", filters: "noise=alls=40:allf=t") + Film.h264()
        ).make(in: scratch)
        let made = try export(input, "passthrough", in: scratch, type: "mp4") {
            $0.render = .auto
            $0.output.name = "o.mp4"
            var options = ExportOptions()
            (options.videoCodec, options.bitRate) = (codec, 100_000)
            $0.options = options
        }
        let bits = Double(try Data(contentsOf: URL(filePath: made.file)).count) * 8 / 6
        #expect(60_000...160_000 ~= bits, "\(codec): \(bits)")
    }

    @Test func anAudioRateIsThatOfEachTrack() throws {
        let made = try made(try film(), "m4v720", type: "m4v") { $0.audioBitRate = 64_000 }
        let rate = try #require(made.streams.last?.bit_rate.flatMap { Int($0) })
        #expect(50_000...80_000 ~= rate)
    }

    @Test(
        arguments: [
            ("320x180", nil, nil, "240p", [320, 180]), ("320x180", nil, nil, "160x160", [160, 90]),
            ("320x180", "160:90:10:20", nil, nil, [160, 90]), ("320x180", "160:90", 90, nil, [90, 160]),
            ("320x180", "200:100:3:5", 270, "100x100", [50, 100]),
            ("320x180", nil, 180, "1080p", [320, 180]),
            ("320x180", nil, 90, "90x160", [90, 160]),
        ] as [(String, String?, Int?, String?, [Int])])
    func framesAreCroppedThenTurnedThenScaled(
        _ size: String, _ crop: String?, _ turn: Int?, _ box: String?, _ expected: [Int]
    ) throws {
        let input = try film(size)
        let made = try made(input, "highest") {
            ($0.crop, $0.rotate) = (crop.flatMap { FrameCrop($0) }, turn)
            ($0.size, $0.crf) = (box.flatMap { FrameBox($0) }, 12)
        }
        #expect([made.streams.first?.width, made.streams.first?.height] == expected)
        #expect(try compare(input, made.made, made.options).isEmpty)
        guard crop != nil || turn != nil else { return }
        #expect(try !compare(input, made.made, ExportOptions()).isEmpty, "it is not the whole frame")
    }

    /// Every rotation for display, mirrored or not, with square pixels or not: the rectangle is the one that ffmpeg cuts from
    /// the frames that it shows.
    @Test(arguments: [0, 90, 180, 270], ["1", "4/3"])
    func aCropCountsThePixelsThatPlayersShow(_ rotation: Int, _ aspect: String) throws {
        let plain = try film("240x160", ["-bf", "0", "-aspect", aspect == "1" ? "3/2" : "2"])
        let input = try Film.turned(plain, by: rotation, in: scratch)
        let shown = rotation % 180 == 0 ? (aspect == "1" ? 240 : 320, 160) : (160, aspect == "1" ? 240 : 320)
        let made = try made(input, "highest") { ($0.crop, $0.crf) = (FrameCrop("64:48:20:30"), 10) }
        #expect([made.streams.first?.width, made.streams.first?.height] == [64, 48])
        let sums = try [
            ["-i", made.made.file, "-vf", "format=gray"],
            [
                "-ss", "0.5", "-i", input, "-vf",
                "scale=\(shown.0):\(shown.1):flags=bicubic,crop=64:48:20:30:exact=1,format=gray",
            ],
        ].map { try Tool.ffmpeg($0 + ["-frames:v", "1", "-f", "rawvideo", "-"]).map(Int.init) }
        try #require(sums[0].count == 64 * 48 && sums[1].count == sums[0].count)
        let off = zip(sums[0], sums[1]).reduce(0) { $0 + abs($1.0 - $1.1) } / sums[0].count
        #expect(off < 12, "mean difference \(off)")
    }

    @Test func aCropBeyondTheFrameIsNonsense() throws {
        let input = try film()
        let error = try refusal(input, "highest", in: scratch) {
            $0.options = ExportOptions()
            $0.options?.crop = FrameCrop("320:180:2:0")
        }
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("320x180") && error.remedy != nil)
    }

    @Test(arguments: [
        ("m4v720", "m4v", "1920x1080", "1280x720"), ("m4v-ipod", "m4v", "1280x720", "1280x720"),
    ])
    func aSizeAboveTheLevelIsRefused(_ id: String, _ type: String, _ source: String, _ box: String) throws {
        let input = try film(source, ["-t", "0.2"])
        let error = try refusal(input, id, in: scratch) {
            $0.options = ExportOptions()
            $0.options?.size = FrameBox(id == "m4v720" ? "1920x1080" : box)
        }
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains("level"))
    }

    @Test func whatTheContainerCannotHoldIsRefused() throws {
        let error = try refusal(try film(), "m4v720", in: scratch) {
            $0.options = ExportOptions()
            $0.options?.videoCodec = .hevc
        }
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains(".m4v cannot hold hevc"))
        #expect(error.remedy?.isEmpty == false)
    }
}

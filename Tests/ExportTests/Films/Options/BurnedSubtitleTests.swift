// Subtitles that are drawn on the frames, read back from the pictures: they are there on the frames that the source shows them with,
// and nowhere else, whatever the ranges, the speed and the division into chunks.
import Foundation
import Libass
import Libav
import Media
import MediaTime
import Signals
import Testing

@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct BurnedSubtitleTests {
    let scratch: Scratch

    /// The size and the rate of the film.
    private static let width = 640, height = 360, rate: Int64 = 25
    /// The events of the film, in milliseconds.
    private static let events: [(start: Int, end: Int, text: String)] = [
        (1000, 2000, "First"), (3000, 5480, "Second line\nand a third"), (7000, 9000, "Last"),
    ]
    /// The font that the programs use without a setting.
    private static let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

    init() throws {
        scratch = try Scratch()
        SubtitleFonts.use([
            .init("DejaVu", Array(try Data(contentsOf: URL(filePath: BurnedSubtitleTests.font))))
        ])
    }

    /// Options that draw a track.
    private func burning(_ track: String, speed: Ratio? = nil) -> ExportOptions {
        var options = ExportOptions()
        options.burnSubtitles = track
        options.speed = speed
        return options
    }

    /// Ten seconds of grey with a subtitle track.
    private func film(_ type: String, codec: String) throws -> String {
        let (words, file) = (scratch.name("srt"), scratch.name(type))
        func clock(_ time: Int) -> String {
            String(format: "00:00:%02d,%03d", time / 1000, time % 1000)
        }
        let text = BurnedSubtitleTests.events.enumerated().map { number, event in
            "\(number + 1)\n\(clock(event.start)) --> \(clock(event.end))\n\(event.text)\n"
        }
        try text.joined(separator: "\n").write(toFile: words, atomically: true, encoding: .utf8)
        _ = try Tool.ffmpeg([
            "-f", "lavfi", "-i", "color=gray:size=640x360:rate=25:duration=10", "-i", words, "-map", "0",
            "-map", "1",
            "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-c:s", codec, "-metadata:s:s:0",
            "language=eng", file,
        ])
        return file
    }

    /// Of each frame of a file: whether something white is on it.
    private func drawn(_ file: String) throws -> [Bool] {
        let size = BurnedSubtitleTests.width * BurnedSubtitleTests.height
        let bytes = try Tool.ffmpeg([
            "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", "-fps_mode", "passthrough", "-",
        ])
        try #require(!bytes.isEmpty && bytes.count % size == 0)
        return stride(from: 0, to: bytes.count, by: size).map { start in
            brightest(bytes[start..<start + size]) > 200
        }
    }

    /// Of each frame of a range of the film: whether an event is shown with it.
    private func expected(_ start: Time, _ end: Time) -> [Bool] {
        (0..<250).filter { start <= Time($0, 25) && Time($0, 25) < end }.map { frame in
            BurnedSubtitleTests.events.contains { $0.start <= frame * 40 && frame * 40 < $0.end }
        }
    }

    @Test(arguments: [("mkv", "subrip"), ("mkv", "ass"), ("mp4", "mov_text"), ("mkv", "webvtt")])
    func theyAreOnTheFramesThatTheSourceShowsThemWith(type: String, codec: String) throws {
        let input = try film(type, codec: codec)
        for (start, end) in [
            (Time.zero, Time(10, 1)), (Time(152, 100), Time(712, 100)), (Time(4, 1), Time(8, 1)),
        ] {
            let made = try export(input, "m4v480", start: start, end: end, in: scratch) {
                $0.options = burning("eng")
            }
            #expect(try drawn(made.file) == expected(start, end), "\(codec) \(start)")
            #expect(!made.result.tracks.contains { $0.kind == .subtitle })
            #expect(made.result.tracks.first { $0.kind == .video }?.way == .encode)
            try verify(made, in: scratch)
        }
    }

    @Test func rangesSpeedAndChunksMoveThem() throws {
        let input = try film("mkv", codec: "subrip")
        let made = try export(input, "m4v480", in: scratch) {
            $0.options = burning("default")
            $0.keep = [
                RangeSpelling(start: .time(Time(7, 1)), end: .time(Time(8, 1))),
                RangeSpelling(start: .time(Time(152, 100)), end: .time(Time(32, 10))),
            ]
        }
        #expect(
            try drawn(made.file) == expected(Time(7, 1), Time(8, 1)) + expected(Time(152, 100), Time(32, 10)))
        let whole = try export(input, "m4v480", in: scratch) {
            ($0.options, $0.render) = (burning("1"), .encode)
        }
        let divided = try exportInUnits(
            input, "m4v480", seconds: 2, in: scratch,
            adjust: {
                $0.options = burning("1")
            })
        let joined = try #require(divided.made)
        #expect(divided.files.count > 2)
        #expect(try drawn(joined.file) == expected(.zero, Time(10, 1)))
        #expect(try drawn(whole.file) == expected(.zero, Time(10, 1)))
        let fast = try export(input, "m4v480", in: scratch) {
            $0.options = burning("1", speed: Ratio(2))
        }
        // At twice the speed every second frame of the source is shown.
        let frames = try drawn(fast.file)
        #expect(abs(frames.count { $0 } * 2 - expected(.zero, Time(10, 1)).count { $0 }) <= 6)
    }

    /// FFmpeg's own filter draws the same text in the same font.
    @Test func theyLookAsFFmpegDrawsThem() throws {
        let input = try film("mkv", codec: "subrip")
        let made = try export(input, "prores422", end: Time(5, 1), in: scratch, type: "mov") {
            $0.options = burning("1")
        }
        let folder = URL(filePath: BurnedSubtitleTests.font).deletingLastPathComponent().path
        func frame(_ words: [String]) throws -> [UInt8] {
            try Tool.ffmpeg(words + ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", "-"])
        }
        let style = "force_style='Fontname=DejaVu Sans'"
        let theirs = try frame([
            "-i", input, "-vf", "subtitles=\(input):fontsdir=\(folder):\(style),trim=start=4,format=gray",
        ])
        let ours = try frame(["-ss", "4", "-i", made.file])
        try #require(theirs.count == ours.count && !ours.isEmpty)
        let errors = zip(ours, theirs).map { Double($0) - Double($1) }
        let error = errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)
        // PSNR; without the text it is below 25 dB.
        #expect(10 * log10(255 * 255 / max(error, 0.001)) > 35)
    }

    @Test(.enabled(if: Paths.hasMedia("sample_with_pgs_subtitles.mkv"), "the real films are not there"))
    func picturesAreDrawnToo() throws {
        let input = Paths.media + "/sample_with_pgs_subtitles.mkv"
        let asset = try Probe.asset(of: try scratch.source(input))
        let track = try #require(asset.subtitleTracks.first)
        func frames(_ change: (inout ExportRequest) -> Void) throws -> [[UInt8]] {
            let made = try export(input, "m4v480", in: scratch) {
                ($0.options, $0.render) = (ExportOptions(), .encode)
                change(&$0)
            }
            let track = made.result.tracks.first { $0.kind == .video }
            let video = try #require(track)
            let (width, height) = (try #require(video.width), try #require(video.height))
            let size = width * height
            let bytes = try Tool.ffmpeg(["-i", made.file, "-f", "rawvideo", "-pix_fmt", "gray", "-"])
            return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<$0 + size]) }
        }
        let plain = try frames { _ in }
        let drawn = try frames { $0.options?.burnSubtitles = "\(track.index)" }
        #expect(plain.count == drawn.count)
        let changed = zip(plain, drawn).map { one, other in
            zip(one, other).contains { abs(Int($0) - Int($1)) > 60 }
        }
        #expect(changed.contains(true))
    }

    @Test func subtitlesThatCannotBeDrawnAreRefusedOrWarnedOf() throws {
        let input = try film("mkv", codec: "subrip")
        #expect(
            try refusal(input, "m4v480", in: scratch) { $0.options = burning("fre") }.code == .invalidRequest)
        #expect(
            try refusal(input, "gif", in: scratch) { $0.options = burning("eng") }.code == .presetNotValid)
        #expect(throws: MediaError.self) { try burning("eng").check(.copy) }
        let font = try #require(SubtitleFonts.all.first)
        #expect(FontFile.missing(in: "Añ\u{1F600} \u{4E2D}", from: [font]).map(\.value).contains(0x4E2D))
        #expect(FontFile.missing(in: "Grüße, 1 < 2", from: [font]).isEmpty)
        #expect(FontFile([1, 2, 3]) == nil)
    }

    @Test(arguments: ["yuv420p", "yuv420p10le", "yuv422p10le", "yuva444p10le", "nv12"])
    func planarFramesCanBeDrawnOn(format: String) {
        #expect(Frame.canDraw(on: format))
    }

    @Test(arguments: ["pal8", "rgb24", "gbrpf32le", "none"]) func othersCannot(format: String) {
        #expect(!Frame.canDraw(on: format))
    }
}

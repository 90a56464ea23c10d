// Subtitles on the pictures and segments of a preview, read back from them: on the frames that they are for, in their places, and on no others.
import Foundation
import Media
import MediaTime
import Testing

@testable import Pictures
@testable import Render

@Suite(.timeLimit(.minutes(10))) struct PreviewSubtitleTests {
    let scratch: Scratch

    /// The size of the films.
    private static let width = 320, height = 180
    /// The font that the programs use without a setting.
    private static let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
    private static let text = """
        1
        00:00:00,480 --> 00:00:01,000
        Below

        2
        00:00:01,480 --> 00:00:02,480
        {\\an8}<i>Above</i>

        """

    init() throws {
        scratch = try Scratch()
        let font = try Data(contentsOf: URL(filePath: PreviewSubtitleTests.font))
        SubtitleFonts.use([SubtitleFonts.Given(PreviewSubtitleTests.font, Array(font))])
    }

    /// Three seconds of grey with a subtitle track, number 1.
    private func film(_ text: String = text) throws -> String {
        let (words, file) = (scratch.name("srt"), scratch.name("mkv"))
        try text.write(toFile: words, atomically: true, encoding: .utf8)
        _ = try Tool.ffmpeg([
            "-f", "lavfi", "-i", "color=gray:size=320x180:rate=25:duration=3", "-i", words, "-map", "0",
            "-map", "1", "-c:v", "libx264", "-preset", "ultrafast", "-c:s", "ass", file,
        ])
        return file
    }

    /// The grey pictures of a file.
    private func pictures(_ file: String, _ size: Int = width * height) throws -> [[UInt8]] {
        let bytes = try Tool.ffmpeg([
            "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", "-fps_mode", "passthrough", "-",
        ])
        try #require(!bytes.isEmpty && bytes.count % size == 0)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<$0 + size]) }
    }

    /// The halves of a picture on which something white is.
    private func halves(_ picture: [UInt8]) -> String {
        let half = picture.count / 2
        return (picture[..<half].contains { $0 > 200 } ? "above" : "")
            + (picture[half...].contains { $0 > 200 } ? "below" : "")
    }

    /// The half on which the film's text is at a frame.
    private func expected(_ frame: Int) -> String {
        12..<25 ~= frame ? "below" : 37..<62 ~= frame ? "above" : ""
    }

    private func segment(
        _ input: String, from start: Time, _ duration: Time, width: Int = 640, subtitles: Int?
    ) throws -> (file: String, report: SegmentReport) {
        let file = scratch.name("mp4")
        let report = try PreviewSegment(
            try scratch.source(input), from: start, duration: duration, width: width, track: nil,
            subtitles: subtitles
        ).run(output: try scratch.output(file))
        return (file, report)
    }

    private func still(_ input: String, at time: Time, width: Int, subtitles: Int?) throws -> String {
        let file = scratch.name("jpg")
        _ = try ThumbnailStrip(
            try scratch.source(input), at: [.time(time)], width: width, keyframes: false,
            subtitles: subtitles
        ).run(output: try scratch.output(file))
        return file
    }

    @Test func segmentsShowThemInTheirPlacesAndTimes() throws {
        let input = try film()
        // The second one begins while a text is shown.
        for (start, frames) in [(Time.zero, 0..<50), (Time(2, 1), 50..<75)] {
            let made = try segment(input, from: start, Time(2, 1), subtitles: 1)
            #expect(try pictures(made.file).map(halves) == frames.map(expected), "\(start)")
        }
        let plain = try segment(input, from: .zero, Time(2, 1), subtitles: nil)
        #expect(try pictures(plain.file).allSatisfy { halves($0).isEmpty })
    }

    @Test func picturesAtRestShowThemToo() throws {
        let input = try film()
        for frame in [11, 12, 24, 25, 37, 61, 62] {
            let file = try still(input, at: Time(Int64(frame), 25), width: 320, subtitles: 1)
            #expect(try pictures(file).map(halves) == [expected(frame)], "\(frame)")
        }
        let plain = try still(input, at: Time(12, 25), width: 320, subtitles: nil)
        #expect(try pictures(plain).map(halves) == [""])
    }

    /// Styles are drawn: the same words upright are another picture.
    @Test func theyKeepTheirStyles() throws {
        let upright = try film(Self.text.replacingOccurrences(of: "<i>Above</i>", with: "Above"))
        let files = try [try film(), upright].map {
            try still($0, at: Time(45, 25), width: 320, subtitles: 1)
        }
        let (italic, plain) = (
            try #require(try pictures(files[0]).first), try #require(try pictures(files[1]).first)
        )
        #expect(zip(italic, plain).contains { abs(Int($0) - Int($1)) > 100 })
    }

    @Test(
        .enabled(if: Paths.hasMedia("sample_with_pgs_subtitles.mkv"), "the real films are not there"),
        arguments: ["copy", "dvdsub"])
    func subtitlesOfPicturesAreDrawn(codec: String) throws {
        let input = scratch.name("mkv")
        _ = try Tool.ffmpeg([
            "-i", Paths.media + "/sample_with_pgs_subtitles.mkv", "-map", "0:v", "-map", "0:s", "-c", "copy",
            "-c:s", codec, input,
        ])
        func frames(_ subtitles: Int?) throws -> [[UInt8]] {
            let made = try segment(input, from: .zero, Time(2, 1), width: 320, subtitles: subtitles)
            let video = try #require(made.report.video)
            return try pictures(made.file, video.width * video.height)
        }
        let changed = zip(try frames(nil), try frames(1)).map { one, other in
            zip(one, other).contains { abs(Int($0) - Int($1)) > 60 }
        }
        #expect(changed.contains(true))
    }

    @Test func aTrackThatIsNoneIsRefused() throws {
        let input = try film()
        for track in [0, 2] {
            #expect { try segment(input, from: .zero, Time(1, 1), subtitles: track) } throws: { error in
                (error as? MediaError)?.code == .noSourceTrack
            }
            #expect { try still(input, at: .zero, width: 320, subtitles: track) } throws: { error in
                (error as? MediaError)?.code == .noSourceTrack
            }
        }
    }
}

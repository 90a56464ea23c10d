// The text of subtitles for a player: what is shown at some moment of a part, as plain text, whatever the codec and the container.
import Foundation
import Media
import MediaTime
import Testing

@testable import Pictures
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct TextCuesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A film of eight seconds with a subtitle track, number 1.
    private func film(_ text: String, _ type: String = "srt", codec: String, in container: String) throws
        -> String
    {
        let (words, file) = (scratch.name(type), scratch.name(container))
        try text.write(toFile: words, atomically: true, encoding: .utf8)
        let video =
            container == "webm"
            ? ["libvpx", "-deadline", "realtime", "-cpu-used", "8"] : ["libx264", "-preset", "ultrafast"]
        _ = try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "color=gray:size=64x48:rate=25:duration=8", "-i", words, "-map", "0",
                "-map", "1",
            ]
                + ["-c:v"] + video + ["-c:s", codec, file])
        return file
    }

    private func cues(_ file: String, from: Int64? = nil, to: Int64? = nil, track: Int = 1) throws
        -> CuesReport
    {
        func time(_ milliseconds: Int64?) -> TimeSpelling? { milliseconds.map { .time(Time($0, 1000)) } }
        return try TextCues(try scratch.source(file), track: track, from: time(from), to: time(to)).run()
    }

    private static let text = """
        1
        00:00:01,000 --> 00:00:03,000
        <i>First</i> & <b>bold</b>

        2
        00:00:04,000 --> 00:00:05,480
        Two lines,
        of one event

        3
        00:00:06,000 --> 00:00:07,000
        Last

        """

    @Test(arguments: [
        ("subrip", "mkv"), ("ass", "mkv"), ("webvtt", "webm"), ("webvtt", "mkv"), ("mov_text", "mp4"),
    ])
    func eventsOfEveryCodecArePlainText(codec: String, container: String) throws {
        let file = try film(Self.text, codec: codec, in: container)
        let all = try cues(file)
        #expect(all.cues.map(\.text) == ["First & bold", "Two lines,\nof one event", "Last"])
        #expect(all.cues.map { $0.start.seconds } == [1, 4, 6])
        #expect(all.cues.map { $0.end.seconds } == [3, 5.48, 7])
        #expect(all.track == 1 && all.range.start == .zero)
        // Those that reach into the part are there whole.
        let part = try cues(file, from: 2000, to: 4500).cues.map(\.text)
        #expect(part == ["First & bold", "Two lines,\nof one event"])
        #expect(try cues(file, from: 3000, to: 4000).cues.isEmpty)
        #expect(try cues(file, from: 5000, to: 5100).cues.map { $0.start.seconds } == [4])
    }

    @Test func drawingsAndStylesAreLeftOut() throws {
        let line = "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,"
        let text = """
            [Script Info]
            ScriptType: v4.00+

            [V4+ Styles]
            Format: Name, Fontname, Fontsize
            Style: Default,Sans,20

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            \(line){\\an8\\b1}One,{\\b0} two\\Nthree\\hfour
            \(line){\\p1}m 0 0 l 10 0 10 10{\\p0}
            \(line){\\p2}m 0 0 l 10 0{\\p0}kept

            """
        let file = try film(text, "ass", codec: "ass", in: "mkv")
        #expect(try cues(file).cues.map(\.text) == ["One, two\nthree\u{A0}four", "kept"])
    }

    /// An answer is bounded: the next one goes on where it ends, and nothing is lost.
    @Test func aReportThatIsFullSaysWhereItEnds() throws {
        let many = (0..<400).map { number in
            func clock(_ time: Int) -> String { String(format: "00:00:%02d,%03d", time / 1000, time % 1000) }
            let words = String(repeating: "word \(number) ", count: 120)
            return "\(number + 1)\n\(clock(number * 15 + 10)) --> \(clock(number * 15 + 40))\n\(words)\n"
        }
        let file = try film(many.joined(separator: "\n"), codec: "subrip", in: "mkv")
        var found: [Int] = [], from: Int64 = 0, rounds = 0
        while from < 8000, rounds < 20 {
            let part = try cues(file, from: from)
            #expect(try JSONEncoder().encode(part).count < 900_000)
            found += part.cues.compactMap { Int($0.text.split(separator: " ")[1]) }
            let end = Int64((part.range.end.seconds * 1000).rounded())
            try #require(end > from)
            (from, rounds) = (end, rounds + 1)
        }
        #expect(rounds > 1 && Set(found) == Set(0..<400))
    }

    @Test func otherTracksAreRefused() throws {
        let file = try film(Self.text, codec: "subrip", in: "mkv")
        for track in [0, 7] {
            let error = #expect(throws: MediaError.self) { try cues(file, track: track) }
            #expect(error?.code == .noSourceTrack && error?.remedy?.contains("1") == true)
        }
        let late = #expect(throws: MediaError.self) { try cues(file, from: 9000) }
        #expect(late?.code == .invalidTime)
    }

    @Test(.enabled(if: Paths.hasMedia("sample_with_pgs_subtitles.mkv"), "the real films are not there"))
    func picturesAreNoText() throws {
        let input = Paths.media + "/sample_with_pgs_subtitles.mkv"
        let track = try #require(try Probe.asset(of: try scratch.source(input)).subtitleTracks.first)
        let error = #expect(throws: MediaError.self) { try cues(input, track: track.index) }
        #expect(error?.code == .operationNotSupported)
    }
}

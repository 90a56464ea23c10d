// Subtitles of real files, cut, shifted and converted; checked with ffprobe and ffmpeg.
import FoundationEssentials
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

struct TextFilmTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Ten seconds of film with two tracks of the same events.
    private func film(_ type: String, _ codec: String, video: [String] = Film.h264())
        throws -> String
    {
        let text = scratch.name("srt")
        let events = [
            ("00:00:00,500", "00:00:04,000", "Spans the <i>start</i>"),
            ("00:00:03,500", "00:00:05,000", "Overlaps"),
            ("00:00:06,000", "00:00:06,500", "Inside"), ("00:00:07,500", "00:00:09,500", "Spans the end"),
            ("00:00:09,600", "00:00:09,900", "Behind"),
        ]
        try events.enumerated().map { "\($0 + 1)\n\($1.0) --> \($1.1)\n\($1.2)\n" }.joined(separator: "\n")
            .write(toFile: text, atomically: false, encoding: .utf8)
        return try Film(
            name: "", type: type,
            words: Film.video(seconds: "10") + ["-i", text] + video
                + [
                    "-map", "0:v", "-map", "1:s", "-map", "1:s", "-c:s", codec,
                    "-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=deu",
                    "-disposition:s:0", "default", "-disposition:s:1", "forced",
                ]
        ).make(in: scratch)
    }

    /// Start and end of each event in milliseconds, and its text, as ffmpeg writes it.
    private func events(_ file: String, track: Int = 0) throws -> [String] {
        let bytes = try Tool.ffmpeg(["-i", file, "-map", "0:s:\(track)", "-f", "srt", "-"])
        let lines = String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        return lines.split(separator: "\n\n", omittingEmptySubsequences: true).map {
            $0.split(separator: "\n").dropFirst().joined(separator: " ")
        }
    }

    private static let overlapping = [
        "00:00:00,000 --> 00:00:01,000 Spans the <i>start</i>", "00:00:00,500 --> 00:00:02,000 Overlaps",
        "00:00:03,000 --> 00:00:03,500 Inside", "00:00:04,500 --> 00:00:05,000 Spans the end",
    ]
    /// The same where samples follow each other.
    private static let continuous = [
        "00:00:00,000 --> 00:00:00,500 Spans the <i>start</i>",
        "00:00:00,500 --> 00:00:01,000 Spans the <i>start</i> Overlaps",
        "00:00:01,000 --> 00:00:02,000 Overlaps",
        "00:00:03,000 --> 00:00:03,500 Inside", "00:00:04,500 --> 00:00:05,000 Spans the end",
    ]

    /// Joined parts, the later one first: each event in each part that shows it.
    @Test(arguments: [("subrip", "mkv"), ("ass", "mkv"), ("subrip", "mp4"), ("mov_text", "mov")])
    func eventsComeAlongIntoJoinedParts(codec: String, to: String) throws {
        let parts = try ["7..10", "3..5", "0..1"].map { try RangeSpelling.parse($0) }
        let made = try export(
            film(codec == "mov_text" ? "mp4" : "mkv", codec), "m4v480", in: scratch, type: to
        ) {
            $0.preset.fileTypes = [to]
            $0.keep = parts
            $0.output.name = "out.\(to)"
        }
        var expected = [
            "00:00:00,500 --> 00:00:02,500 Spans the end", "00:00:02,600 --> 00:00:02,900 Behind",
        ]
        let middle =
            switch (codec, to) {
            case (_, "mkv"):
                [
                    "00:00:03,000 --> 00:00:04,000 Spans the <i>start</i>",
                    "00:00:03,500 --> 00:00:05,000 Overlaps",
                ]
            // The film itself has no overlap any more.
            case ("mov_text", _):
                [
                    "00:00:03,000 --> 00:00:03,500 Spans the <i>start</i>",
                    "00:00:03,500 --> 00:00:05,000 Overlaps",
                ]
            default:
                [
                    "00:00:03,000 --> 00:00:03,500 Spans the <i>start</i>",
                    "00:00:03,500 --> 00:00:04,000 Spans the <i>start</i> Overlaps",
                    "00:00:04,000 --> 00:00:05,000 Overlaps",
                ]
            }
        expected += middle
        expected.append("00:00:05,500 --> 00:00:06,000 Spans the <i>start</i>")
        for track in 0...1 { #expect(try events(made.file, track: track) == expected) }
        #expect(!made.result.dropped.contains { $0.what.contains("subtitle") })
        try verify(made, in: scratch)
    }

    @Test(arguments: [
        ("subrip", "mp4"), ("ass", "m4v"), ("subrip", "mov"), ("subrip", "mkv"), ("ass", "mkv"),
        ("webvtt", "mkv"),
    ])
    func eventsAreCutToTheRange(codec: String, to: String) throws {
        let made = try export(
            film("mkv", codec), "passthrough", start: Time(3, 1), end: Time(8, 1), in: scratch, type: to
        ) {
            $0.render = .auto
            $0.output.name = "out.\(to)"
        }
        for track in 0...1 {
            let found = try events(made.file, track: track)
            #expect(found == (to == "mkv" ? Self.overlapping : Self.continuous))
        }
        let texts = try Carried.of(made.file).streams("subtitle")
        let german = to == "mkv" ? "ger" : "deu"
        #expect(texts.map { $0.tags?["language"] } == ["eng", german])
        #expect(texts.map { $0.disposition["default"] } == [1, 0])
        // The flag that ffprobe calls forced in an mp4 only, trimd finds in every movie.
        let own = try Probe.asset(of: scratch.source(made.file)).tracks.filter { $0.kind == .subtitle }
        #expect(own.map { $0.dispositions.contains("forced") } == [false, true])
        #expect(made.result.tracks.map(\.kind) == [.video, .subtitle, .subtitle])
        try verify(made, in: scratch)
    }

    @Test func subtitlesAreKeptWithEncodedVideoAndDoNotLengthenTheMovie() throws {
        let input = try film("mkv", "subrip")
        let made = try export(input, "m4v720", start: Time(3, 1), end: Time(8, 1), in: scratch)
        #expect(try events(made.file) == Self.continuous)
        #expect(try Carried.of(made.file).format.duration == "5.000000")
        let output = try Truth(made.file)
        let wanted = try expected(Truth(input).frames(), start: Time(3, 1), end: Time(8, 1))
        #expect(try output.frames().map(\.time) == wanted.times)
        try verify(made, in: scratch)
    }

    @Test func textOfMoviesIsCopiedBetweenMoviesAndConvertedElsewhere() throws {
        let input = try export(film("mkv", "subrip"), "passthrough", in: scratch, type: "mp4") {
            $0.render = .auto
            $0.output.name = "out.mp4"
        }.file
        for (type, way, codec) in [("mov", RenderMode.copy, "mov_text"), ("mkv", .encode, "subrip")] {
            let made = try export(
                input, "passthrough", start: Time(3, 1), end: Time(8, 1), in: scratch, type: type
            ) {
                $0.render = .auto
                $0.output.name = "out.\(type)"
            }
            let text = made.result.tracks.filter { $0.kind == .subtitle }
            #expect(text.map(\.way) == [way, way] && text.map(\.codec) == [codec, codec])
            #expect(try events(made.file) == Self.continuous)
            try verify(made, in: scratch)
        }
    }

    @Test func webMHasWebVTT() throws {
        let input = try film(
            "mkv", "subrip",
            video: ["-c:v", "libvpx", "-g", "1", "-deadline", "realtime", "-cpu-used", "8"])
        let made = try export(
            input, "passthrough", start: Time(3, 1), end: Time(8, 1), in: scratch, type: "webm"
        ) {
            $0.render = .auto
            $0.output.name = "out.webm"
        }
        #expect(try Carried.of(made.file).streams("subtitle").map(\.codec_name) == ["webvtt", "webvtt"])
        #expect(try events(made.file) == Self.overlapping)
    }

    @Test func anEventThatOutlastsTheFilmMakesItNoLonger() throws {
        let text = scratch.name("srt")
        try "1\n00:00:01,000 --> 09:00:00,000\nFor ever\n\n2\n10:00:00,000 --> 10:00:01,000\nLate\n"
            .write(toFile: text, atomically: false, encoding: .utf8)
        let input = try Film(
            name: "", type: "mkv",
            words: Film.video(seconds: "2") + ["-i", text] + Film.h264() + ["-map", "0:v", "-map", "1:s"]
        ).make(in: scratch)
        for end in [nil, Time(5, 1)] {
            let made = try export(input, "m4v720", end: end, in: scratch)
            #expect(try Carried.of(made.file).format.duration == "2.000000")
            #expect(try events(made.file) == ["00:00:01,000 --> 00:00:02,000 For ever"])
        }
    }

    @Test func aTrackWithNothingInTheRangeIsLeftOut() throws {
        let made = try export(film("mkv", "subrip"), "m4v720", end: Time(1, 4), in: scratch)
        #expect(try Carried.of(made.file).streams("subtitle").isEmpty)
        #expect(made.result.dropped.filter { $0.reason.contains("nothing in the range") }.count == 2)
    }

    @Test(.enabled(if: Paths.hasMedia("sample_with_pgs_subtitles.mkv"), "the real films are not there"))
    func bitmapsOnScreenAtTheInPointAreKept() throws {
        let input = scratch.name("mkv")
        try Tool.ffmpeg([
            "-i", film("mkv", "subrip"), "-itsoffset", "2.5", "-i",
            Paths.media + "/sample_with_pgs_subtitles.mkv", "-map", "0:v", "-map", "1:s", "-c", "copy",
            input,
        ])
        let made = try export(
            input, "passthrough", start: Time(3, 1), end: Time(8, 1), in: scratch, type: "mkv"
        ) {
            $0.render = .auto
            $0.output.name = "out.mkv"
        }
        let output = try Carried.of(made.file, packets: true)
        let events = output.events(of: 1)
        #expect(events.map(\.pts_time) == ["0.000000", "0.740000"])
        #expect(events.map(\.size) == ["25122", "30"])
        // Between two showings there is nothing.
        let late = try export(
            input, "passthrough", start: Time(4, 1), end: Time(8, 1), in: scratch, type: "mkv"
        ) {
            $0.render = .auto
            $0.output.name = "out.mkv"
        }
        #expect(try Carried.of(late.file).streams("subtitle").isEmpty)
        let movie = try export(input, "m4v720", start: Time(3, 1), end: Time(4, 1), in: scratch)
        #expect(movie.result.dropped.contains { $0.track == 1 && $0.reason.contains("converted to text") })
    }

    @Test func eventsThatOverlapAreLaidOut() {
        var timeline = TextTimeline<String>()
        var all = timeline.add(start: 5, end: 10, "a") + timeline.add(start: 7, end: 8, "b")
        all += timeline.add(start: 12, end: 14, "c") + timeline.finish()
        #expect(
            all.map { [$0.start, $0.end] } == [[0, 5], [5, 7], [7, 8], [8, 10], [10, 12], [12, 14]])
        #expect(all.map(\.payloads) == [[], ["a"], ["a", "b"], ["a"], [], ["c"]])
        #expect(
            StyledLine.joined(["0,0,Default,,0,0,0,,a, b", "1,0,Default,,0,0,0,,c"])
                == "0,0,Default,,0,0,0,,a, b\\N{\\r}c")
    }
}

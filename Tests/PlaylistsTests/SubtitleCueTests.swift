// Subtitles of playlists: WebVTT segments as one file, in the container's time.
import MediaTime
import Testing

@testable import Playlists

@Suite struct SubtitleCueTests {
    private func file(_ segments: [String], zero: Time = .zero, length: Int = 6) throws -> [String] {
        var cues = SubtitleCues(zero: zero)
        for (index, text) in segments.enumerated() {
            try cues.append(Array(text.utf8), startingAt: Time(seconds: index * length), line: index + 1)
        }
        let text = String(decoding: cues.file, as: UTF8.self)
        #expect(text.hasPrefix("WEBVTT\n\n"))
        return text.split(separator: "\n\n").dropFirst().map(String.init)
    }

    @Test func cuesAsTheyAreWritten() throws {
        let text = """
            \u{FEFF}WEBVTT - a title
            Region: id=x

            STYLE
            ::cue { color: red }

            NOTE nothing
            more

            1
            00:01.000 --> 00:02.500 align:left  line:0
            <i>One</i>
            two

            nonsense
            00:00:03.000 --> 00:00:04.000
            Three
            00:00:05.000 --> 00:00:04.000
            Backwards
            01:00:00.000 --> 01:00:01.000
            Late
            """
        let expected = [
            "00:00:01.000 --> 00:00:02.500 align:left line:0\n<i>One</i>\ntwo",
            "00:00:03.000 --> 00:00:04.000\nThree", "01:00:00.000 --> 01:00:01.000\nLate",
        ]
        #expect(try file([text]) == expected)
        #expect(try file([text.replacing("\n", with: "\r\n")]) == expected)
        #expect(try file([text.replacing("\n", with: "\r")]) == expected)
    }

    @Test func timesFollowTheMap() throws {
        let cue = "\n\n00:00:01.000 --> 00:00:02.000\nA\n"
        // The film begins at 1.4 s of its clock.
        let zero = Time(14, 10)
        #expect(try file(["WEBVTT" + cue], zero: zero) == ["00:00:02.400 --> 00:00:03.400\nA"])
        #expect(
            try file(["WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000" + cue], zero: Time(10, 1))
                == ["00:00:11.000 --> 00:00:12.000\nA"])
        #expect(
            try file(["WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:01.000,MPEGTS:180000" + cue])
                == ["00:00:02.000 --> 00:00:03.000\nA"])
        // Where the clock of 33 bits began anew, times are those of the film.
        let wrapped = (1 << 33) - 90_000
        #expect(
            try file(["WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:\(wrapped),LOCAL:00:00:00.000" + cue])
                == ["00:00:00.000 --> 00:00:01.000\nA"])
    }

    @Test func aCueInSeveralSegmentsIsOne() throws {
        let long = "00:00:05.000 --> 00:00:13.000\nLong\n\n"
        let found = try file([
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nA\n\n" + long,
            "WEBVTT\n\n" + long + "00:00:07.000 --> 00:00:08.000\nA\n", "WEBVTT\n\n" + long, "",
        ])
        #expect(
            found == [
                "00:00:01.000 --> 00:00:02.000\nA", "00:00:05.000 --> 00:00:13.000\nLong",
                "00:00:07.000 --> 00:00:08.000\nA",
            ])
        // Each segment has a map of its own, which is rounded.
        let mapped = try file([
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n" + long,
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:540030,LOCAL:00:00:06.000\n\n" + long,
        ])
        #expect(mapped == ["00:00:05.000 --> 00:00:13.000\nLong"])
    }

    @Test func nothingIsShownBeforeTheFilm() throws {
        let cues =
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"
            + "00:00:00.000 --> 00:00:01.000\nGone\n\n00:00:01.000 --> 00:00:02.000\nCut\n"
        #expect(try file([cues], zero: Time(13_335, 10_000)) == ["00:00:01.334 --> 00:00:02.000\nCut"])
    }

    @Test(arguments: ["{\"a\":1}", "WEBVTTX\n", "1\n00:00:01,000 --> 00:00:02,000\nSubRip\n", "\u{0}\u{0}"])
    func anythingButWebVTT(_ text: String) throws {
        let error = try #require(throws: PlaylistError.self) { try file([text]) }
        #expect(error.reason == .malformed && error.line == 1)
    }

    @Test func moreThanAnyFilmHas() throws {
        let many = (0..<SubtitleCues.mostCues / 4 + 1).map {
            "\($0 / 60):\(10 + $0 % 50).000 --> 99:00:00.000\n\($0)\n\n"
        }.joined()
        var cues = SubtitleCues(zero: .zero)
        let error = try #require(throws: PlaylistError.self) {
            for index in 0..<5 {
                try cues.append(
                    Array("WEBVTT\n\n\(many.replacing("99:", with: "9\(index):"))".utf8), startingAt: .zero,
                    line: 1)
            }
        }
        #expect(error.reason == .tooLarge)
        let large = [UInt8](repeating: 0x41, count: SubtitleCues.mostSegmentBytes + 1)
        #expect(throws: PlaylistError.self) { try cues.append(large, startingAt: .zero, line: 1) }
    }
}

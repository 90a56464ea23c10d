// Timecode of real files, moved on by the in point; checked with ffprobe and mediainfo.
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

struct TimecodeFilmTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ type: String, _ timecode: String, rate: String = "30000/1001") throws -> String {
        try Film(
            name: "", type: type,
            words: Film.video(rate, size: "64x48", seconds: "5") + Film.noise(48_000, seconds: "5")
                + Film.h264()
                + ["-c:a", "aac", "-timecode", timecode]
        ).make(in: scratch)
    }

    @Test(arguments: [
        // The first two numbers of most minutes do not exist.
        ("mov", "00:00:59;00", "m4v", "00:01:00;02"), ("mp4", "01:00:00:00", "m4v", "01:00:01:00"),
        ("mkv", "09:59:59;00", "m4v", "10:00:00;00"), ("mov", "23:59:59;10", "mp4", "00:00:00;10"),
        ("mov", "00:00:59;00", "mkv", "00:01:00;02"),
    ])
    func itGoesOnFromTheInPoint(from: String, timecode: String, to: String, wanted: String) throws {
        let preset = to == "m4v" ? "m4v720" : "passthrough"
        let made = try export(
            film(from, timecode), preset, start: Time(30_030, 30_000), end: Time(3, 1), in: scratch, type: to
        ) {
            $0.render = to == "m4v" ? .encode : .auto
            $0.output.name = "out.\(to)"
        }
        let output = try Carried.of(made.file)
        if to == "mkv" {
            #expect(output.tags["timecode"] == wanted)
        } else {
            #expect(output.streams("video").first?.tags?["timecode"] == wanted)
            #expect(output.streams("data").map(\.codec_tag_string) == ["tmcd"])
            #expect(
                try Tool.output(["mediainfo", made.file]).contains(
                    "Time code of first frame                 : \(wanted)"))
            let length = try #require(Double(output.format.duration ?? ""))
            #expect(length < 2.0, "\(length)")
        }
        #expect(made.result.dropped.isEmpty, "\(made.result.dropped)")
        try verify(made, in: scratch)
    }

    /// Samples that are hidden before the in point are no part of the timecode's length, nor of the movie's.
    @Test(arguments: ["mov", "mp4"]) func underCopyItIsAsLongAsTheMovie(type: String) throws {
        let made = try export(
            film("mov", "01:00:00:00", rate: "25"), "passthrough", start: Time(17, 10), end: Time(302, 100),
            in: scratch, type: type
        ) {
            $0.render = .copy
            $0.output.name = "out.\(type)"
        }
        try #require(made.result.tracks.first?.framesHidden ?? 0 > 0)
        let output = try Carried.of(made.file)
        #expect(output.streams("data").map(\.duration) == ["1.320000"])
        #expect(output.format.duration == "1.320000")
        let boxes = try #require(MovieBoxes(scratch.source(made.file)))
        let code = try #require(boxes.tracks.first { $0.handler == Array("tmcd".utf8) })
        #expect(
            code.edits.map { Time($0.duration, Int32(clamping: boxes.movieTimescale)) } == [Time(132, 100)])
        try verify(made, in: scratch)
    }

    @Test func aFrameRateCapCountsSlower() throws {
        let made = try export(
            film("mov", "01:00:00;00", rate: "60000/1001"), "m4v720", start: Time(1001, 500), end: Time(4, 1),
            in: scratch)
        #expect(try Carried.of(made.file).streams("video").first?.tags?["timecode"] == "01:00:02;00")
    }

    /// The clock goes on, and a second has as many numbers as the output has frames.
    @Test(
        arguments: [
            ("30000/1001", "19:26:48:04", Ratio(15), Ratio(80 * 1001, 30_000), "19:26:50:12"),
            ("30000/1001", "19:26:48:04", Ratio(10), Ratio(80 * 1001, 30_000), "19:26:50:08"),
            ("30000/1001", "19:26:48:04", Ratio(15_000, 1001), Ratio(80 * 1001, 30_000), "19:26:50:12"),
            ("50", "10:00:00:30", Ratio(10), Ratio(9, 5), "10:00:02:04"),
            ("50", "10:00:00:30", Ratio(25, 2), Ratio(9, 5), nil),
            ("24", "00:59:59:23", Ratio(25), Ratio(1), "01:00:00:23"),
            ("30000/1001", "00:00:59;00", Ratio(60_000, 1001), Ratio(1001, 1000), "00:01:00;04"),
            ("30000/1001", "00:00:59;00", Ratio(25), Ratio(1001, 1000), nil),
            ("30000/1001", "00:00:59;00", Ratio(60), Ratio(1001, 1000), nil),
            ("15", "01:00:00:07", Ratio(15), Ratio(1), "01:00:01:07"),
        ] as [(String, String, Ratio?, Ratio?, String?)])
    func itIsCountedAtTheRateOfTheOutput(
        _ own: String, _ timecode: String, _ rate: Ratio?, _ start: Ratio?, _ wanted: String?
    ) throws {
        let start = try #require(start)
        for type in ["mov", "mkv"] {
            let made = try export(
                film("mov", timecode, rate: own), "passthrough",
                start: Time(start.numerator, Int32(start.denominator)),
                end: Time(4, 1), in: scratch, type: type
            ) {
                $0.render = .auto
                $0.options = ExportOptions()
                $0.options?.frameRate = rate
                $0.output.name = "out.\(type)"
            }
            let output = try Carried.of(made.file)
            let written =
                type == "mkv" ? output.tags["timecode"] : output.streams("video").first?.tags?["timecode"]
            // At ten frames a second, one digit counts them.
            #expect(numbers(written) == numbers(wanted), "\(type)")
            #expect(
                made.result.dropped.contains { $0.what.contains("data") || $0.what.contains("timecode") }
                    == (wanted == nil))
        }
    }

    private func numbers(_ timecode: String?) -> [Int]? {
        timecode.map { $0.split { ":;".contains($0) }.compactMap { Int($0) } }
    }

    /// The same numbers name another frame where they are counted otherwise.
    @Test(arguments: ["01:00:58;10", "01:00:58:10"]) func itIsReadAsTheFileCounts(_ timecode: String) throws {
        let film = try film("mov", timecode)
        for spelled in ["01:00:59;10", "01:00:59:10"] {
            func made() throws -> Made {
                try export(film, "passthrough", in: scratch, type: "mov") {
                    $0.start = try? TimeSpelling.parse(spelled)
                    $0.render = .auto
                    $0.output.name = "out.mov"
                }
            }
            guard spelled.contains(";") != timecode.contains(";") else {
                #expect(try Carried.of(made().file).streams("video").first?.tags?["timecode"] == spelled)
                continue
            }
            let error = try #require(throws: MediaError.self) { try made() }
            #expect(error.code == .invalidTime && error.message.contains(timecode), "\(error)")
        }
    }

    @Test(arguments: ["mp4", "ts"]) func aJoinNamesTheTimecodesOfItsParts(_ type: String) throws {
        let film = try film("mov", "01:00:00:00", rate: "25")
        func made(_ parts: [(Int64, Int64)]) throws -> Made {
            try export(film, "passthrough", in: scratch, type: type) {
                $0.keep = parts.map { RangeSpelling(start: .time(Time($0.0, 1)), end: .time(Time($0.1, 1))) }
                $0.render = .auto
                $0.output.name = "out.\(type)"
            }
        }
        let named = try made([(1, 2), (3, 4)]).result.dropped.filter { $0.what.contains("start timecodes") }
        #expect(named.map(\.what) == ["start timecodes of the parts 01:00:01:00, 01:00:03:00"])
        #expect(
            named.map(\.reason) == [
                type == "mp4"
                    ? "they are joined, and the output counts on from 01:00:01:00"
                    : "they are joined, and the output has no timecode"
            ])
        // Parts that follow each other are one.
        let one = try made([(1, 2), (2, 4)]).result.dropped
        #expect(!one.contains { $0.what.contains("start timecodes") })
    }

    @Test func aTimecodeWithoutFramesIsNamed() throws {
        let made = try export(film("mov", "01:00:00:00"), "m4a", in: scratch)
        #expect(made.result.dropped.contains { $0.reason.contains("no frames to count") })
    }
}

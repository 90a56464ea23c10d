// Files that are exactly a part of another and files that are not: the result, its findings, and the same result from an
// independent tool.
import Check
import FoundationEssentials
import Glibc
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct ComparisonTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static let start = Time(103, 100), end = Time(211, 100)

    func compare(
        _ source: String, _ output: String, picture: String? = nil,
        range: (inout RangeRequest) -> Void = {
            ($0.start, $0.end) = (.time(ComparisonTests.start), .time(ComparisonTests.end))
        }
    ) throws -> ComparisonReport {
        var wanted = RangeRequest()
        range(&wanted)
        let comparison = Comparison(try scratch.source(source), try scratch.source(output), wanted)
        guard let picture else { return try comparison.run(picture: nil) }
        return try comparison.run(picture: (try scratch.output(picture), .png))
    }

    /// The result of the independent tool (trimcheck); nil if it is not there.
    private func trimcheckAccepts(_ source: String, _ output: String, _ start: Time, _ end: Time) throws
        -> Bool?
    {
        let trimcheck = Paths.tools + "/trimcheck"
        guard unsafe access(trimcheck, X_OK) == 0 else { return nil }
        func text(_ time: Time) -> String { "\(time.value)/\(time.timescale)" }
        let words = [
            trimcheck, source, output, "--start", text(start), "--end", text(end), "--max-time-error",
            "0.0011",
            "--min-matched", "1", "--min-psnr", "20", "--max-lag", "1", "--no-decode-errors",
        ]
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        return try Tool.output(["sh", "-c", line + " >/dev/null 2>&1; echo $?"]).hasPrefix("0")
    }

    func source(_ type: String = "mp4", _ words: [String] = Film.video()) throws -> String {
        let codec = ["-c:a", type == "mkv" ? "pcm_s16le" : "aac", "-b:a", "192k"]
        return try Film(name: "", type: type, words: words + Film.noise(48_000) + Film.h264() + codec)
            .make(in: scratch)
    }

    static let variable = Film.video("25", filters: "select='not(mod(n,3))+lt(mod(n,11),5)'")

    @Test(arguments: ["mp4", "mkv", "ts", "variable"]) func anExportIsExact(_ kind: String) throws {
        let input =
            kind == "variable"
            ? try Film(
                name: "", type: "mp4",
                words: Self.variable + Film.noise(48_000) + Film.h264() + [
                    "-c:a", "aac", "-fps_mode", "passthrough", "-video_track_timescale", "90000",
                ]
            ).make(in: scratch) : try source(kind)
        for render in [RenderMode.encode, .auto] {
            let made = try export(
                input, render == .encode ? "m4v720" : "passthrough", start: Self.start, end: Self.end,
                in: scratch,
                type: render == .encode ? "m4v" : kind == "variable" ? "mp4" : kind
            ) { $0.render = render }
            let report = try compare(input, made.file)
            #expect(report.exact, "\(kind) \(render): \(report.findings)")
            let video = try #require(report.video)
            #expect(video.expected == video.found && video.matched == video.judged && video.judged > 10)
            #expect((video.identical == 0) == (render == .encode), "\(kind) \(render): \(video.identical)")
            let most = kind == "mkv" ? 97 : 3
            for audio in report.audio { #expect(abs(audio.lag ?? 99) <= most, "\(kind) \(render)") }
            if let other = try trimcheckAccepts(input, made.file, Self.start, Self.end) {
                #expect(other, "\(kind) \(render): trimcheck says no")
            }
        }
    }

    /// No Matroska file says how long its last frame is shown; this one is shown for longer than others.
    @Test func aLongLastFrameIsExact() throws {
        let input = try Film(
            name: "", type: "mkv",
            words: Film.video("30", filters: "select='lt(mod(n,20),10)',settb=1/1000") + Film.noise(48_000)
                + Film.h264() + ["-c:a", "libopus", "-fps_mode", "passthrough"]
        ).make(in: scratch)
        // The last frame begins at 1.633.
        let end = Time(19, 10)
        let made = try export(input, "passthrough", start: Self.start, end: end, in: scratch, type: "mkv") {
            $0.render = .auto
        }
        let report = try compare(input, made.file) { ($0.start, $0.end) = (.time(Self.start), .time(end)) }
        #expect(report.exact, "\(report.findings)")
    }

    /// A change to an exact export, and the report about it.
    static let faults: [(name: String, words: [String], code: String)] = [
        (
            "a frame is missing",
            [
                "-vf", "select='not(eq(n,12))'", "-fps_mode", "passthrough", "-c:v", "libx264", "-crf", "14",
                "-c:a", "copy",
            ], "frameMissing"
        ),
        (
            "a frame shows the one before",
            [
                "-vf", "shuffleframes=0 0 2 3 4 5 6 7 8", "-fps_mode", "passthrough", "-c:v", "libx264",
                "-crf",
                "14", "-c:a", "copy",
            ], "wrongFrame"
        ),
        ("the audio is late", ["-c:v", "copy", "-af", "adelay=10:all=1", "-c:a", "aac"], "audioLag"),
        ("the audio is another", ["-c:v", "copy", "-af", "areverse", "-c:a", "aac"], "audioContent"),
        ("the audio is silent", ["-c:v", "copy", "-af", "volume=0", "-c:a", "aac"], "audioContent"),
        ("there is no audio", ["-c:v", "copy", "-an"], "noAudio"),
        ("there is no video", ["-c:a", "copy", "-vn"], "noVideo"),
        ("the audio ends early", ["-c:v", "copy", "-af", "atrim=0:0.9", "-c:a", "aac"], "audioLength"),
        (
            "another frame",
            [
                "-vf", "negate", "-fps_mode", "passthrough", "-c:v", "libx264", "-crf", "14", "-c:a", "copy",
            ], "differentPicture"
        ),
        (
            "frames of another shape",
            [
                "-vf", "setsar=2", "-fps_mode", "passthrough", "-c:v", "libx264", "-crf", "14", "-c:a",
                "copy",
            ], "shape"
        ),
        (
            "all is late by a frame",
            ["-vf", "tpad=start=1", "-c:v", "libx264", "-crf", "14", "-c:a", "copy"],
            "differentPicture"
        ),
    ]

    @Test func whatIsWrongIsFound() throws {
        let input = try source()
        let made = try export(input, "m4v720", start: Self.start, end: Self.end, in: scratch)
        for (name, words, code) in Self.faults {
            let wrong = scratch.name("mp4")
            try Tool.ffmpeg(["-i", made.file] + words + [wrong])
            let report = try compare(input, wrong)
            #expect(!report.exact, "\(name)")
            #expect(report.findings.contains { $0.code == code }, "\(name): \(report.findings)")
            // Of audio that matches nowhere the other tool says nothing.
            if code != "audioContent",
                let other = try trimcheckAccepts(input, wrong, Self.start, Self.end)
            {
                #expect(!other, "\(name): trimcheck says it is exact")
            }
        }
    }

    @Test func anotherRangeIsNotThisOne() throws {
        let input = try source()
        let made = try export(input, "m4v720", start: Self.start, end: Self.end, in: scratch)
        for (start, end) in [
            (Self.start + Time(1, 25), Self.end + Time(1, 25)), (Self.start, Self.end + Time(1, 10)),
            (Self.start - Time(1, 1), Self.end - Time(1, 1)), (Self.start, Self.end - Time(2, 25)),
        ] {
            let report = try compare(input, made.file) { ($0.start, $0.end) = (.time(start), .time(end)) }
            #expect(!report.exact, "\(start) \(end)")
        }
        #expect(try compare(input, made.file).exact)
    }

    @Test func aCutAtKeyframesIsNotExact() throws {
        let input = try source()
        let cut = scratch.name("mkv")
        try Tool.ffmpeg(["-ss", "1.5", "-to", "2.5", "-i", input, "-c", "copy", cut])
        let report = try compare(input, cut) {
            ($0.start, $0.end) = (.time(Time(3, 2)), .time(Time(5, 2)))
        }
        #expect(!report.exact)
    }

    @Test func joinedRangesWithAnImageOfTheJoins() throws {
        let input = try source()
        let keep = [try RangeSpelling.parse("2..2.52"), try RangeSpelling.parse("0.5..1.1")]
        let made = try export(input, "m4v720", in: scratch) { $0.keep = keep }
        let picture = scratch.name("png")
        let report = try compare(input, made.file, picture: picture) { $0.keep = keep }
        #expect(report.exact, "\(report.findings)")
        #expect(report.ranges.map(\.start) == [Time(2, 1), Time(1, 2)])
        #expect(report.video?.expected == 29)
        // Four rows of two frames of 160x120.
        let size = try #require(try Truth(picture).video)
        #expect(size.width == 2 * 200 + 3 * 8)
        #expect(size.height ?? 0 > 4 * 120 && size.height ?? 0 < 4 * 200)
        #expect([size.width, size.height] == [report.pictureWidth, report.pictureHeight])
        let other = try compare(input, made.file) { $0.keep = Array(keep.reversed()) }
        #expect(!other.exact)
    }

    /// Frames of another colour, and some that are left out, in the middle: each has a row, with a red frame.
    @Test func wrongAndMissingFramesAreFramedInRed() throws {
        func reds(_ filter: String) throws -> (red: Int, green: Int, report: ComparisonReport) {
            let input = try source("mkv")
            let output = scratch.name("mkv")
            try Tool.ffmpeg(
                ["-i", input, "-vf", filter, "-fps_mode", "passthrough", "-c:a", "copy"] + Film.h264() + [
                    output
                ])
            let picture = scratch.name("png")
            let report = try compare(input, output, picture: picture) { _ in }
            let size = try #require(try Truth(picture).video)
            let bytes = try Tool.ffmpeg(["-i", picture, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
            let wide = 3 * (size.width ?? 0)
            try #require(bytes.count == wide * (size.height ?? 0))
            let red = stride(from: 0, to: bytes.count, by: 3).count {
                Array(bytes[$0..<($0 + 3)]) == [235, 80, 72]
            }
            // The result is in the heading.
            let green = stride(from: 0, to: 50 * wide, by: 3).count {
                Int(bytes[$0 + 1]) > Int(bytes[$0]) + 60 && Int(bytes[$0 + 1]) > Int(bytes[$0 + 2]) + 40
            }
            return (red, green, report)
        }
        // A border of three pixels around 160x120.
        let border = 3 * 2 * (160 + 120) - 36
        let right = try reds("null")
        #expect(right.report.exact && right.red == 0 && right.green > 50, "\(right)")
        let missing = try reds("select=not(between(n\\,30\\,31))")
        #expect(missing.report.video?.missing == 2 && missing.green == 0)
        #expect(missing.red > 2 * border && missing.red < 4 * border, "\(missing.red)")
        let painted = try reds("drawbox=t=fill:c=green:enable='eq(n,40)'")
        #expect(
            painted.report.findings.map(\.code).contains("differentPicture"), "\(painted.report.findings)")
        #expect(painted.red > border && painted.red < 4 * border && painted.green == 0, "\(painted.red)")
        // Not one row for each of many.
        let all = try reds("negate")
        #expect(all.red < 9 * border + 20_000, "\(all.red)")
    }

    @Test func audioAlone() throws {
        let input = try source()
        let made = try export(input, "m4a", start: Self.start, end: Self.end, in: scratch)
        let report = try compare(input, made.file)
        #expect(report.exact && report.video == nil, "\(report.findings)")
        #expect(report.warnings.map(\.code) == [.soundOnly])
        #expect(throws: MediaError.self) { try compare(input, made.file, picture: scratch.name("png")) }
    }

    @Test func damageIsCounted() throws {
        let input = try source()
        let made = try export(input, "m4v720", start: Self.start, end: Self.end, in: scratch)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: made.file)))
        let media = try #require(bytes.firstRange(of: Array("mdat".utf8))).upperBound
        for offset in stride(from: media + 2000, to: media + 6000, by: 7) where offset < bytes.count {
            bytes[offset] ^= 0x5a
        }
        let wrong = scratch.name("m4v")
        try Data(bytes).write(to: URL(filePath: wrong))
        let report = try compare(input, wrong)
        #expect(!report.exact && report.decodeErrors > 0, "\(report.findings)")
    }
}

// Stills of real films: each is the frame on screen at that time, by ffprobe's times and ffmpeg's frames, upright and in the right
// shape.
import Media
import MediaTime
import Pictures
import Signals
import Testing

@Suite(.timeLimit(.minutes(10))) struct FrameGrabTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func grab(
        _ input: String, at: TimeSpelling, width: Int? = nil, type: ImageType = .png
    ) throws -> (file: String, report: FrameReport) {
        let file = scratch.name(type.rawValue)
        let report = try FrameGrab(try scratch.source(input), at: at, width: width, type: type)
            .run(output: try scratch.output(file))
        return (file, report)
    }

    static let films = VideoExactnessTests.films.filter {
        [
            "H.264 with B-frames in mp4", "open GOPs at 29.97", "milliseconds in mkv", "a variable rate",
            "a transport stream with audio", "intra frames in mov", "a start far from 0",
        ].contains($0.name)
    }

    /// On frames, inside them, just before them, at the beginning and in the last frame.
    static let times = [Time.zero, Time(1, 1), Time(1234, 1000), Time(123_999, 100_000), Time(2870, 1000)]

    @Test(arguments: films) func itIsTheFrameOnScreen(_ film: Film) throws {
        let input = try film.make(in: scratch)
        let truth = try Truth(input)
        let frames = try truth.frames()
        let thumbnails = try truth.thumbnails()
        try #require(frames.count > 40 && frames.count == thumbnails.count)
        for time in Self.times {
            let index = frames.lastIndex { $0.time <= time } ?? 0
            let (file, report) = try grab(input, at: .time(time))
            #expect(report.requested == time)
            #expect(report.actual == frames[index].time, "\(film.name) at \(time)")
            let thumbnail = try #require(try Truth(file).thumbnails().first)
            let best = thumbnails.indices.min {
                difference(thumbnail, thumbnails[$0]) < difference(thumbnail, thumbnails[$1])
            }
            #expect(best == index, "\(film.name) at \(time)")
        }
    }

    @Test func everySpelling() throws {
        let film = Film(name: "", type: "mp4", words: Film.video() + Film.h264())
        let input = try film.make(in: scratch)
        for (spelling, frame) in [
            ("30f", 30), ("00:00:01:05", 30), ("-1", 50), ("end-0.5", 62), ("0:01.2", 30), ("6/5", 30),
        ] {
            let (_, report) = try grab(input, at: try TimeSpelling.parse(spelling))
            #expect(report.actual == Time(Int64(frame), 25), "\(spelling)")
        }
    }

    @Test func uprightWithSquarePixels() throws {
        let plain = try Film(
            name: "", type: "mp4", words: Film.video(size: "160x90", filters: "setsar=4/3") + Film.h264()
        ).make(in: scratch)
        let whole = try grab(plain, at: .time(.zero))
        #expect(try size(whole) == [213, 90])
        let turned = try Film.turned(plain, by: 90, in: scratch)
        let (file, report) = try grab(turned, at: .time(Time(1, 1)), width: 45)
        #expect(try size((file, report)) == [45, 107])
        // As ffmpeg turns it.
        let still = scratch.name("png")
        try Tool.ffmpeg(["-ss", "1", "-i", turned, "-frames:v", "1", still])
        let (mine, its) = (try Truth(file).thumbnails()[0], try Truth(still).thumbnails()[0])
        #expect(difference(mine, its) < 12 * mine.count)
        // Never larger than it is.
        let wide = try grab(plain, at: .time(.zero), width: 4000)
        #expect(try size(wide) == [213, 90])
    }

    private func size(_ made: (file: String, report: FrameReport)) throws -> [Int] {
        let video = try #require(try Truth(made.file).video)
        #expect(video.width == made.report.width && video.height == made.report.height)
        return [made.report.width, made.report.height]
    }

    @Test func coloursAreRight() throws {
        // A field of one colour comes out as that colour, whichever way it was stored.
        for (matrix, format, type) in [
            ("bt709", "yuv420p", "png"), ("smpte170m", "yuv420p", "png"), ("bt709", "yuv444p10le", "png"),
            ("bt709", "yuv420p", "jpg"),
        ] {
            let input = scratch.name("mkv")
            try Tool.ffmpeg([
                "-f", "lavfi", "-i", "color=0xc83214:s=160x120:r=25:d=1", "-vf",
                "scale=out_color_matrix=\(matrix):out_range=tv,format=\(format)", "-c:v", "ffv1",
                "-colorspace",
                matrix, "-color_range", "tv", input,
            ])
            let kind = try #require(ImageType(rawValue: type))
            let (file, _) = try grab(input, at: .time(.zero), type: kind)
            let bytes = try Tool.ffmpeg(["-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
            for (value, wanted) in zip(bytes.prefix(3), [0xc8, 0x32, 0x14]) {
                #expect(abs(Int(value) - wanted) <= 4, "\(matrix) \(format) \(type): \(bytes.prefix(3))")
            }
        }
    }

    @Test func brightHDRFramesAreToneMapped() throws {
        let input = scratch.name("mkv")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=161x121:r=25:d=1", "-vf", "format=yuv420p10le", "-c:v", "ffv1",
            "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", input,
        ])
        let (file, report) = try grab(input, at: .time(Time(1, 2)), width: 99)
        #expect(report.width == 99)
        let thumbnail = try Truth(file).thumbnails()[0]
        let mean = thumbnail.reduce(0) { $0 + Int($1) } / thumbnail.count
        #expect(60..<220 ~= mean, "\(mean)")
    }

    @Test func whereThereIsNoFrame() throws {
        let input = scratch.name("mkv")
        let words = Film.video(seconds: "1") + Film.noise(seconds: "3")
        try Tool.ffmpeg(
            ["-itsoffset", "1"] + words + Film.h264() + ["-c:a", "pcm_s16le", input])
        let early = try grab(input, at: .time(Time(1, 2))).report
        #expect(early.actual == Time(1, 1) && early.warnings.map(\.code) == [.noFrameYet])
        let late = try grab(input, at: .time(Time(5, 2))).report
        #expect(late.actual == Time(49, 25) && late.warnings.map(\.code) == [.afterLastFrame])
        #expect(try grab(input, at: .time(Time(3, 2))).report.warnings.isEmpty)
        let last = try grab(input, at: .end).report
        #expect(last.actual == Time(49, 25) && last.warnings.isEmpty, "the last frame")
        for time in ["3", "end-0", "99f"] {
            let error = try #require(
                #expect(throws: MediaError.self) { try grab(input, at: try TimeSpelling.parse(time)) })
            #expect(error.code == .invalidTime, "\(time): \(error)")
        }
    }

    @Test func aFileWithoutVideo() throws {
        let wav = scratch.name("wav")
        try Tool.ffmpeg(Film.noise(seconds: "1") + [wav])
        let error = #expect(throws: MediaError.self) { try grab(wav, at: .time(.zero)) }
        #expect(error?.code == .noSourceTrack)
    }
}

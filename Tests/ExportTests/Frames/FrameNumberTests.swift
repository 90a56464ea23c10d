// Numbers and durations of frames, by ffprobe's list of decoded frames: at a variable rate too, with edit lists, B-frames and open GOPs, and by the
// spelling that names a frame by its number.
import Media
import MediaTime
import Pictures
import Testing

@Suite(.timeLimit(.minutes(10))) struct FrameNumberTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Frames of 25 Hz, two thirds of them left out unevenly.
    private static func variable(_ seconds: String = "8") -> [String] {
        Film.video("25", size: "96x64", seconds: seconds, filters: "select='not(mod(n,3))+lt(mod(n,11),5)'")
            + ["-fps_mode", "passthrough"]
    }
    /// A rate of 25 Hz, and of 30 from 12 s on: longer than a probe reads.
    private static let late =
        Film.video(
            "150", size: "96x64", seconds: "16",
            filters: "settb=1/150,select='if(lt(t,12),not(mod(n,6)),not(mod(n,5)))'")
        + ["-fps_mode", "passthrough", "-enc_time_base", "1/150"]

    private static let films = [
        Film(name: "B-frames", type: "mp4", words: variable() + Film.h264()),
        Film(name: "open GOPs", type: "mov", words: variable() + Film.h264("open-gop=1")),
        Film(
            name: "open GOPs of HEVC", type: "mp4",
            words: variable() + [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "keyint=20:bframes=3:open-gop=1:log-level=none",
            ]),
        Film(name: "one GOP", type: "mp4", words: variable() + ["-c:v", "libx264", "-g", "999", "-bf", "3"]),
        Film(
            name: "MPEG-4 with B-frames", type: "mp4",
            words: variable() + ["-c:v", "mpeg4", "-bf", "2", "-g", "15", "-q:v", "5"]),
        Film(
            name: "MPEG-2 with open GOPs", type: "mov",
            words: Film.video() + ["-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-q:v", "5"]),
        Film(name: "a rate that changes late", type: "mp4", words: late + Film.h264()),
        Film(
            name: "fragments", type: "mp4",
            words: variable() + Film.h264() + ["-movflags", "frag_keyframe+empty_moov"]),
        Film(
            name: "one index and fragments", type: "mp4",
            words: variable() + Film.h264() + ["-movflags", "frag_keyframe"]),
        Film(name: "Matroska", type: "mkv", words: variable() + Film.h264("open-gop=1")),
        Film(
            name: "VP8 with hidden frames", type: "webm",
            words: variable("4") + [
                "-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "16", "-b:v", "200k",
            ]),
        Film(
            name: "a transport stream", type: "ts",
            words: Film.noise(seconds: "8") + variable() + Film.h264() + ["-c:a", "aac"]),
    ]

    private func numbers(
        _ input: String, at times: [TimeSpelling], keyframes: Bool = false
    ) throws -> [ThumbnailsReport.Picture] {
        var all: [ThumbnailsReport.Picture] = []
        for first in stride(from: 0, to: times.count, by: 64) {
            let some = Array(times[first..<min(first + 64, times.count)])
            all += try ThumbnailStrip(try scratch.source(input), at: some, width: 16, keyframes: keyframes)
                .run(output: try scratch.output(scratch.name("bin"))).pictures
        }
        return all
    }

    /// Checks the number of one in so many frames, at a time within it.
    /// - Parameter seconds: how much of the film is looked at; nil: all of it.
    private func check(_ input: String, _ name: String, every step: Int = 3, seconds: Int? = nil) throws {
        // The last frames before the end of what is read may be stored behind others.
        let whole = try Truth(input, seconds: seconds.map { $0 + 1 }).frames()
        let frames = whole.filter { frame in seconds.map { frame.time < Time(Int64($0), 1) } ?? true }
        try #require(frames.count > 10)
        let asked = frames.indices.dropLast().filter { $0 % step == 1 }
        let times = asked.map { (frames[$0].time + frames[$0 + 1].time).multiplied(by: 1, over: 2) }
        let found = try numbers(input, at: times.map(TimeSpelling.time))
        #expect(found.map(\.actual) == asked.map { frames[$0].time }, "\(name)")
        #expect(found.map(\.number) == asked.map(Int64.init), "\(name)")
        #expect(found.map { $0.actual + $0.duration } == asked.map { frames[$0 + 1].time }, "\(name)")
        let keys = try numbers(input, at: times.map(TimeSpelling.time), keyframes: true)
        for key in keys {
            let index = frames.firstIndex { $0.time == key.actual }
            #expect(key.number == index.map(Int64.init), "\(name): the keyframe at \(key.actual)")
        }
    }

    @Test(arguments: films) func itIsCounted(_ film: Film) throws {
        let input = try film.make(in: scratch)
        try check(input, film.name)
        let last = try numbers(input, at: [.end, .frame(7), .frame(0)])
        #expect(last.map(\.number) == [Int64(try Truth(input).frames().count - 1), 7, 0])
    }

    /// An edit list hides the first frames, which are stored.
    @Test(arguments: ["2.06", "3.5"]) func hiddenFramesDoNotCount(start: String) throws {
        for (name, words) in [("closed", Film.h264()), ("open", Film.h264("open-gop=1"))] {
            let whole = try Film(name: name, type: "mp4", words: FrameNumberTests.variable() + words).make(
                in: scratch)
            let input = scratch.name("mp4")
            try Tool.ffmpeg(["-ss", start, "-i", whole, "-c", "copy", input])
            try check(input, "\(name) from \(start)")
        }
    }

    /// Where neither an index nor the rate tells, a number is right or missing.
    @Test func aLateChangeOfRateIsNoReasonForAWrongNumber() throws {
        let input = try Film(name: "", type: "mkv", words: FrameNumberTests.late + Film.h264()).make(
            in: scratch)
        let frames = try Truth(input).frames()
        let asked = stride(from: 0, to: frames.count, by: 5).map { $0 }
        let found = try numbers(input, at: asked.map { .time(frames[$0].time) })
        for (index, picture) in zip(asked, found) {
            #expect(picture.number == nil || picture.number == Int64(index), "at \(picture.actual)")
        }
        #expect(found.prefix(50).allSatisfy { $0.number != nil })
    }

    @Test func aStillHasItsNumber() throws {
        let input = try Film(name: "", type: "mp4", words: FrameNumberTests.variable() + Film.h264()).make(
            in: scratch)
        let report = try FrameGrab(try scratch.source(input), at: .frame(41), width: nil, type: .png)
            .run(output: try scratch.output(scratch.name("png")))
        #expect(report.number == 41)
    }

    struct Real: CustomTestStringConvertible, Sendable {
        var name: String
        /// How much of it is looked at, where that is not all: past its second keyframe.
        var seconds: Int? = nil
        var step = 3
        var testDescription: String { name }
    }

    private static let real = [
        Real(name: "cursed-vfr.mp4", step: 7), Real(name: "iibbibb_editlist_videoonly.mp4"),
        Real(name: "sample_edit_list.mp4", step: 7), Real(name: "sample_partially_fragmented.mp4"),
        Real(name: "nasa_13013.mp4", seconds: 8), Real(name: "discard_first_keyframe.mp4"),
        Real(name: "bbb_800x640_768kbps_30fps_avc_pyramid_3b.mp4", seconds: 2),
        Real(name: "webav1.mp4", seconds: 5, step: 7), Real(name: "test_non_zero_start.mp4"),
        Real(name: "xdcam-ex-1080i50.mov"), Real(name: "karma.mp4", seconds: 2),
        Real(name: "libopenshot_test.mp4", step: 7), Real(name: "m3v1mp4.mp4", seconds: 9, step: 7),
    ].filter { Paths.hasMedia($0.name) }

    /// One frame in some of their first seconds: frames of all of each film, and of all others, are what `make test-linear` looks at.
    @Test(arguments: real) func realFilms(_ film: Real) throws {
        try check(Paths.media + "/" + film.name, film.name, every: film.step, seconds: film.seconds)
    }
}

// Choices beyond the preset, on films: a constant frame rate, a size that is held, tracks of a language.
import Export
import Foundation
import Media
import MediaTime
import Testing

struct RenderOptionsTests {
    private struct Answer: Decodable {
        struct Stream: Decodable {
            var codec_type: String, r_frame_rate: String, avg_frame_rate: String, nb_frames: String?
        }
        struct Packet: Decodable { var pts: Int }
        var streams: [Stream], packets: [Packet]?
    }

    private func exported(
        _ film: String, _ id: String, in scratch: Scratch, start: Time? = nil, end: Time? = nil,
        type: String = "m4v",
        _ change: (inout ExportOptions) -> Void
    ) throws -> Made {
        var options = ExportOptions()
        change(&options)
        return try export(film, id, start: start, end: end, in: scratch, type: type) {
            $0.options = options
            $0.output.name = "o.\(type)"
        }
    }

    @Test(arguments: [("24", Ratio(25)), ("50", Ratio(20)), ("10", Ratio(30))])
    func theRateIsMadeConstant(_ source: String, _ rate: Ratio) throws {
        let scratch = try Scratch()
        let film = scratch.name("mp4")
        try Tool.ffmpeg(Film.video(source, seconds: "2") + Film.h264() + [film])
        let made = try exported(film, "m4v480", in: scratch, start: Time(1, 10), end: Time(11, 10)) {
            $0.frameRate = rate
        }
        let answer = try Tool.ffprobe(["-show_streams", made.file], as: Answer.self)
        #expect(answer.streams.first?.avg_frame_rate == "\(rate.numerator)/1")
        #expect(answer.streams.first?.r_frame_rate == "\(rate.numerator)/1")
        #expect(answer.streams.first?.nb_frames == "\(rate.numerator)")
        try verify(made, in: scratch)
    }

    /// The parts meet between two frames of the constant rate: the last one of the first part stays on screen into the second.
    @Test(arguments: [("24", Ratio(25)), ("25", Ratio(24)), ("30", Ratio(25)), ("25", Ratio(10))])
    func partsOfOtherScenesMeetAtAnyRate(_ source: String, _ rate: Ratio) throws {
        let scratch = try Scratch()
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(source, seconds: "4", filters: "negate=enable='gt(t,2)'") + Film.h264() + [film])
        for split in [Time(3, 2), Time(151, 100), Time(31, 20), Time(11, 10)] {
            for speed in [Ratio(1), Ratio(2)] {
                var options = ExportOptions()
                (options.frameRate, options.speed) = (rate, speed == Ratio(1) ? nil : speed)
                let made = try export(film, "m4v480", in: scratch, type: "m4v") {
                    $0.options = options
                    $0.keep = [
                        RangeSpelling(start: .time(Time(1, 1)), end: .time(split)),
                        RangeSpelling(start: .time(Time(3, 1)), end: .time(Time(17, 5))),
                    ]
                    $0.output.name = "o.m4v"
                }
                try verify(made, in: scratch)
            }
        }
    }

    @Test func aVariableRateIsMadeConstant() throws {
        let scratch = try Scratch()
        let film = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video("30", seconds: "2", filters: "select='not(mod(n,7))+mod(n,2)',settb=1/1000")
                + ["-fps_mode", "passthrough"] + Film.h264() + [film])
        let made = try exported(film, "m4v480", in: scratch, end: Time(1, 1)) { $0.frameRate = Ratio(25) }
        #expect(
            try Tool.ffprobe(["-show_streams", made.file], as: Answer.self).streams.first?.nb_frames == "25")
    }

    @Test(arguments: [("m4v480", "m4v", 60_000), ("m4v480", "m4v", 200_000), ("hevc1080", "mp4", 80_000)])
    func theSizeIsHeld(_ id: String, _ type: String, _ limit: Int64) throws {
        let scratch = try Scratch()
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(size: "320x240", seconds: "3", filters: "noise=alls=30:allf=t")
                + Film.noise(seconds: "3") + Film.h264()
                + ["-c:a", "aac", film])
        let made = try exported(film, id, in: scratch, end: Time(2, 1), type: type) { $0.limitSize = limit }
        let size = Int64(try Data(contentsOf: URL(filePath: made.file)).count)
        #expect(size <= limit)
        #expect(size > limit / 20 * 17, "what there is room for is used")
        #expect(made.progress.last?.fraction ?? 0 > 0.9)
        try verify(made, in: scratch)
    }

    @Test func whatCannotFitIsRefused() throws {
        let scratch = try Scratch()
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(seconds: "2") + Film.noise(seconds: "2") + Film.h264() + ["-c:a", "aac", film])
        let tight = try refusal(film, "m4v480", in: scratch) {
            $0.options = ExportOptions()
            $0.options?.limitSize = 4000
        }
        #expect(tight.code == .maximumFileSizeReached)
        let larger = try refusal(film, "prores422", in: scratch) {
            $0.options = ExportOptions()
            $0.options?.onlyIfSmaller = true
        }
        #expect(larger.code == .maximumFileSizeReached)
        #expect(larger.message.contains("not be smaller"))
    }

    @Test func tracksAreChosenByLanguage() throws {
        let scratch = try Scratch()
        let film = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video(seconds: "1") + Film.noise(seconds: "1") + Film.noise(48_000, seconds: "1")
                + [
                    "-map", "0", "-map", "1", "-map", "2", "-metadata:s:a:0", "language=eng",
                    "-metadata:s:a:1", "language=ger",
                ]
                + Film.h264() + ["-c:a", "aac", film])
        func sources(_ choice: String?) throws -> [Int] {
            let made = try exported(film, "m4v480", in: scratch) { $0.audio = choice }
            try verify(made, in: scratch)
            return made.result.tracks.filter { $0.kind == .audio }.map(\.source)
        }
        #expect(try sources(nil) == [1, 2])
        #expect(try sources("de") == [2])
        #expect(try sources("1") == [1])
        #expect(try sources("none") == [])
        let made = try export(film, "flac", in: scratch, type: "flac")
        #expect(made.result.tracks.map(\.source) == [1])
        #expect(made.result.dropped.contains { $0.track == 2 && $0.reason.contains("one track") })
    }
}

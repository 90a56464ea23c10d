// Thumbnails and waveforms of a preview: the frame on screen at each time with its number, in the order asked for; levels by bucket.
import Foundation
import Media
import MediaTime
import Pictures
import Signals
import Testing

@Suite(.timeLimit(.minutes(10))) struct ThumbnailStripTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func strip(
        _ input: String, _ times: [TimeSpelling], keyframes: Bool = false
    ) throws -> (report: ThumbnailsReport, files: [String]) {
        let file = scratch.name("bin")
        let report = try ThumbnailStrip(
            try scratch.source(input), at: times, width: 80, keyframes: keyframes
        ).run(output: try scratch.output(file))
        let data = try Data(contentsOf: URL(filePath: file))
        #expect(Int64(data.count) == report.bytes)
        return (
            report,
            try report.pictures.map {
                let name = scratch.name("jpg")
                try data[Int($0.offset)..<Int($0.offset + $0.bytes)].write(to: URL(filePath: name))
                return name
            }
        )
    }

    @Test func eachIsTheFrameOnScreen() throws {
        let film = Film(name: "", type: "mp4", words: Film.video(seconds: "3") + Film.h264())
        let input = try film.make(in: scratch)
        let truth = try Truth(input).thumbnails()
        let numbers = [50, 3, 3, 74, 0]
        let times = numbers.map { TimeSpelling.time(Time(Int64($0 * 40 + 10), 1000)) }
        let (report, files) = try strip(input, times)
        #expect(report.pictures.map(\.number) == numbers.map(Int64.init))
        #expect(report.pictures.map(\.actual) == numbers.map { Time(Int64($0), 25) })
        #expect(report.pictures.map(\.requested) == numbers.map { Time(Int64($0 * 40 + 10), 1000) })
        #expect(report.pictures[1].offset == report.pictures[2].offset)
        #expect(report.pictures.allSatisfy { $0.duration == Time(1, 25) && $0.width == 80 })
        for (file, number) in zip(files, numbers) {
            let picture = try #require(try Truth(file).thumbnails().first)
            let best = truth.indices.min { difference(picture, truth[$0]) < difference(picture, truth[$1]) }
            #expect(best == number)
        }
    }

    @Test func keyframesDoWhereAskedFor() throws {
        let film = Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "3") + [
                "-c:v", "libx264", "-g", "25", "-keyint_min", "25", "-sc_threshold", "0",
            ])
        let input = try film.make(in: scratch)
        let times = [Time(990, 1000), Time(1990, 1000), Time(2990, 1000)].map(TimeSpelling.time)
        let (report, _) = try strip(input, times, keyframes: true)
        #expect(report.pictures.map(\.actual) == [.zero, Time(1, 1), Time(2, 1)])
    }

    @Test func aTimePastTheEndIsRefused() throws {
        let film = Film(name: "", type: "mp4", words: Film.video(seconds: "1") + Film.h264())
        let input = try film.make(in: scratch)
        let error = #expect(throws: MediaError.self) { try strip(input, [.time(Time(1, 1))]) }
        #expect(error?.code == .invalidTime)
        #expect(try strip(input, [.end]).report.pictures.map(\.number) == [24])
    }

    /// A preview of music shows its cover, whatever the time; a file with neither has nothing to show.
    @Test(arguments: ["mp3", "m4a", "flac"]) func theCoverStandsForAFileWithoutVideo(type: String) throws {
        let input = scratch.name(type)
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "sine=d=2", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=1:d=1", "-map", "0",
            "-map", "1", "-c:v", "png", "-disposition:v", "attached_pic", input,
        ])
        let (report, files) = try strip(input, [.time(Time(1, 1)), .time(.zero)])
        #expect(report.pictures.map(\.actual) == [.zero, .zero] && report.pictures.map(\.width) == [80, 80])
        #expect(report.pictures.map(\.height) == [60, 60] && report.pictures[1].offset == 0)
        let whole = try strip(input, [.end, .frameFromEnd(1), .frame(0)]).report
        #expect(
            whole.pictures.map(\.actual) == [.zero, .zero, .zero] && whole.pictures[0].bytes == report.bytes)
        #expect(throws: MediaError.self) { try strip(input, [.frame(1)]) }
        let shown = try #require(try Truth(files[0]).thumbnails().first)
        let drawn = scratch.name("png")
        try Tool.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=320x240:r=1:d=1", "-frames:v", "1", drawn])
        #expect(difference(shown, try #require(try Truth(drawn).thumbnails().first)) < shown.count * 8)
        let silent = scratch.name("wav")
        try Tool.ffmpeg(["-f", "lavfi", "-i", "sine=d=1", silent])
        #expect(throws: MediaError.self) { try strip(silent, [.time(.zero)]) }
    }

    @Test func levelsByBucket() throws {
        let input = scratch.name("wav")
        // A second of a full-scale square wave, a second of silence, and a second at half scale.
        try Tool.ffmpeg([
            "-f", "lavfi", "-i",
            "aevalsrc='if(lt(t,1),1,if(lt(t,2),0,0.5))*(1-2*mod(floor(t*200),2))*0.99':s=48000:d=3", "-c:a",
            "pcm_s24le", input,
        ])
        let report = try WaveformBuckets(
            try scratch.source(input), from: nil, to: nil, count: 6, track: nil
        ).run()
        #expect(!report.sampled && report.range == TimeSpan(start: .zero, end: Time(3, 1)))
        for (levels, tolerance) in [(report.peaks, 0.001), (report.rms, 0.001)] {
            for (level, right) in zip(levels, [0.99, 0.99, 0, 0, 0.495, 0.495]) {
                #expect(abs(level - right) < tolerance, "\(levels)")
            }
        }
        let part = try WaveformBuckets(
            try scratch.source(input), from: .time(Time(3, 2)), to: .time(Time(5, 2)), count: 2, track: 0
        ).run()
        #expect(part.peaks[0] == 0 && abs(part.peaks[1] - 0.495) < 0.001)
        #expect(throws: MediaError.self) {
            try WaveformBuckets(try scratch.source(input), from: nil, to: nil, count: 6, track: 7).run()
        }
    }
}

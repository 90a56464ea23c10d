// Segments of a preview: their frames are those on screen, and joined they have every sample of the audio once, in its place.
import Foundation
import Media
import MediaTime
import Pictures
import Signals
import Testing

@Suite(.timeLimit(.minutes(10))) struct PreviewSegmentTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func segment(
        _ input: String, from start: Time, _ duration: Time, width: Int = 640
    ) throws -> (file: String, report: SegmentReport) {
        let file = scratch.name("mp4")
        let report = try PreviewSegment(
            try scratch.source(input), from: start, duration: duration, width: width, track: nil
        ).run(output: try scratch.output(file))
        return (file, report)
    }

    /// The bytes of a file from its first fragment on.
    private func fragments(_ file: String) throws -> Data {
        let data = try Data(contentsOf: URL(filePath: file))
        let at = try #require(data.firstRange(of: Data("moof".utf8)))
        return data[(at.lowerBound - 4)...]
    }

    /// Noise that AAC keeps well, so that a fault at a join is seen.
    private static func noise(_ rate: Int) -> [String] {
        ["-f", "lavfi", "-i", "anoisesrc=d=5:c=pink:r=\(rate):a=0.8:seed=7,lowpass=f=1500"]
    }

    /// By how many samples the second is shifted where both differ least: a correlation would favour what is loud.
    private func closest(_ one: [Int16], _ other: [Int16], at: Int, count: Int) -> Int? {
        (-20...20).map { shift in
            var sum = 0
            for index in at..<at + count {
                let off = Int(one[index]) - Int(other[index + shift])
                sum += off * off
            }
            return (shift: shift, sum: sum)
        }.min { $0.sum < $1.sum }?.shift
    }

    /// Films with audio at both rates of previews, and one that is converted.
    static let films = [
        Film(
            name: "48 kHz in mov", type: "mov",
            words: Film.video(size: "160x90", seconds: "5") + noise(48_000) + Film.h264()
                + ["-c:a", "pcm_s16le"]),
        Film(
            name: "44.1 kHz at 29.97 in mkv", type: "mkv",
            words: Film.video("30000/1001", size: "160x90", seconds: "5") + noise(44_100) + Film.h264()
                + ["-c:a", "pcm_s16le"]),
        Film(
            name: "32 kHz and a variable rate", type: "mov",
            words: Film.video("25", seconds: "5", filters: "select='not(mod(n,3))+lt(mod(n,11),5)'")
                + noise(32_000) + Film.h264() + ["-fps_mode", "passthrough", "-c:a", "pcm_s16le"]),
    ]

    @Test(arguments: films) func segmentsJoinWithoutAGap(_ film: Film) throws {
        let input = try film.make(in: scratch)
        let truth = try Truth(input)
        let frames = try truth.frames()
        let pictures = try truth.thumbnails()
        let points = [Time.zero, Time(1500, 1000), Time(3137, 1000), Time(20, 1)]
        var joined = Data()
        var mime: Set<String> = []
        var next: Int64 = 0
        var rate = 0
        for (start, end) in zip(points, points.dropFirst()) {
            let (file, report) = try segment(input, from: start, end - start)
            mime.insert(report.mime)
            #expect(report.range.start == start && report.last == (end == points.last))
            let shown = try expected(frames, start: start, end: report.range.end)
            let part = try Truth(file)
            #expect(report.video?.frames == Int64(shown.indices.count), "\(film.name) from \(start)")
            let times = try part.frames().map { $0.time + part.origin }
            try #require(times.count == shown.times.count)
            for (time, right) in zip(times, shown.times) {
                #expect(abs((time - start - right).seconds) < 0.0001, "\(film.name): \(time) is \(right)")
            }
            for (picture, index) in zip(try part.thumbnails(), shown.indices) {
                let best = pictures.indices.min {
                    difference(picture, pictures[$0]) < difference(picture, pictures[$1])
                }
                #expect(best == index, "\(film.name) from \(start)")
            }
            let audio = try #require(report.audio)
            #expect(audio.first == next, "\(film.name) from \(start)")
            next = audio.first + audio.samples
            rate = audio.sampleRate
            joined += joined.isEmpty ? try Data(contentsOf: URL(filePath: file)) : try fragments(file)
        }
        #expect(mime.count == 1 && mime.first?.hasPrefix("video/mp4; codecs=\"avc1.64") == true, "\(mime)")
        let whole = scratch.name("mp4")
        try joined.write(to: URL(filePath: whole))
        let source = try truth.samples(rate: rate)
        let samples = try Truth(whole).samples(rate: rate)
        #expect(Int64(samples.count) == next)
        #expect(abs(Int(next) - source.count) <= 2048, "\(next) of \(source.count)")
        for second in 0..<4 {
            let at = second * rate + rate / 2
            let shift = closest(samples, source, at: at, count: rate / 4)
            #expect(shift == 0, "\(film.name) at \(second)")
        }
        // Around each join the difference from the source is no larger than elsewhere.
        func error(_ range: Range<Int>) -> Double {
            let sum = range.reduce(0.0) { sum, at in
                let off = Double(samples[at]) - Double(source[at])
                return sum + off * off
            }
            return (sum / Double(range.count)).squareRoot()
        }
        let usual = error(rate..<rate + rate / 4)
        for point in points[1...2] {
            let at = Int(point.seconds * Double(rate))
            #expect(error(at - 2048..<at + 2048) < 1.5 * usual + 50, "\(film.name) at \(point)")
        }
    }

    /// The tags of colours of films that browsers convert, and stills do not have.
    static let colors = [
        ["yuv420p", "bt470bg", "gamma28", "bt470bg"], ["yuv420p", "smpte170m", "smpte170m", "smpte170m"],
        ["yuv420p", "bt709", "bt709", "bt709"], ["yuv420p10le", "bt2020", "smpte2084", "bt2020nc"],
        ["yuv420p10le", "bt2020", "arib-std-b67", "bt2020nc"],
    ]

    /// A segment and a still of the same frame have the same colours, for viewers who convert the segment by its tags and those who do
    /// not.
    @Test(arguments: colors) func aSegmentHasTheColorsOfAStill(_ color: [String]) throws {
        let input = scratch.name("mp4")
        let scaler = ["bt2020nc": "bt2020", "bt470bg": "bt470"][color[3], default: color[3]]
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "smptehdbars=s=640x480:r=25:d=1", "-vf",
            "scale=out_color_matrix=\(scaler)", "-pix_fmt", color[0],
            "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=1", "-crf", "10", "-tag:v",
            "hvc1", "-color_primaries", color[1], "-color_trc", color[2], "-colorspace", color[3],
            "-color_range", "tv", input,
        ])
        let still = scratch.name("png")
        _ = try FrameGrab(
            try scratch.source(input), at: .time(Time(1, 5)), width: nil, type: .png
        ).run(output: try scratch.output(still))
        let (file, _) = try segment(input, from: Time(1, 5), Time(1, 25))
        func pixels(_ file: String) throws -> [UInt8] {
            try Tool.ffmpeg(["-i", file, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        }
        let (one, other) = try (pixels(still), pixels(file))
        try #require(one.count == 640 * 480 * 3 && other.count == one.count)
        #expect(Double(difference(one, other)) / Double(one.count) < 2, "\(color)")
        struct Answer: Decodable {
            struct Stream: Decodable {
                var color_space: String, color_transfer: String, color_primaries: String
            }
            var streams: [Stream]
        }
        let tags = try Tool.ffprobe(["-select_streams", "v:0", "-show_streams", file], as: Answer.self)
        let stream = try #require(tags.streams.first)
        #expect(
            [stream.color_space, stream.color_transfer, stream.color_primaries] == [
                "bt709", "bt709", "bt709",
            ])
    }

    @Test func aPartOfAFrameIsShown() throws {
        let film = Film(name: "", type: "mp4", words: Film.video(seconds: "2") + Film.h264())
        let input = try film.make(in: scratch)
        let (file, report) = try segment(input, from: Time(101, 100), Time(3, 100))
        #expect(report.video?.frames == 1 && report.audio == nil && !report.last)
        let part = try Truth(file)
        let times = try part.frames().map { $0.time + part.origin }
        // The next frame begins where the part ends.
        #expect(times.map { ($0.seconds * 1000).rounded() } == [1010])
        #expect(throws: MediaError.self) { try segment(input, from: Time(2, 1), Time(4, 1)) }
    }

    @Test func audioAlone() throws {
        let input = scratch.name("wav")
        try Tool.ffmpeg(["-f", "lavfi", "-i", "sine=r=22050:d=3", input])
        let (file, report) = try segment(input, from: .zero, Time(4, 1))
        #expect(report.video == nil && report.last && report.mime == "audio/mp4; codecs=\"mp4a.40.2\"")
        #expect(try Truth(file).samples(rate: 44_100).count == (3 * 44_100 + 1023) / 1024 * 1024)
    }
}

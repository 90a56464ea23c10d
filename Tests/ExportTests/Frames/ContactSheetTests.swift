// Contact sheets of real films: each thumbnail is the frame at its reported time, the first and last of a range are exact, and no
// more is decoded than is needed.
import Media
import MediaTime
import Signals
import Testing

@testable import Pictures

@Suite(.timeLimit(.minutes(10))) struct ContactSheetTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func sheet(
        _ input: String, columns: Int? = nil, rows: Int? = nil, width: Int? = 160,
        every: Time? = nil, type: ImageType = .png,
        range: (inout RangeRequest) -> Void = { _ in }
    ) throws -> (file: String, report: SheetReport) {
        var wanted = RangeRequest()
        range(&wanted)
        let file = scratch.name(type.rawValue)
        var options = SheetOptions()
        (options.columns, options.rows, options.width, options.every) = (columns, rows, width, every)
        let report = try ContactSheet(try scratch.source(input), wanted, options, type: type)
            .run(output: try scratch.output(file))
        return (file, report)
    }

    /// The thumbnails of a sheet without a waveform, with tiles of 160x120, without their borders.
    private func tiles(_ file: String, _ report: SheetReport) throws -> [[UInt8]] {
        let high = 120 + Typeface.height(11) + 8
        let rows = (report.tiles.count + report.columns - 1) / report.columns
        return try report.tiles.indices.map { index in
            let (x, y) = (
                8 + index % report.columns * 168, report.height - (rows - index / report.columns) * high
            )
            let bytes = try Tool.ffmpeg([
                "-i", file, "-vf", "crop=152:84:\(x + 4):\(y + 4),scale=38:21:flags=area,format=gray", "-f",
                "rawvideo", "-",
            ])
            return bytes
        }
    }

    private func thumbnails(_ input: String) throws -> [[UInt8]] {
        let bytes = try Tool.ffmpeg([
            "-i", input, "-fps_mode", "passthrough", "-vf",
            "crop=152:84:4:4,scale=38:21:flags=area,format=gray", "-f", "rawvideo", "-",
        ])
        return stride(from: 0, to: bytes.count, by: 798).map {
            Array(bytes[$0..<min($0 + 798, bytes.count)])
        }
    }

    @Test(arguments: ["mp4", "mkv", "ts"]) func everyThumbnailIsTheFrameOfItsTime(_ type: String) throws {
        let input = try Film(name: "", type: type, words: Film.video() + Film.h264("open-gop=1"))
            .make(in: scratch)
        let truth = try Truth(input)
        let frames = try truth.frames()
        let all = try thumbnails(input)
        try #require(frames.count == all.count && frames.count > 70)
        let (start, end) = (Time(53, 100), Time(249, 100))
        let (file, report) = try sheet(input, columns: 3, rows: 2) {
            ($0.start, $0.end) = (.time(start), .time(end))
        }
        #expect(report.tiles.count == 6 && report.columns == 3 && !report.hasWaveform)
        #expect(report.tiles.first?.mark == .start && report.tiles.last?.mark == .end)
        let (first, last) = (frames.last { $0.time <= start }, frames.last { $0.time < end })
        #expect(report.tiles.first?.actual == first?.time)
        #expect(report.tiles.last?.actual == last?.time)
        #expect(report.ranges == [TimeSpan(start: start, end: end)])
        for (tile, thumbnail) in zip(report.tiles, try tiles(file, report)) {
            let best = try #require(
                all.indices.min { difference(thumbnail, all[$0]) < difference(thumbnail, all[$1]) })
            #expect(frames[best].time == tile.actual, "\(type): the tile of \(tile.requested)")
        }
        for (one, next) in zip(report.tiles, report.tiles.dropFirst()) { #expect(one.actual < next.actual) }
    }

    @Test func ofALongFilmOnlyKeyframesAreDecoded() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "60") + Film.h264("keyint=25")
        ).make(in: scratch)
        let (_, report) = try sheet(input, columns: 4, rows: 3)
        #expect(report.tiles.count == 12)
        // 1500 frames; the last needs its own group of 25, the others a frame each and the decoder's few ahead.
        #expect(report.framesDecoded < 100, "\(report.framesDecoded)")
        let keys = report.tiles.dropLast().map { ($0.actual.seconds * 25).rounded() }
        #expect(keys.allSatisfy { $0.truncatingRemainder(dividingBy: 25) == 0 }, "\(keys)")
        #expect(report.tiles.last?.actual == Time(1499, 25))
    }

    @Test func rangesThatAreJoined() throws {
        let input = try Film(name: "", type: "mp4", words: Film.video() + Film.h264()).make(in: scratch)
        let keep = [try RangeSpelling.parse("2..2.5"), try RangeSpelling.parse("0.5..1")]
        let (_, report) = try sheet(input, columns: 2, rows: 2) { $0.keep = keep }
        #expect(report.tiles.map(\.mark) == [.start, .end, .start, .end])
        #expect(report.tiles.map(\.actual) == [50, 62, 12, 24].map { Time($0, 25) })
    }

    @Test func theWaveformIsWhereTheAudioIs() throws {
        let input = scratch.name("mov")
        try Tool.ffmpeg(
            Film.video() + [
                "-f", "lavfi", "-i", "aevalsrc='if(lt(t,1.5),0,0.8*sin(2*PI*440*t))':s=48000:d=3",
            ] + Film.h264() + ["-c:a", "pcm_s16le", input])
        let (file, report) = try sheet(input, columns: 3, rows: 1)
        #expect(report.hasWaveform)
        #expect(try abs(#require(report.peak) - -1.94) < 0.1)
        // The row a quarter from the top of the waveform: blue where it is loud.
        let top = report.height - 72 - Typeface.height(11) - 8
        let row = try Tool.ffmpeg([
            "-i", file, "-vf", "crop=488:1:12:\(top + 18)", "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
        ])
        let blue = stride(from: 2, to: row.count, by: 3).map { row[$0] > 128 }
        #expect(blue.prefix(230).allSatisfy { !$0 } && blue.suffix(230).filter { $0 }.count > 220)
    }

    @Test func portraitAndJPEG() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(size: "90x160", seconds: "1") + Film.h264()
        ).make(in: scratch)
        let (file, report) = try sheet(input, columns: 2, rows: 1, width: 100, type: .jpg)
        let video = try #require(try Truth(file).video)
        #expect([video.width, video.height] == [report.width, report.height])
        #expect(report.width == 2 * 100 + 3 * 8)
        // The thumbnail is as high as the film's shape says; the heading is above it.
        #expect(report.height > 178 && report.height < 178 + 140)
    }

    @Test func everyIntervalHasItsExactFrame() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "10") + Film.h264("keyint=250")
        ).make(in: scratch)
        let (_, report) = try sheet(input, every: Time(3, 2)) {
            ($0.start, $0.end) = (.time(Time(1, 1)), .time(Time(8, 1)))
        }
        #expect(report.tiles.map(\.actual) == [25, 62, 100, 137, 175, 199].map { Time($0, 25) })
        #expect(report.tiles.map(\.mark) == [.start, nil, nil, nil, nil, .end])
        let error = #expect(throws: MediaError.self) { try sheet(input, every: Time(1, 1000)) }
        #expect(error?.code == .invalidRequest && error?.remedy?.contains("--every") == true)
    }

    /// Two channels that cancel each other when mixed are not silent.
    @Test func theLevelIsThatOfTheLoudestChannel() throws {
        let input = scratch.name("wav")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i",
            "aevalsrc='0.1*sin(2*PI*9000*t)|-0.1*sin(2*PI*9000*t)':s=48000:d=2", "-c:a", "pcm_s16le", input,
        ])
        let (file, report) = try sheet(input, width: nil)
        #expect(report.tiles.isEmpty && report.hasWaveform && report.columns == 1)
        #expect(try abs(#require(report.peak) - -20) < 0.1)
        let image = try #require(try Truth(file).video)
        #expect([image.width, image.height] == [report.width, report.height])
        // Scaled to its peak: the wave reaches nearly to the edges.
        let top = report.height - 240 - Typeface.height(13) - 8
        let row = try Tool.ffmpeg([
            "-i", file, "-vf", "crop=1200:1:24:\(top + 4)", "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
        ])
        #expect(stride(from: 2, to: row.count, by: 3).filter { row[$0] > 128 }.count > 1000)
    }

    @Test func silenceHasNoLevel() throws {
        let input = scratch.name("flac")
        try Tool.ffmpeg(["-f", "lavfi", "-i", "anullsrc=r=44100:cl=mono:d=1", input])
        let (_, report) = try sheet(input)
        #expect(report.hasWaveform && report.peak == nil)
    }

    @Test func pixelsThatAreNotSquareAreShownSquare() throws {
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(size: "180x144", seconds: "1", filters: "setsar=64/45") + Film.h264()
        ).make(in: scratch)
        let (_, report) = try sheet(input, columns: 1, rows: 2, width: 256)
        let other = try Film(
            name: "", type: "mp4", words: Film.video(size: "256x144", seconds: "1") + Film.h264()
        ).make(in: scratch)
        #expect(try sheet(other, columns: 1, rows: 2, width: 256).report.height == report.height)
    }
}

// Two fields are one frame, whatever a container counts: in what the probe says, in frame numbers, thumbnails and caps.
import Libav
import Media
import MediaTime
import Testing

@testable import Pictures
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct FieldProbeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: FieldFilm.everywhere("h264") + FieldFilm.everywhere("mpeg2"))
    func theProbeCountsFrames(_ film: FieldFilm) throws {
        let source = try scratch.source(try film.make(in: scratch))
        let asset = try Probe.asset(of: source, properties: [.tracks, .timing, .keyframes, .frameCounts])
        let track = try #require(asset.mainVideo)
        let format = try #require(track.video)
        #expect(format.frameRate == film.framesPerSecond)
        #expect(format.nominalRate == film.framesPerSecond)
        #expect(!format.isVariable)
        #expect(format.fieldOrder == .topFieldFirst)
        #expect(format.fieldCoding != nil)
        #expect(track.frameCount == 60)
        // Every twelfth frame, as the film was made.
        let keys = try #require(track.keyframes)
        let step = try #require(film.framesPerSecond.reciprocal)
        try #require(keys.count == 5)
        for (index, key) in keys.enumerated() {
            let time = Time(12 * Int64(index) * step.numerator, Int32(step.denominator))
            #expect((key - time).absoluteValue <= Time(1, 1000))
        }
        // FFmpeg's muxer writes half a frame too little into Matroska where the reader does not know better.
        if film.type != "mkv" {
            let whole = Time(60 * step.numerator, Int32(step.denominator))
            let length = try #require(try Probe.asset(of: source).duration)
            #expect((length - whole).absoluteValue <= track.timebase.time(ofTicks: 1))
        }
    }

    @Test(arguments: [
        FieldFilm(words: ["--order", "bb"]), FieldFilm(type: "mp4", words: ["--order", "bb"]),
        FieldFilm(codec: "mpeg2", words: ["--order", "bb"]),
        FieldFilm(codec: "mpeg2", type: "mp4", words: ["--order", "bb"]),
    ]) func theFieldOrderIsReadFromTheFields(_ film: FieldFilm) throws {
        let asset = try Probe.asset(of: try scratch.source(try film.make(in: scratch)))
        #expect(asset.mainVideo?.video?.fieldOrder == .bottomFieldFirst)
    }

    /// Streams may change from fields to frames and back, frame by frame.
    @Test(arguments: ["ts", "mp4", "mkv"]) func framesAmongFieldsCountOnce(_ type: String) throws {
        let film = FieldFilm(type: type, words: ["--frame-pictures", "5"])
        let source = try scratch.source(try film.make(in: scratch))
        let asset = try Probe.asset(of: source, properties: [.tracks, .timing, .frameCounts])
        #expect(asset.mainVideo?.frameCount == 60)
        #expect(asset.mainVideo?.video?.frameRate == Ratio(25))
        #expect(asset.mainVideo?.video?.isVariable == false)
    }

    @Test(arguments: FieldFilm.everywhere("h264")) func aFrameNumberIsAFrame(_ film: FieldFilm) throws {
        let input = try film.make(in: scratch)
        let source = try scratch.source(input)
        let times = try Truth(input).frames().map(\.time)
        try #require(times.count == 60)
        let resolution = TimeResolution(
            asset: try Probe.asset(of: source), source: source, diagnostics: Diagnostics())
        var range = RangeRequest()
        (range.start, range.end) = (.frame(10), .frame(47))
        let found = try resolution.range(range)
        #expect((found.start, found.end) == (times[10], times[47]))
        // Between the fields of a frame no frame begins.
        #expect(try resolution.boundary(near: times[20] + Time(1, 60)) == times[20])
    }

    /// A cap of 30 leaves 25 and 29.97 frames a second as they are.
    @Test(arguments: [
        FieldFilm(), FieldFilm(rate: "30000/1001", type: "mts"), FieldFilm(type: "mp4"),
        FieldFilm(rate: "30000/1001", type: "mkv"), FieldFilm(codec: "mpeg2", type: "mp4"),
    ]) func aCapCountsFrames(_ film: FieldFilm) throws {
        let input = try film.make(in: scratch)
        let times = try Truth(input).frames().map(\.time)
        let made = try export(input, "m4v720", start: times[7], end: times[43], in: scratch)
        #expect(made.result.tracks.first?.framesEncoded == 36)
        #expect(!made.result.warnings.contains { $0.code == .frameRateLowered })
        let shown = try Truth(made.file).frames()
        try #require(shown.count == 36)
        let tick = film.type == "mkv" ? Time(1, 1000) : Time(1, 90_000)
        for (frame, time) in zip(shown, times[7...]) {
            #expect((frame.time - (time - times[7])).absoluteValue <= tick)
        }
        try verify(made, in: scratch)
    }

    @Test(arguments: ["ts", "mp4"]) func noThumbnailIsShownTwice(_ type: String) throws {
        let input = try FieldFilm(type: type).make(in: scratch)
        let times = try Truth(input).frames().map(\.time)
        var range = RangeRequest()
        (range.start, range.end) = (.time(times[10]), .time(times[20]))
        var options = SheetOptions()
        (options.columns, options.rows, options.width) = (5, 4, 48)
        let report = try ContactSheet(try scratch.source(input), range, options, type: .png)
            .run(output: try scratch.output(scratch.name("png")))
        #expect(report.tiles.map(\.actual) == Array(times[10..<20]))
        let still = try FrameGrab(try scratch.source(input), at: .frame(11), width: nil, type: .png)
            .run(output: try scratch.output(scratch.name("png")))
        #expect(still.actual == times[11])
    }
}

// Films of fields that are copied: their ends are encoded as interlaced frames, and every frame is there once.
import Media
import MediaTime
import Testing

@testable import Check
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct FieldTrimTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func smart(
        _ input: String, _ start: Time?, _ end: Time?, to type: String, keep: [RangeSpelling]? = nil
    ) throws -> Made {
        try export(input, "passthrough", start: start, end: end, in: scratch, type: type) {
            ($0.render, $0.output.name, $0.keep) = (.smart, "out.\(type)", keep)
        }
    }

    /// Frames of an output that decode to the very pixels of their source frames.
    private func identical(_ input: String, _ output: String, from: Int) throws -> Int64 {
        try identical(try FrameSums.of(input), output, from: from)
    }
    private func identical(_ source: [Substring], _ output: String, from: Int) throws -> Int64 {
        Int64(zip(source.dropFirst(from), try FrameSums.of(output)).count { $0 == $1 })
    }

    /// Of each decoded frame: interlaced, and which field is first.
    private func orders(_ file: String) throws -> Set<[Int]> {
        struct Answer: Decodable {
            struct Frame: Decodable { var interlaced_frame: Int, top_field_first: Int }
            var frames: [Frame]
        }
        let frames = try Tool.ffprobe(
            ["-select_streams", "v:0", "-show_entries", "frame=interlaced_frame,top_field_first", file],
            as: Answer.self
        ).frames
        return Set(frames.map { [$0.interlaced_frame, $0.top_field_first] })
    }

    @Test(
        arguments: FieldFilm.everywhere("h264").filter { $0.packets == "apart" } + [
            FieldFilm(packets: "together"), FieldFilm(type: "mp4", packets: "together"),
            FieldFilm(type: "mp4", words: ["--frame-pictures", "5"]),
            FieldFilm(rate: "30000/1001", words: ["--silent"]), FieldFilm(words: ["--b", "0"]),
            FieldFilm(codec: "mpeg2"), FieldFilm(codec: "mpeg2", type: "mp4"),
            FieldFilm(codec: "mpeg2", rate: "30000/1001", type: "mkv", words: ["--open"]),
        ]) func everyFrameIsThereOnce(_ film: FieldFilm) throws
    {
        let input = try film.make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        try #require(shown.count == 60)
        let (sums, own) = (try FrameSums.of(input), try orders(input))
        for type in Set([film.type == "mts" ? "ts" : film.type, "mp4"]) {
            let made = try smart(input, shown[17], shown[52], to: type)
            let video = try #require(made.result.tracks.first { $0.kind == .video })
            #expect(video.framesCopied + video.framesEncoded == 35)
            #expect(video.framesCopied >= 22)
            let times = try Truth(made.file).frames().map(\.time)
            try #require(times.count == 35)
            let tick = type == "mkv" || film.type == "mkv" ? Time(1, 1000) : Time(1, 90_000)
            for (time, expected) in zip(times, shown[17...]) {
                #expect((time - times[0] - (expected - shown[17])).absoluteValue <= tick)
            }
            #expect(try identical(sums, made.file, from: 17) >= video.framesCopied)
            #expect(try orders(made.file) == own)
            try verify(made, in: scratch)
        }
    }

    @Test(arguments: [
        FieldFilm(words: ["--order", "bb"]),
        FieldFilm(codec: "mpeg2", type: "mp4", words: ["--order", "bb"]),
    ]) func theEndsKeepTheOrderOfTheFields(_ film: FieldFilm) throws {
        let input = try film.make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        let made = try smart(input, shown[17], shown[52], to: "mp4")
        #expect(made.result.tracks.first.map { $0.framesEncoded > 0 && $0.framesCopied > 0 } == true)
        #expect(try orders(made.file) == [[1, 0]])
    }

    /// A copied track has a frame a sample: players of movies count samples.
    @Test(arguments: ["ts", "mkv", "mp4"]) func aCopyHasAFrameASample(_ type: String) throws {
        let input = try FieldFilm(type: type).make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        let made = try export(
            input, "passthrough", start: shown[12], end: shown[36], in: scratch, type: "mp4"
        ) { ($0.render, $0.output.name) = (.copy, "out.mp4") }
        #expect(made.result.tracks.first?.framesCopied == 24)
        let asset = try Probe.asset(of: try scratch.source(made.file))
        #expect(asset.mainVideo?.samples == 24)
        #expect(asset.mainVideo?.video?.fieldCoding == .oneSample)
        #expect(try identical(input, made.file, from: 12) == 24)
    }

    @Test(arguments: ["ts", "mp4"]) func partsAreJoined(_ type: String) throws {
        let input = try FieldFilm(type: type).make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        let parts = [(shown[20], shown[51]), (shown[5], shown[30])]
        let made = try smart(
            input, nil, nil, to: type,
            keep: parts.map { RangeSpelling(start: .time($0.0), end: .time($0.1)) })
        let sums = try FrameSums.of(made.file)
        let source = try FrameSums.of(input)
        let wanted = Array(source[20..<51] + source[5..<30])
        try #require(sums.count == wanted.count)
        let copied = try #require(made.result.tracks.first?.framesCopied)
        #expect(copied > 30)
        #expect(zip(sums, wanted).count { $0 == $1 } >= Int(copied))
        try verify(made, in: scratch)
    }

    /// A recording that was cut begins with a field whose other one is gone.
    @Test func aFieldWithoutItsOtherOneIsNoFrame() throws {
        let input = try FieldFilm(words: ["--cut-first"]).make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        let made = try smart(input, shown[5], shown[40], to: "mp4")
        #expect(try Truth(made.file).frames().count == 35)
        try verify(made, in: scratch)
    }

    /// Between two keyframes there is nothing to copy.
    @Test(arguments: [
        FieldFilm(), FieldFilm(words: ["--b", "0"]), FieldFilm(type: "mp4"),
    ])
    func aCutWithinAGroupIsEncodedWhole(_ film: FieldFilm) throws {
        let input = try film.make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        for type in ["mp4", "mkv", "ts"] {
            let made = try smart(input, shown[13], shown[22], to: type)
            #expect(try Truth(made.file).frames().count == 9, "\(type)")
            try verify(made, in: scratch)
        }
    }

    /// HEVC codes fields as pictures of half the height, each with a message that gives its parity.
    @Test(arguments: ["mp4", "mkv", "ts"]) func fieldsOfHEVCAreFrames(_ type: String) throws {
        let input = try Film(
            name: "", type: type,
            words: Film.video(size: "320x256", filters: "separatefields,setsar=1") + [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "interlace=tff:keyint=24:log-level=none:bframes=2",
            ]
        ).make(in: scratch)
        let source = try scratch.source(input)
        let video = try #require(try Probe.asset(of: source).mainVideo?.video)
        #expect(video.frameRate == Ratio(25) && video.height == 256 && !video.isVariable)
        #expect(video.fieldOrder == .topFieldFirst && video.fieldCoding != nil)
        let start = Time(26, 25), end = Time(58, 25)
        let made = try smart(input, start, end, to: type)
        let track = try #require(made.result.tracks.first)
        #expect(track.framesCopied > 0 && track.framesEncoded > 0)
        var range = RangeRequest()
        (range.start, range.end) = (.time(start), .time(end))
        let report = try Comparison(source, try scratch.source(made.file), range).run(picture: nil)
        #expect(report.exact && report.video?.expected == 32, "\(report.findings)")
    }

    /// It does not store the reorder depth of its frames, and that of head and tail is one more than its own.
    @Test(.enabled(if: Paths.hasMedia("fixture-raw.mts"), "fixture-raw.mts is not there"))
    func aCamerasFieldsAreCutExactly() throws {
        let input = Paths.media + "/fixture-raw.mts"
        let start = Time(3, 10), end = Time(1, 2)
        var range = RangeRequest()
        (range.start, range.end) = (.time(start), .time(end))
        for (preset, type) in [("passthrough", "mp4"), ("m4v480", "m4v")] {
            let made = try export(input, preset, start: start, end: end, in: scratch, type: type) {
                $0.render = .auto
            }
            let report = try Comparison(
                try scratch.source(input), try scratch.source(made.file), range
            ).run(picture: nil)
            #expect(report.exact && report.video?.expected == 7, "\(preset): \(report.findings)")
        }
    }
}

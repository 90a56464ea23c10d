// Playlists with parts of other parameters, as advertisements are: the film is copied, and only those parts are encoded to its form.
import Check
import FoundationEssentials
import Libav
import Media
import MediaTime
import Pictures
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct ConvertedPartTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// How a playlist is put together of the film's two parts and an advertisement.
    enum Order: String, CaseIterable { case before, between, after, twice }

    private func film(_ order: Order, _ packing: [String] = []) throws -> (list: SourceFile, whole: String) {
        let (parts, whole) = try PartedFilm.divided(in: scratch, at: "3")
        let ad = scratch.name("ts")
        try Tool.ffmpeg(
            Film.video("25", size: "320x240", seconds: "1") + Film.noise(44_100, seconds: "1") + Film.h264()
                + ["-c:a", "aac", "-ac", "1", ad])
        var film = try PartedFilm(in: scratch)
        let all =
            switch order {
            case .before: [ad, parts[0], parts[1]]
            case .between: [parts[0], ad, parts[1]]
            case .after: [parts[0], parts[1], ad]
            case .twice: [ad, parts[0], ad, parts[1]]
            }
        for (index, part) in all.enumerated() { try film.addPacked("p\(index)", of: part, packing) }
        return (try film.source(in: scratch), whole)
    }

    private func export(_ source: SourceFile, _ range: RangeRequest, _ type: String = "mp4") throws -> (
        file: String, result: ExportResult
    ) {
        try scratch.export(source, to: type) { ($0.render, $0.range) = (.smart, range) }
    }

    private func frames(_ file: String) throws -> [(time: Int, sum: Substring)] {
        try FrameSums.lines(of: file, "v", ["-enc_time_base", "1:90000"]).map { line in
            let fields = line.split(separator: ",")
            return (Int(fields[2].trimmed) ?? 0, fields[5])
        }
    }

    @Test(arguments: Order.allCases) func theFilmIsCopied(_ order: Order) throws {
        let (list, whole) = try film(order)
        let asset = try Probe.asset(of: list)
        // The film is what the asset is, wherever the advertisement is.
        #expect(asset.mainVideo?.video?.width == 160)
        #expect(asset.mainVideo?.video?.frameRate?.value == 30)
        #expect(asset.audioTracks.first?.audio?.sampleRate == 48_000)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(26, 4)))
        let (file, result) = try export(list, range)
        let video = try #require(result.tracks.first)
        #expect(result.render == .smart && video.width == 160, "\(result.render)")
        #expect(result.warnings.map(\.code) == [.shapeChanged], "\(result.warnings)")
        #expect(video.framesCopied >= 90, "\(video)")
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
        // Copied frames are those of the film, one after another, in steps of its own.
        let own = Dictionary(
            try frames(whole).enumerated().map { ($1.sum, $0) }, uniquingKeysWith: { first, _ in first })
        let copied = try frames(file).compactMap { frame in own[frame.sum].map { (frame.time, $0) } }
        #expect(copied.count >= 90)
        for (one, next) in zip(copied, copied.dropFirst()) where next.1 == one.1 + 1 && next.0 - one.0 < 9000
        {
            #expect(abs(next.0 - one.0 - 3000) <= 1)
        }
        #expect(zip(copied, copied.dropFirst()).allSatisfy { $0.1 < $1.1 })
    }

    @Test(arguments: ["mkv", "ts", "mov"]) func containersOfOtherTicks(_ type: String) throws {
        let (list, _) = try film(.between)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(13, 2)))
        let (file, result) = try export(list, range, type)
        #expect(result.render == .smart)
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
    }

    @Test func headersOfMoviesToo() throws {
        let (list, _) = try film(.between, ["-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4"])
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(26, 4)))
        let (file, result) = try export(list, range)
        #expect(result.render == .smart)
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
    }

    @Test func partsOfHEVC() throws {
        let (parts, _) = try PartedFilm.divided(in: scratch, at: "3")
        let ad = scratch.name("ts")
        try Tool.ffmpeg(Film.video("25", size: "320x240", seconds: "1") + Film.h264() + [ad])
        var film = try PartedFilm(in: scratch)
        for (index, part) in [parts[0], ad, parts[1]].enumerated() {
            let hevc = scratch.name("ts")
            try Tool.ffmpeg([
                "-i", part, "-map", "0:v", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "keyint=30:open-gop=0:log-level=error", hevc,
            ])
            try film.addPacked("p\(index)", of: hevc)
        }
        let list = try film.source(in: scratch)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(26, 4)))
        let (file, result) = try export(list, range)
        #expect(result.render == .smart && result.tracks.first?.framesCopied ?? 0 >= 90, "\(result.tracks)")
        #expect(result.warnings.map(\.code) == [.shapeChanged], "\(result.warnings)")
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
    }

    /// Leading pictures behind the keyframe that a part begins with refer to what came before in the film: no player shows them, and
    /// nothing is damaged. In transport streams alone: FFmpeg 5.1 gives the first frame of a fragment another time where leading pictures
    /// follow it.
    @Test func partsOfHEVCWithOpenGOPs() throws {
        let (film, stem) = (scratch.name("mp4"), scratch.path + "/" + UUID().uuidString)
        let hevc = [
            "-c:v", "libx265", "-preset", "medium", "-pix_fmt", "yuv420p", "-x265-params",
            "keyint=27:min-keyint=27:bframes=3:b-adapt=2:scenecut=0:open-gop=1:log-level=error",
        ]
        try Tool.ffmpeg(
            ["-f", "lavfi", "-i", "mandelbrot=s=160x120:r=25"] + Film.noise(48_000, seconds: "6")
                + ["-t", "6", "-c:a", "aac"] + hevc + [film])
        try Tool.ffmpeg([
            "-i", film, "-c", "copy", "-f", "segment", "-segment_times", "3", "-reset_timestamps", "1",
            "-segment_format", "mpegts", "\(stem)-%d.ts",
        ])
        let ad = scratch.name("ts")
        try Tool.ffmpeg(
            Film.video("25", size: "320x240", seconds: "1") + Film.noise(48_000, seconds: "1")
                + ["-c:a", "aac"] + hevc + [ad])
        var made = try PartedFilm(in: scratch)
        for (index, part) in ["\(stem)-0.ts", ad, "\(stem)-1.ts"].enumerated() {
            try made.addPacked("p\(index)", of: part)
        }
        let list = try made.source(in: scratch)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(26, 4)))
        for render in [RenderMode.smart, .encode] {
            let made = try scratch.export(list, preset: render == .encode ? "640x480" : "passthrough") {
                ($0.render, $0.range) = (render, range)
            }
            #expect(made.result.render == render)
            #expect(made.result.warnings.map(\.code) == [.shapeChanged], "\(made.result.warnings)")
            let compared = try Comparison(list, try scratch.source(made.file), range).run(picture: nil)
            #expect(compared.exact, "\(compared.findings)")
        }
        // From the keyframe on, and from the frame before it.
        for start in [Time(38, 10), Time(42, 10), Time(44, 10)] {
            let range = RangeRequest(start: .time(start), end: .time(Time(26, 4)))
            let (file, result) = try export(list, range)
            #expect(!result.warnings.map(\.code).contains(.damagedMedia), "\(result.warnings)")
            let compared = try Comparison(list, try scratch.source(file), range).run(picture: nil)
            #expect(compared.exact, "\(start): \(compared.findings)")
        }
    }

    /// A part of a frame, in pixels.
    struct Box: Hashable, Sendable { var left: Int, top: Int, width: Int, height: Int }

    /// Advertisements of other shapes, in a film of 160 by 120 pixels, and where their pictures are in its frames.
    static let shapes = [
        // Wider, narrower, and of the film's size with wider pixels.
        (size: "320x180", aspect: "1/1", picture: Box(left: 0, top: 14, width: 160, height: 90)),
        (size: "120x180", aspect: "1/1", picture: Box(left: 40, top: 0, width: 80, height: 120)),
        (size: "160x120", aspect: "4/3", picture: Box(left: 0, top: 14, width: 160, height: 90)),
    ]

    /// A part of white pictures between parts of a film, packed as transport streams or as fragments.
    private func film(_ size: String, _ aspect: String, _ packing: [String]) throws -> SourceFile {
        let (parts, _) = try PartedFilm.divided(in: scratch, at: "3")
        let ad = scratch.name("ts")
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "color=white:size=\(size):rate=30:duration=1,setsar=\(aspect)", "-f",
                "lavfi", "-i", "anullsrc=r=48000:cl=mono,atrim=duration=1",
            ] + Film.h264() + ["-c:a", "aac", ad])
        var film = try PartedFilm(in: scratch)
        for (index, part) in [parts[0], ad, parts[1]].enumerated() {
            try film.addPacked("p\(index)", of: part, packing)
        }
        return try film.source(in: scratch)
    }

    /// Where a frame is white: the first and the last such row in its middle, and the same of columns.
    private func white(_ file: String, at time: String?, width: Int, height: Int) throws -> Box? {
        let gray = try Tool.ffmpeg(
            (time.map { ["-ss", $0] } ?? []) + [
                "-i", file, "-map", "0:v:0", "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "-",
            ])
        try #require(gray.count == width * height)
        let rows = (0..<height).filter { gray[$0 * width + width / 2] > 128 }
        let columns = (0..<width).filter { gray[height / 2 * width + $0] > 128 }
        guard let top = rows.first, let bottom = rows.last, let left = columns.first, let right = columns.last
        else { return nil }
        return Box(left: left, top: top, width: right - left + 1, height: bottom - top + 1)
    }

    private func isNear(_ one: Box?, _ other: Box) -> Bool {
        guard let one else { return false }
        return abs(one.left - other.left) <= 1 && abs(one.top - other.top) <= 1
            && abs(one.width - other.width) <= 2 && abs(one.height - other.height) <= 2
    }

    @Test(arguments: shapes, [[], ["-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4"]])
    func picturesOfOtherShapes(
        _ shape: (size: String, aspect: String, picture: Box), _ packing: [String]
    ) throws {
        let list = try film(shape.size, shape.aspect, packing)
        let range = RangeRequest(start: .time(Time(2, 1)), end: .time(Time(5, 1)))
        for render in [RenderMode.smart, .encode] {
            let made = try scratch.export(list, preset: render == .encode ? "640x480" : "passthrough") {
                ($0.render, $0.range) = (render, range)
            }
            #expect(made.result.render == render)
            let found = try white(made.file, at: "1.5", width: 160, height: 120)
            #expect(isNear(found, shape.picture), "\(render): \(found as Any)")
            let compared = try Comparison(list, try scratch.source(made.file), range).run(picture: nil)
            #expect(compared.exact, "\(compared.findings)")
        }
        let still = scratch.name("png")
        // A still of the part has its shape.
        let grab = try FrameGrab(list, at: .time(Time(7, 2)), width: nil, type: .png)
            .run(output: try scratch.output(still))
        let found = try white(still, at: nil, width: grab.width, height: grab.height)
        let whole = Box(left: 0, top: 0, width: grab.width, height: grab.height)
        #expect(isNear(found, whole), "\(found as Any)")
    }

    /// Behind an advertisement the film is copied whole, as by a playlist without it.
    @Test func theFilmBehindAnAdvertisement() throws {
        let (list, _) = try film(.before)
        let range = RangeRequest(start: .time(Time(3, 2)), end: .time(Time(7, 2)))
        let (_, result) = try export(list, range)
        #expect(result.warnings.isEmpty, "\(result.warnings)")
        #expect(result.tracks.allSatisfy { $0.way != .encode }, "\(result.tracks)")
    }
}

extension Substring {
    fileprivate var trimmed: String { filter { $0 != " " } }
}

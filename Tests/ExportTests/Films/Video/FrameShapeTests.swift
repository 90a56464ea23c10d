// Size, shape and orientation of the output's frames.
import Foundation
import Media
import MediaTime
import Testing

@testable import Check

@Suite(.timeLimit(.minutes(10))) struct FrameShapeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func export(_ words: [String], _ type: String = "mp4") throws -> (
        input: Truth, output: Truth, made: Made
    ) {
        try export(Film(name: "", type: type, words: words).make(in: scratch))
    }

    private func export(_ input: String) throws -> (input: Truth, output: Truth, made: Made) {
        let made = try ExportTests.export(input, "m4v720", start: Time(1, 5), end: Time(3, 5), in: scratch)
        try verify(made, in: scratch)
        let output = try Truth(made.file)
        let video = try #require(output.video)
        #expect(video.sample_aspect_ratio == "1:1", "square pixels")
        let result = try #require(made.result.tracks.first)
        #expect((result.width, result.height) == (video.width, video.height))
        return (try Truth(input), output, made)
    }

    /// How much two runs of thumbnails differ on average, in grey levels.
    private func difference(_ a: some Sequence<[UInt8]>, _ b: some Sequence<[UInt8]>) -> Double {
        var (sum, count) = (0, 0)
        for (one, other) in zip(a, b) {
            for (x, y) in zip(one, other) {
                sum += abs(Int(x) - Int(y))
                count += 1
            }
        }
        return count == 0 ? .infinity : Double(sum) / Double(count)
    }

    @Test(arguments: [0, 90, 180, 270]) func rotatedVideoIsUpright(_ degrees: Int) throws {
        let lying = try Film(
            name: "", type: "mp4", words: Film.video(size: "200x120", seconds: "1") + Film.h264()
        )
        .make(in: scratch)
        let turned = try Film.turned(lying, by: degrees, in: scratch)
        let (input, output, _) = try export(turned)
        let matrix = try #require(input.video).side_data_list?.compactMap(\.rotation).first ?? 0
        try #require((matrix - degrees) % 360 == 0 || (matrix + degrees) % 360 == 0, "the film is not turned")
        #expect(output.video?.side_data_list?.contains { $0.rotation != nil } != true)
        let isTurned = degrees % 180 != 0
        #expect((output.video?.width, output.video?.height) == (isTurned ? (120, 200) : (200, 120)))
        // ffmpeg turns the source upright by itself; the output has nothing left to be turned.
        let off = difference(try input.thumbnails()[5..<15], try output.thumbnails())
        #expect(off < 6, "it differs by \(off)")
    }

    @Test func framesAreNeverScaledUpAndLargeOnesFitTheBox() throws {
        let large = try export(Film.video(size: "1600x400", seconds: "0.8") + Film.h264())
        #expect((large.output.video?.width, large.output.video?.height) == (1280, 320))
        let portrait = try export(Film.video(size: "400x1600", seconds: "0.8") + Film.h264())
        #expect((portrait.output.video?.width, portrait.output.video?.height) == (320, 1280))
    }

    @Test func pixelsThatAreNotSquareBecomeSquare() throws {
        let (input, output, _) = try export(
            Film.video(size: "144x120", seconds: "1", filters: "setsar=4/3") + Film.h264())
        #expect((output.video?.width, output.video?.height) == (192, 120))
        #expect(difference(try input.thumbnails()[5..<15], try output.thumbnails()) < 6)
    }

    /// Keyframes of VP8 and VP9 say how large their frames are, and calls that were recorded change that: head and tail have the size
    /// of what they replace.
    @Test(arguments: ["libvpx", "libvpx-vp9"], [(5, 35), (25, 38), (27, 45), (12, 28)])
    func headAndTailHaveTheSizeOfTheirPart(_ codec: String, _ range: (start: Int64, end: Int64)) throws {
        let sizes = ["160x120", "320x240", "160x120"]
        let parts = try sizes.map { size in
            try Film(
                name: "", type: "webm",
                words: Film.video(size: size, seconds: "2") + [
                    "-c:v", codec, "-b:v", "400k", "-g", "30", "-deadline", "realtime", "-cpu-used", "8",
                ]
            ).make(in: scratch)
        }
        let (list, film) = (scratch.name("txt"), scratch.name("webm"))
        try Data(parts.map { "file '\($0)'\n" }.joined().utf8).write(to: URL(filePath: list))
        try Tool.ffmpeg(["-f", "concat", "-safe", "0", "-i", list, "-c", "copy", film])
        let (start, end) = (Time(range.start, 10), Time(range.end, 10))
        let made = try ExportTests.export(
            film, "passthrough", start: start, end: end, in: scratch, type: "webm"
        ) { ($0.render, $0.output.name) = (.smart, "o.webm") }
        let frames = try expected(try Truth(film).frames(), start: start, end: end)
        #expect(try Truth(made.file).frames().map(\.time) == frames.times)
        let whole = try Truth(film).thumbnails()
        #expect(
            try difference(whole[(frames.indices.first ?? 0)...], Truth(made.file).thumbnails()) < 4)
        try verify(made, in: scratch)
    }

    /// Tools that correct a film's shape change the container alone.
    @Test(arguments: [RenderMode.copy, .smart], ["mp4", "mkv"])
    func theContainersShapeIsTheOutputs(_ way: RenderMode, _ type: String) throws {
        let square = try Film(name: "", type: "mp4", words: Film.video(size: "160x90") + Film.h264()).make(
            in: scratch)
        let film = scratch.name("mp4")
        try Tool.ffmpeg(["-i", square, "-c", "copy", "-aspect", "4:3", film])
        #expect(try Truth(film).video?.sample_aspect_ratio == "3:4")
        // Matroska has no edit list that could hide samples.
        let start = way == .copy ? nil : Time(3, 5)
        let made = try ExportTests.export(film, "passthrough", start: start, in: scratch, type: type) {
            $0.render = way
        }
        #expect(try Truth(made.file).video?.sample_aspect_ratio == "3:4")
    }

    /// A film whose sample description has a clean aperture.
    private func film(aperture: [Int32]) throws -> String {
        let path = try Film(
            name: "", type: "mp4", words: Film.video(size: "208x128", seconds: "4") + Film.h264()
        ).make(in: scratch)
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        func offset(_ name: String, after: Int = 0) throws -> Int {
            let name = Array(name.utf8)
            return try #require((after..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == name })
        }
        func number(_ value: Int32) -> [UInt8] {
            (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let box = number(40) + Array("clap".utf8) + aperture.flatMap(number)
        var at = try offset("moov")
        var offsets = [at]
        for name in ["trak", "mdia", "minf", "stbl", "stsd", "avc1"] {
            at = try offset(name, after: at)
            offsets.append(at)
        }
        func size(_ at: Int) -> Int { bytes[at - 4..<at].reduce(0) { $0 << 8 | Int($1) } }
        let end = at - 4 + size(at)
        for offset in offsets {
            bytes.replaceSubrange(offset - 4..<offset, with: number(Int32(size(offset) + 40)))
        }
        bytes.insert(contentsOf: box, at: end)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @Test func framesAreCroppedToTheirCleanAperture() throws {
        let input = try film(aperture: [160, 1, 120, 1, -16, 1, 2, 1])
        let (source, output, made) = try export(input)
        #expect((output.video?.width, output.video?.height) == (160, 120))
        #expect(made.result.warnings.contains { $0.code == .croppedToAperture })
        // Left of the centre by 16, below it by 2: what ffmpeg cuts out of the same film.
        let cut = scratch.name("mp4")
        try Tool.ffmpeg(["-i", source.file, "-vf", "crop=160:120:8:6", "-c:v", "libx264", "-crf", "12", cut])
        let off = difference(try Truth(cut).thumbnails()[5..<15], try output.thumbnails())
        #expect(off < 3, "it differs by \(off)")
        let copied = try ExportTests.export(
            input, "passthrough", start: Time(1, 5), end: Time(3, 1), in: scratch, type: "mp4"
        ) { ($0.render, $0.output.name) = (.smart, "out.mp4") }
        #expect(copied.result.dropped.contains { $0.what == "clean aperture 160x120" })
        var range = RangeRequest()
        (range.start, range.end) = (.time(Time(1, 5)), .time(Time(3, 1)))
        let report = try Comparison(
            try scratch.source(input), try scratch.source(copied.file), range
        ).run(picture: nil)
        #expect(report.exact, "\(report.findings)")
        let video = try #require(report.video)
        #expect((video.lowestPSNR ?? 0) > 35, "the whole frames were compared with each other")
    }

    @Test func anOddSizeBecomesEven() throws {
        let words = Film.video(size: "161x121", seconds: "1") + ["-c:v", "ffv1", "-pix_fmt", "yuv444p"]
        let (_, output, _) = try export(words, "mkv")
        #expect((output.video?.width, output.video?.height) == (160, 120))
    }

    @Test func coloursAreTaggedByTheSize() throws {
        let small = try export(Film.video(size: "160x120", seconds: "0.8") + Film.h264())
        #expect(small.output.video?.color_space == "smpte170m")
        let large = try export(Film.video(size: "1280x720", seconds: "0.8") + Film.h264())
        #expect(large.output.video?.color_space == "bt709")
    }

    @Test func twoFieldsBecomeOneFrame() throws {
        let words =
            Film.video("50", size: "160x120", seconds: "1", filters: "interlace=scan=tff") + Film.h264()
            + ["-flags", "+ildct+ilme"]
        let (input, output, made) = try export(words)
        let wanted = try expected(input.frames(), start: Time(1, 5), end: Time(3, 5))
        #expect(try output.frames().map(\.time) == wanted.times)
        #expect(made.result.warnings.contains { $0.code == .deinterlaced })
    }

    @Test func aSizeThatChangesOnTheWayIsBroughtToTheFirst() throws {
        let (one, two) = (scratch.name("ts"), scratch.name("ts"))
        for (file, size) in [(one, "160x120"), (two, "200x120")] {
            try Tool.ffmpeg(
                Film.video(size: size, seconds: "0.4") + ["-c:v", "mpeg2video", "-b:v", "2M", file])
        }
        let joined = scratch.name("ts")
        let words = ["-i", "concat:\(one)|\(two)", "-c", "copy", "-fflags", "+genpts", joined]
        try Tool.ffmpeg(words)
        let made = try ExportTests.export(joined, "m4v720", in: scratch)
        #expect((try Truth(made.file).video?.width, try Truth(made.file).video?.height) == (160, 120))
        #expect(made.result.warnings.contains { $0.code == .shapeChanged })
        try verify(made, in: scratch)
    }
}

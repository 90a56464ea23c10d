// Recordings that change within: their size grows, their audio moves to another PID, or their alpha channel has keyframes of its own. An
// output has the parameters of its range, and its header says so.
import Check
import Export
import Foundation
import Media
import MediaTime
import Pictures
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct RangeFormatTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Kind: CustomTestStringConvertible, Sendable {
        var name: String, type: String
        var words: [String]
        /// How the range is made; nil: as its codec needs it.
        var way: RenderMode?
        var testDescription: String { name }
    }

    private static let vpx = ["-deadline", "realtime", "-cpu-used", "8", "-b:v", "1M", "-g", "10"]
    static let kinds = [
        Kind(name: "VP8 in webm", type: "webm", words: ["-c:v", "libvpx"] + vpx, way: .smart),
        Kind(name: "VP9 in webm", type: "webm", words: ["-c:v", "libvpx-vp9"] + vpx, way: .smart),
        Kind(name: "VP8 in mkv", type: "mkv", words: ["-c:v", "libvpx"] + vpx, way: .smart),
        Kind(
            name: "H.264 in ts", type: "ts",
            words: ["-c:v", "libx264", "-preset", "veryfast", "-g", "10", "-bf", "2", "-pix_fmt", "yuv420p"],
            way: .smart),
    ]

    /// One second of 96x64, and two of 192x128.
    private func growing(_ kind: Kind) throws -> String {
        let parts = try [("96x64", 1), ("192x128", 2)].enumerated().map { index, part in
            let file = scratch.name(kind.type)
            // Those of a stream that goes on have times that go on.
            let shift = kind.type == "ts" && index == 1 ? ["-output_ts_offset", "1"] : []
            try Tool.ffmpeg(
                Film.video("20", size: part.0, seconds: "\(part.1)") + kind.words + shift + [file])
            return file
        }
        let film = scratch.name(kind.type)
        if kind.type == "ts" {
            let bytes = try parts.map { try Data(contentsOf: URL(filePath: $0)) }
            try (bytes[0] + bytes[1]).write(to: URL(filePath: film))
        } else {
            let list = scratch.name("txt")
            try Data(parts.map { "file '\($0)'\n" }.joined().utf8).write(to: URL(filePath: list))
            try Tool.ffmpeg(["-f", "concat", "-safe", "0", "-i", list, "-c", "copy", film])
        }
        return film
    }

    private struct Streams: Decodable {
        struct Stream: Decodable {
            var codec_name: String
            var width: Int?, height: Int?
        }
        var streams: [Stream]
    }

    private func streams(_ file: String) throws -> [Streams.Stream] {
        try Tool.ffprobe(["-show_entries", "stream=codec_name,width,height", file], as: Streams.self).streams
    }

    @Test(arguments: kinds) func aRangeBehindAChangeOfSizeHasItsOwn(_ kind: Kind) throws {
        let film = try growing(kind)
        let (start, end) = (Time(16, 10), Time(27, 10))
        let cut = try export(film, "passthrough", start: start, end: end, in: scratch, type: kind.type) {
            $0.render = .auto
            $0.fallback = try? preset("highest")
        }
        #expect(cut.result.tracks.first?.width == 192)
        if let way = kind.way { #expect(cut.result.tracks.first?.way == way, "\(cut.result.warnings)") }
        #expect(try streams(cut.file).first.map { [$0.width, $0.height] } == [192, 128])
        try verify(cut, in: scratch)
        let encoded = try export(film, "1280x720", start: start, end: end, in: scratch, type: "mp4")
        #expect(try streams(encoded.file).first.map { [$0.width, $0.height] } == [192, 128])
        let image = scratch.name("png")
        let still = try FrameGrab(try scratch.source(film), at: .time(start), width: nil, type: .png)
            .run(output: try scratch.output(image))
        #expect(still.width == 192 && still.height == 128)
    }

    @Test func aRangeBeforeAChangeOfSizeHasItsOwn() throws {
        let film = try growing(Self.kinds[0])
        let cut = try export(
            film, "passthrough", start: Time(1, 4), end: Time(3, 4), in: scratch, type: "webm"
        ) {
            $0.render = .auto
        }
        #expect(try streams(cut.file).first.map { [$0.width, $0.height] } == [96, 64])
    }

    // MARK: streams that begin late

    /// Two recordings in one file, the second with its audio on another PID.
    private func moved() throws -> String {
        let video = Film.video("25", size: "96x64", seconds: "2")
        let films = try [
            ["-c:a", "mp2", "-streamid", "1:257"],
            ["-c:a", "ac3", "-streamid", "1:300", "-output_ts_offset", "2"],
        ].map { words in
            let file = scratch.name("ts")
            try Tool.ffmpeg(
                video + Film.noise(48_000, seconds: "2")
                    + ["-c:v", "mpeg2video", "-streamid", "0:256", "-g", "12"] + words + [file])
            return try Data(contentsOf: URL(filePath: file))
        }
        let film = scratch.name("ts")
        try (films[0] + films[1]).write(to: URL(filePath: film))
        return film
    }

    @Test func audioThatMovesToAnotherPIDIsFound() throws {
        let film = try moved()
        let source = try scratch.source(film).whole()
        let asset = try Probe.asset(of: source)
        #expect(asset.audioTracks.map(\.codec) == ["mp2", "ac3"])
        #expect(asset.audioTracks.last?.audio?.sampleRate == 48_000)
        let start = try #require(asset.audioTracks.last?.start)
        #expect(start > Time(19, 10) && start < Time(21, 10))
        let file = scratch.name("mp4")
        var request = ExportRequest(
            input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            range: RangeRequest(start: .time(Time(5, 2)), end: .time(Time(7, 2))),
            preset: try preset("1280x720"))
        request.render = .encode
        let result = try Exporter(source, request).run(
            output: try scratch.output(file), progress: { _ in }, log: { _ in })
        #expect(result.tracks.filter { $0.kind == .audio }.map(\.source) == [asset.audioTracks[1].index])
    }

    // MARK: alpha and one plane

    @Test(arguments: ["libvpx", "libvpx-vp9"]) func alphaOfVPXIsTrimmedAsTwoStreams(_ encoder: String) throws
    {
        let film = scratch.name("webm")
        let alpha = "format=yuva420p,geq=lum='p(X,Y)':cb='p(X,Y)':cr='p(X,Y)':a='if(lt(X,N*3),255,0)'"
        try Tool.ffmpeg(
            Film.video("20", size: "96x64", seconds: "2", filters: alpha)
                + ["-c:v", encoder, "-auto-alt-ref", "0"] + Self.vpx + [film])
        let (start, end) = (Time(33, 100), Time(171, 100))
        let cut = try export(film, "passthrough", start: start, end: end, in: scratch, type: "webm") {
            $0.render = .auto
        }
        #expect(cut.result.tracks.first?.way == .smart)
        #expect(try Probe.asset(of: try scratch.source(cut.file)).mainVideo?.video?.hasAlpha == true)
        let compared = try Comparison(
            try scratch.source(film), try scratch.source(cut.file),
            RangeRequest(start: .time(start), end: .time(end))
        ).run(picture: nil)
        #expect(compared.exact, "\(compared.findings)")
    }

    @Test(.enabled(if: Paths.hasMedia("reports/alpha-keys-apart.webm"), "the film is not there"))
    func keyframesOfColoursAloneAreNoneWithAlpha() throws {
        let film = Paths.media + "/reports/alpha-keys-apart.webm"
        let asset = try Probe.asset(of: try scratch.source(film), keyframes: true)
        #expect(asset.mainVideo?.keyframes == [.zero])
        let made = try export(
            film, "highest", start: Time(11, 10), end: Time(14, 10), in: scratch, type: "mp4")
        try verify(made, in: scratch)
        #expect(made.result.tracks.first?.framesEncoded == 9)
    }

    @Test func endsOfMonochromeAV1AreEncoded() throws {
        let film = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video("20", size: "96x64", seconds: "1")
                + ["-c:v", "libaom-av1", "-cpu-used", "8", "-g", "5", "-pix_fmt", "gray", film])
        let cut = try export(
            film, "passthrough", start: Time(1, 10), end: Time(9, 10), in: scratch, type: "mkv"
        ) {
            $0.render = .auto
        }
        #expect(cut.result.tracks.first?.framesEncoded ?? 0 > 0)
        try verify(cut, in: scratch)
    }

    @Test func anExportThatKilledTwoProcessesIsEncodedWhole() throws {
        let film = try Film(name: "", type: "mp4", words: Film.video() + Film.h264()).make(in: scratch)
        for (crashes, way) in [(1, RenderMode.smart), (2, .encode)] {
            let file = scratch.name("mp4")
            var request = ExportRequest(
                input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
                range: RangeRequest(start: .time(Time(1, 2)), end: .time(Time(5, 2))),
                preset: try preset("passthrough"))
            request.fallback = try preset("highest")
            var exporter = Exporter(try scratch.source(film), request)
            exporter.crashes = crashes
            let result = try exporter.run(
                output: try scratch.output(file), progress: { _ in }, log: { _ in })
            #expect(result.tracks.first?.way == way)
            #expect(result.warnings.contains { $0.code == .encodedInstead } == (way == .encode))
        }
    }
}

// Traps of FFmpeg's libraries that differ between its versions: the same must hold with the version that is there.
//
// These are the ones that no other test meets. The rest is proven where its subject is: chapters that lengthen a movie by ChapterFilmTests,
// samples that stay hidden in it by HiddenCopyTests, codecs that muxers refuse and PCM in MP4 as QuickTime describes it by
// ContainerCodecTests, FLAC in MP4 by LosslessTailTests and AudioDepthTests, timecode tracks by TimecodeFilmTests, the start of AAC and Opus
// in Matroska by PrimingTests, the tag of gapless audio by GaplessTests, limits of size by LimitedFilmTests, variable rates by
// VideoExactnessTests and RenderOptionsTests, seeks without references by LinearDecodeTests, times of six decimals by DecimalTimeTests,
// jittering times by StrayTimestampTests, builds of x264 by OldBuildTests.
import Foundation
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

struct LibraryTrapTests {
    /// An export, and what holds of its output.
    struct Trap: CustomTestStringConvertible, Sendable {
        var name: String
        var film: Film
        var preset = "passthrough"
        /// The output's type.
        var type: String
        var start = Time(1, 2), end = Time(3, 2)
        var check: @Sendable (_ input: String, _ made: Made, _ scratch: Scratch) throws -> Void
        var testDescription: String { name }
    }

    /// Frames 10 to 59 of 29.97 a second.
    private static let hundredths = (start: Time(10 * 1001, 30_000), end: Time(60 * 1001, 30_000))

    /// FFmpeg's muxer counts a movie in milliseconds, unless it is told: the last step would lose the exactness of all before.
    private static let timescales = [
        ("mp4", "passthrough"), ("mov", "passthrough"), ("m4v", "passthrough"), ("m4v", "m4v720"),
        ("mp4", "hevc1080"),
    ].map { type, preset in
        Trap(
            name: "the timescale of a movie: \(type), \(preset)",
            film: Film(
                name: "", type: "mp4",
                words: Film.video("30000/1001") + Film.h264()),
            preset: preset, type: type, start: hundredths.start, end: hundredths.end
        ) { _, made, scratch in
            let boxes = try #require(MovieBoxes(scratch.source(made.file)))
            let video = try #require(boxes.tracks.first { $0.handler == Array("vide".utf8) })
            let ticks = video.edits.filter { $0.mediaTime >= 0 }.reduce(0) { $0 + $1.duration }
            if !video.edits.isEmpty {
                #expect(
                    Time(ticks, Int32(clamping: boxes.movieTimescale)) == Time(50 * 1001, 30_000),
                    "\(ticks) of \(boxes.movieTimescale)")
            }
            #expect(try Truth(made.file).video?.duration == Time(50 * 1001, 30_000))
            #expect(try Carried.of(made.file).format.duration == "1.668333")
        }
    }

    /// Since FFmpeg 6 its muxer describes PCM in MP4 as ISO/IEC 23003-5 does, and its demuxer reads that.
    private static let described = ["pcm_s16le", "pcm_s24be", "pcm_f32le"].flatMap { codec in
        ["mp4", "mov", "mkv"].map { type in
            Trap(
                name: "\(codec) as ISO describes it, to \(type)",
                film: Film(
                    name: "", type: "mp4",
                    words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "2")
                        + Film.h264("keyint=10")
                        + ["-c:a", codec]), type: type
            ) { input, made, scratch in
                #expect(made.result.tracks.first { $0.kind == .audio }?.way == .copy)
                let whole = try Truth(input).samples(rate: 48_000)
                #expect(try Truth(made.file).samples(rate: 48_000) == Array(whole[24_000..<72_000]))
            }
        }
    }

    /// The encoder of FFmpeg 5.1 corrupts the heap, most often so that it ends; trimd has no use for it, nor for its decoder.
    private static let rpza = Trap(
        name: "a film of rpza is copied",
        film: Film(
            name: "", type: "mov",
            words: Film.video(seconds: "2") + Film.noise(seconds: "2") + [
                "-c:v", "rpza", "-c:a", "pcm_s16le",
            ]),
        type: "mov", start: .zero, end: Time(1, 1)
    ) { _, made, _ in
        #expect(made.result.tracks.map(\.codec) == ["rpza", "pcm_s16le"])
        #expect(made.result.tracks.map(\.way) == [.copy, .copy])
    }

    /// Later builds of x265 encode alpha, in a layer that few players know: the preset promises none.
    private static let alpha = Trap(
        name: "HEVC has no alpha",
        film: Film(
            name: "", type: "mov",
            words: Film.video(
                filters: "format=yuva444p10le,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='512'")
                + ["-c:v", "prores_ks", "-profile:v", "4444"]),
        preset: "hevc1080", type: "mp4", start: .zero, end: Time(1, 1)
    ) { _, made, scratch in
        #expect(made.result.warnings.contains { $0.code == .alphaLost })
        let track = try #require(Probe.asset(of: scratch.source(made.file)).mainVideo)
        #expect(track.codec == "hevc" && track.video?.hasAlpha == false)
        #expect(made.result.tracks.first?.framesEncoded == 25)
    }

    static let traps = timescales + described + [rpza, alpha]

    @Test(arguments: traps) func itIsAvoided(_ trap: Trap) throws {
        let scratch = try Scratch()
        let input = scratch.name(trap.film.type)
        let ffmpeg = ["ffmpeg", "-nostdin", "-v", "quiet", "-y"]
        guard try Tool.attempt(ffmpeg + trap.film.words + [input]) != nil else {
            try Test.cancel("this version of ffmpeg does not make the film")
        }
        let made = try export(
            input, trap.preset, start: trap.start, end: trap.end, in: scratch, type: trap.type
        ) {
            $0.render = trap.preset == "passthrough" ? .auto : .encode
            $0.output.name = "o.\(trap.type)"
        }
        try trap.check(input, made, scratch)
        try verify(made, in: scratch)
    }
}

// Frame N is frame N of a decode from the beginning, in every container: found by a seek, counted back, encoded from there, and compared.
// The oracle is ffmpeg, which decodes the whole film once.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Signals
import Testing

@testable import Check
@testable import Pictures
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct LinearDecodeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Kind: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var type: String
        var words: [String]
        /// A change of the file's bytes.
        var change: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    }

    private static let mpeg2 = ["-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "4"]
    private static let x265 = [
        "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=24:bframes=3",
    ]
    private static let vp9 = ["-c:v", "libvpx-vp9", "-g", "48", "-cpu-used", "5", "-b:v", "150k"]

    /// An MXF file whose index table segments are fill items (SMPTE ST 377-1).
    private static let withoutIndex: @Sendable ([UInt8]) -> [UInt8] = { bytes in
        let key: [UInt8] = [6, 14, 43, 52, 2, 83, 1, 1, 13, 1, 2, 1, 1, 16, 1, 0]
        let fill: [UInt8] = [6, 14, 43, 52, 1, 1, 1, 2, 3, 1, 2, 16, 1, 0, 0, 0]
        return bytes.replacing(key, with: fill)
    }
    /// A transport stream that begins within a group of pictures.
    private static let cut: @Sendable ([UInt8]) -> [UInt8] = {
        Array($0.dropFirst($0.count * 2 / 5 / 188 * 188))
    }

    static let kinds = [
        Kind(
            testDescription: "MPEG-2 in MXF without an index", type: "mxf", words: mpeg2, change: withoutIndex
        ),
        Kind(testDescription: "MPEG-2 in MXF", type: "mxf", words: mpeg2),
        Kind(
            testDescription: "intra frames in MXF without an index", type: "mxf",
            words: ["-c:v", "mpeg2video", "-g", "1", "-q:v", "6"], change: withoutIndex),
        Kind(
            testDescription: "H.264 in MXF without an index", type: "mxf", words: Film.h264(),
            change: withoutIndex),
        Kind(testDescription: "raw H.264", type: "h264", words: Film.h264()),
        Kind(testDescription: "raw H.264 with open GOPs", type: "h264", words: Film.h264("open-gop=1")),
        Kind(testDescription: "raw HEVC", type: "hevc", words: x265),
        Kind(testDescription: "raw MPEG-2", type: "m2v", words: mpeg2),
        Kind(testDescription: "a program stream", type: "vob", words: mpeg2),
        Kind(testDescription: "a transport stream cut in a GOP", type: "ts", words: Film.h264(), change: cut),
        Kind(testDescription: "HEVC cut in a GOP", type: "ts", words: x265, change: cut),
        Kind(
            testDescription: "packed B-frames in AVI", type: "avi",
            words: ["-c:v", "libxvid", "-bf", "2", "-g", "24", "-q:v", "4"]),
        Kind(
            testDescription: "B-frames in AVI", type: "avi", words: ["-c:v", "mpeg4", "-bf", "2", "-g", "24"]),
        Kind(
            testDescription: "VP9 with hidden frames in packets of their own", type: "webm",
            words: vp9 + ["-bsf:v", "vp9_superframe_split"]),
        Kind(
            testDescription: "VP8 with hidden frames", type: "ivf",
            words: [
                "-c:v", "libvpx", "-g", "48", "-auto-alt-ref", "1", "-lag-in-frames", "16", "-b:v", "150k",
            ]),
        Kind(testDescription: "animated PNG", type: "apng", words: ["-c:v", "apng", "-pred", "mixed"]),
        Kind(
            testDescription: "Matroska without cues", type: "mkv",
            words: Film.h264() + ["-f", "matroska", "-live", "1"]),
    ]

    private func film(_ kind: Kind) throws -> String {
        let file = try Film(
            name: "", type: kind.type,
            words: Film.video(size: "96x64", seconds: "6", filters: "format=yuv420p") + kind.words
        ).make(in: scratch)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        try Data(kind.change(bytes)).write(to: URL(filePath: file))
        return file
    }

    /// The checksum of every frame, as ffmpeg decodes them from the beginning.
    private func sums(_ file: String) throws -> [UInt32] {
        let words = [
            "-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framehash", "-hash", "adler32",
        ]
        return String(decoding: try Tool.ffmpeg(words + ["-"]), as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.compactMap { line in
                line.split(separator: ",").last.flatMap { UInt32($0.drop { $0 == " " }, radix: 16) }
            }
    }

    @Test(arguments: kinds) func aNumberIsThatOfALinearDecode(_ kind: Kind) throws {
        let file = try film(kind)
        let sums = try sums(file)
        try #require(sums.count > 40)
        let source = try scratch.source(file)
        let asset = try Probe.asset(of: source)
        let track = try asset.shownVideo(of: source)
        let resolution = TimeResolution(asset: asset, source: source, diagnostics: Diagnostics())
        let numbers = FrameNumbers(source, track, of: asset)
        // Seven has no factor in common with the length of a group: frames of nearly every place in one.
        for number in [0, 1, 2] + stride(from: 3, to: sums.count, by: 7) {
            let time = try resolution.resolve(.frame(Int64(number)), as: "time")
            let found = try FrameFinder(
                source: source, track: track, origin: asset.start, diagnostics: Diagnostics()
            ).frame(at: time)
            let sum = found.frame.signature?.checksum
            #expect(
                sum == sums[number],
                "\(number)f is \(sums.firstIndex { $0 == sum }.map { "\($0)" } ?? "none")")
            #expect(found.time == time)
            #expect(numbers.number(ofFrameAt: time) == Int64(number))
        }
        // A number past the last names how many there are.
        #expect(throws: MediaError.self) {
            try resolution.resolve(.frame(Int64(sums.count + 1)), as: "time")
        }
    }

    /// An encode begins and ends with the frames that were asked for, and a comparison takes frames beside them for others.
    @Test(arguments: kinds.filter { ["mxf", "hevc", "avi"].contains($0.type) })
    func anEncodeHasTheFramesOfALinearDecode(_ kind: Kind) throws {
        let file = try film(kind)
        let wanted = try Truth(file).thumbnails()
        for first in [52, 77] {
            let made = try export(file, "640x480", in: scratch, type: "mp4") {
                $0.range = RangeRequest(start: .frame(Int64(first)), end: .frame(Int64(first + 20)))
            }
            let pictures = try Truth(made.file).thumbnails()
            #expect(pictures.count == 20)
            for (picture, number) in [(pictures.first, first), (pictures.last, first + 19)] {
                let picture = try #require(picture)
                let best = wanted.indices.min {
                    difference(wanted[$0], picture) < difference(wanted[$1], picture)
                }
                #expect(best == number)
            }
            for (shift, isExact) in [(Int64(0), true), first == 52 ? (1, false) : (-5, false)] {
                let range = RangeRequest(
                    start: .frame(Int64(first) + shift), end: .frame(Int64(first + 20) + shift))
                let report = try Comparison(
                    try scratch.source(file), try scratch.source(made.file), range
                ).run(picture: nil)
                #expect(report.exact == isExact, "\(shift) frames off: \(report.findings)")
            }
        }
    }

    /// Reading from an earlier sync sample is what a check needs that does not share the way of what it checks.
    @Test func aCheckBeginsAtAnEarlierSyncSample() throws {
        let file = try Film(name: "", type: "mp4", words: Film.video(seconds: "12") + Film.h264()).make(
            in: scratch)
        let source = try scratch.source(file)
        let asset = try Probe.asset(of: source)
        let track = try asset.shownVideo(of: source)
        func first(apart: Bool, at time: Time) throws -> Time? {
            try FrameReader(
                source, track, origin: asset.start, at: time, diagnostics: Diagnostics(), isApart: apart
            ).next()?.time
        }
        // Keyframes are 1.2 s apart.
        #expect(try first(apart: false, at: Time(10, 1)) == Time(96, 10))
        #expect(try first(apart: true, at: Time(10, 1)) == Time(84, 10))
        // Near the beginning, everything is decoded.
        #expect(try first(apart: true, at: Time(4, 1)) == .zero)
    }

    /// The rate that the stream's headers say gives the times, and the result says so.
    @Test(arguments: ["h264", "hevc"]) func rawStreamsTakeTimesFromTheirRate(_ type: String) throws {
        let words = type == "h264" ? Film.h264() : LinearDecodeTests.x265
        let file = try Film(name: "", type: type, words: Film.video("30000/1001", size: "96x64") + words)
            .make(
                in: scratch)
        let asset = try Probe.asset(of: try scratch.source(file))
        #expect(asset.mainVideo?.video?.frameRate == Ratio(30_000, 1001))
        #expect(asset.duration == Time(90 * 1001, 30_000))
        for way in [RenderMode.encode, .smart] {
            let made = try export(
                file, way == .encode ? "highest" : "passthrough", start: Time(10 * 1001, 30_000),
                end: Time(70 * 1001, 30_000), in: scratch, type: "mp4"
            ) { $0.render = way }
            #expect(made.result.warnings.isEmpty && made.result.notes?.map(\.code) == [.timesFromRate])
            #expect(try Truth(made.file).frames().map(\.time) == (0..<60).map { Time($0 * 1001, 30_000) })
            try verify(made, in: scratch)
        }
    }
}

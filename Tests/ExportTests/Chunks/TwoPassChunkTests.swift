// Two passes and size limits in chunks, beside the same exports in one run.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Export

struct TwoPassChunkTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Half is nearly still, half is noise: equal shares would be wrong for both.
    private func film(_ seconds: Int = 8) throws -> String {
        let noise = "noise=alls=40:allf=t:enable='gte(t,\(seconds / 2))'"
        return try Film(
            name: "", type: "mp4",
            words: Film.video(size: "320x240", seconds: "\(seconds)", filters: noise)
                + Film.noise(seconds: "\(seconds)") + Film.h264() + ["-c:a", "aac", "-shortest"]
        ).make(in: scratch)
    }

    private func sizes(_ file: String) throws -> [Int] {
        try Tool.output([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=size", "-of",
            "csv=p=0", file,
        ]).split(separator: "\n").compactMap { Int($0.prefix(while: \.isNumber)) }
    }

    private func ssim(_ file: String, _ source: String) throws -> Double {
        let graph = "[0:v]settb=AVTB,setpts=N[a];[1:v]settb=AVTB,setpts=N[b];[a][b]ssim=stats_file=-"
        let text = try Tool.output(
            ["ffmpeg", "-v", "error", "-i", file, "-i", source, "-lavfi", graph, "-f", "null", "/dev/null"])
        let values = text.split(separator: "\n").compactMap { line -> Double? in
            line.split(separator: " ").first { $0.hasPrefix("All:") }.flatMap { Double($0.dropFirst(4)) }
        }
        return values.reduce(0, +) / Double(max(1, values.count))
    }

    private static let encoders = [("m4v480", "m4v"), ("hevc1080", "mp4")]

    /// The limit holds, is used, and the chunks look as the whole does.
    @Test(arguments: encoders) func aSizeLimitHoldsInChunks(_ id: String, _ type: String) throws {
        let film = try film()
        let limit: Int64 = 260_000
        func adjust(_ request: inout ExportRequest) {
            request.output.name = "o.\(type)"
            request.options = RenderOptions()
            request.options?.limitSize = limit
        }
        let divided = try exportInUnits(film, id, seconds: 1, in: scratch, type: type, adjust: adjust)
        #expect(divided.misfit == nil)
        let (result, log) = (divided.made, divided.log)
        let made = try #require(result, "\(log)")
        try verify(made, in: scratch)
        #expect(made.result.tracks.first { $0.kind == .video }?.passes == 2)
        let whole = try export(film, id, in: scratch, type: type, adjust: adjust)
        let (own, other) = (try bytes(made.file), try bytes(whole.file))
        #expect(own <= limit, "\(log)")
        #expect(Double(own) > 0.85 * Double(limit), "\(own) of \(limit), whole \(other): \(log)")
        let (mine, theirs) = (try ssim(made.file, film), try ssim(whole.file, film))
        // Keyframes each second cost noise more than they cost films.
        #expect(mine > theirs - 0.05, "\(id): \(mine), whole \(theirs), \(own) and \(other) bytes")
        // The noisy half gets most of the bits.
        let packets = try sizes(made.file)
        let half = packets.count / 2
        #expect(packets[half...].reduce(0, +) > 2 * packets[..<half].reduce(0, +))
    }

    private func bytes(_ file: String) throws -> Int64 {
        Int64(try Data(contentsOf: URL(filePath: file)).count)
    }

    @Test func aRateIsSharedOverChunks() throws {
        let film = try film(24)
        let divided = try exportInUnits(
            film, "m4v480", seconds: 8, in: scratch,
            adjust: {
                $0.options = RenderOptions()
                $0.options?.bitRate = 200_000
                $0.options?.twoPass = true
            })
        let (result, log) = (divided.made, divided.log)
        let made = try #require(result, "\(divided.misfit ?? "not divided") \(log)")
        try verify(made, in: scratch)
        // First passes are planned, and second ones wait for them.
        let units = divided.plan?.units ?? []
        #expect(units.count { $0.kind == .statistics } == units.count(where: \.isPending))
        #expect(units.count { $0.kind == .statistics } >= 3)
        let rate = Double(try sizes(made.file).reduce(0, +)) * 8 / 24
        #expect(abs(rate / 200_000 - 1) < 0.06, "\(rate)")
    }

    /// A preset's quality that fits is kept; what does not fit becomes two passes.
    @Test(arguments: [4_000_000, 450_000]) func theQualityOfThePresetComesFirst(_ limit: Int64) throws {
        let film = try film()
        let divided = try exportInUnits(
            film, "m4v480", seconds: 1, in: scratch,
            adjust: {
                $0.preset.video?.crf = 30
                $0.options = RenderOptions()
                $0.options?.limitSize = limit
            })
        let (result, log) = (divided.made, divided.log)
        let made = try #require(result, "\(divided.misfit ?? "not divided") \(log)")
        #expect(try bytes(made.file) <= limit)
        let analysed = divided.plan?.units.contains { $0.kind == .statistics } ?? true
        #expect(!analysed, "\(log)")
        let passes = made.result.tracks.first { $0.kind == .video }?.passes
        #expect((passes == 2) == (limit < 1_000_000), "\(log)")
    }

    /// An encoder without a first pass keeps the limit as one.
    @Test func oneRunRemainsWhereNothingCanBeShared() throws {
        let film = try film(4)
        for (id, onePass) in [("av1-1080", nil), ("vp9-720", nil), ("m4v480", false)] as [(String, Bool?)] {
            var options = RenderOptions()
            (options.limitSize, options.twoPass) = (120_000, onePass)
            var request = ExportRequest(
                input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
                preset: try preset(id), render: .encode)
            request.options = options
            let report = try Exporter(try scratch.source(film), request).forecast()
            #expect(report.chunks == nil)
            #expect(report.undivided != nil, "\(id)")
        }
    }
}

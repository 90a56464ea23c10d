// Two passes and size limits in chunks, beside the same exports in one run.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Render

struct TwoPassChunkTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Half is nearly still, half is noise: equal shares would be wrong for both.
    private func film(_ seconds: Int = 8, size: String = "320x240") throws -> String {
        let noise = "noise=alls=40:allf=t:enable='gte(t,\(seconds / 2))'"
        return try Film(
            name: "", type: "mp4",
            words: Film.video(size: size, seconds: "\(seconds)", filters: noise)
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
        let film = try film(size: "192x144")
        let limit: Int64 = 130_000
        // As it is: the faster an encoder, the more its keyframes cost.
        let preset = try storedPreset(id)
        func adjust(_ request: inout ExportRequest) {
            (request.preset, request.output.name) = (preset, "o.\(type)")
            request.options = ExportOptions()
            request.options?.limitSize = limit
        }
        let divided = try exportInUnits(film, id, seconds: 2, in: scratch, type: type, adjust: adjust)
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
        // A keyframe at every seam costs noise more than it costs films, and x265's rates depend on when its threads end.
        #expect(mine > theirs - 0.07, "\(id): \(mine), whole \(theirs), \(own) and \(other) bytes")
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
                $0.options = ExportOptions()
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
                $0.options = ExportOptions()
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

    /// The lowest fullness of a decoder's buffer that begins nine tenths full, as a share of its size, over the packets of a file.
    private func lowestFullness(_ file: String, bitRate: Double, bits: Double) throws -> Double {
        let text = try Tool.output([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=dts_time,size",
            "-of",
            "csv=p=0", file,
        ])
        let packets = text.split(separator: "\n").compactMap { line -> (time: Double, bits: Double)? in
            let words = line.split(separator: ",")
            guard words.count >= 2, let time = Double(words[0]), let size = Double(words[1]) else {
                return nil
            }
            return (time, size * 8)
        }
        try #require(packets.count == 200)
        var (fullness, lowest, time) = (0.9 * bits, bits, packets[0].time)
        for packet in packets {
            fullness = min(bits, fullness + (packet.time - time) * bitRate) - packet.bits
            (lowest, time) = (min(lowest, fullness), packet.time)
        }
        return lowest / bits
    }

    /// Noise across the seams takes all that the highest rate and the buffer allow, on both sides; by a rate and by a size.
    @Test(arguments: encoders, [true, false])
    func theDecodersBufferHoldsInTwoPasses(_ encoder: (String, String), _ isLimited: Bool) throws {
        let (id, type) = encoder
        // In a smaller picture x264 leaves the buffer full enough for the next chunk, and nothing has to be made again.
        let isLarge = id == "m4v480" && isLimited
        let rate = isLarge ? 500_000 : 125_000
        let noise = "noise=alls=100:allf=t:enable='between(mod(t,4),1,3)'"
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video(size: isLarge ? "320x240" : "160x120", seconds: "8", filters: noise)
                + Film.h264()
        ).make(in: scratch)
        let divided = try exportInUnits(
            film, id, seconds: 2, in: scratch, type: type,
            change: { unit in
                // Full, which no predecessor leaves it.
                switch try UnitCoding.read(unit.work, UnitWork.self) {
                case .statistics(var chunk):
                    chunk.buffered = 1
                    unit.work = try UnitCoding.value(UnitWork.statistics(chunk))
                case .video(var chunk):
                    chunk.buffered = 1
                    unit.work = try UnitCoding.value(UnitWork.video(chunk))
                case .audio: break
                }
            },
            adjust: { (request: inout ExportRequest) in
                request.output.name = "o.\(type)"
                request.preset.video?.maxBitRate = rate
                request.preset.video?.bufferSize = rate
                request.options = ExportOptions()
                request.options?.twoPass = true
                if isLimited {
                    request.options?.limitSize = Int64(rate) * 66 / 100
                } else {
                    request.options?.bitRate = rate * 64 / 100
                }
            })
        let made = try #require(divided.made, "\(divided.misfit ?? "not divided") \(divided.log)")
        #expect(made.result.tracks.first { $0.kind == .video }?.passes == 2)
        #expect((divided.plan?.units ?? []).count { $0.kind == .video } == 4)
        let lowest = try lowestFullness(made.file, bitRate: Double(rate), bits: Double(rate))
        #expect(lowest >= -0.001, "\(lowest) \(divided.log)")
        #expect(!made.result.warnings.contains { $0.code == .bufferUnderflow })
    }

    /// An encoder without a first pass keeps the limit as one.
    @Test func oneRunRemainsWhereNothingCanBeShared() throws {
        let film = try film(4)
        for (id, onePass) in [("av1-1080", nil), ("vp9-720", nil), ("m4v480", false)] as [(String, Bool?)] {
            var options = ExportOptions()
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

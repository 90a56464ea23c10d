// Exports in chunks beside the same exports in one run: the same frames at the same times, alike, and nothing lost at the seams.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Render

struct ChunkFilmTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The state that crosses a boundary, in one export each.
    enum Kind: String, CaseIterable, Sendable {
        case plain, capped, intervals, varying, range, joined, fast, slow, finer, coarser, frames, fields, hdr
        case alpha, webAlpha, av1, hevc
    }

    /// The times and durations of a file's video packets, in the order in which they are shown.
    private func times(_ file: String) throws -> [[Int64]] {
        let words = [
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts,dts,duration",
        ]
        return try Tool.output(words + ["-of", "csv=p=0", file]).split(separator: "\n").map { line in
            line.split(separator: ",").prefix(3).map { Int64($0) ?? -1 }
        }
    }

    /// The frames of a file as they are shown: begin and duration.
    private func shown(_ times: [[Int64]]) -> [[Int64]] {
        times.map { [$0[0], $0[2]] }.sorted { $0[0] < $1[0] }
    }

    /// The lowest PSNR of two files' frames, in decibels.
    private func lowest(_ a: String, _ b: String) throws -> Double {
        let graph = "[0:v]settb=AVTB[a];[1:v]settb=AVTB[b];[a][b]psnr=stats_file=-"
        let text = try Tool.output(
            ["ffmpeg", "-v", "error", "-i", a, "-i", b, "-lavfi", graph, "-f", "null", "/dev/null"])
        let values = text.split(separator: "\n").compactMap { line -> Double? in
            line.split(separator: " ").first { $0.hasPrefix("psnr_avg:") }.flatMap {
                $0.hasSuffix("inf") ? 100 : Double($0.dropFirst(9))
            }
        }
        return try #require(values.min())
    }

    private func film(_ kind: Kind) throws -> String {
        let audio = Film.noise(seconds: "8"), sound = ["-c:a", "aac", "-shortest"]
        func words(_ rate: String = "25", filters: String = "null", more: [String] = []) -> [String] {
            Film.video(rate, size: "96x72", seconds: "8", filters: filters) + audio + Film.h264() + sound
                + more
        }
        let interlaced = ["-flags", "+ildct+ilme", "-x264-params", "tff=1:scenecut=0"]
        let clear = ["-c:v", "qtrle", "-pix_fmt", "argb"]
        let (type, all): (String, [String]) =
            switch kind {
            case .capped: ("mp4", words("60"))
            case .intervals: ("mp4", words("32"))
            case .varying:
                ("mkv", words(filters: "select='not(eq(mod(n,7),3))'", more: ["-fps_mode", "vfr"]))
            case .frames, .fields:
                ("mp4", words("50", filters: "tinterlace=mode=4,setfield=tff", more: interlaced))
            case .alpha, .webAlpha:
                (
                    "mov",
                    Film.video(size: "96x72", seconds: "6", filters: "format=rgba,colorchannelmixer=aa=0.5")
                        + clear
                )
            case .hdr:
                (
                    "mp4",
                    Film.video(size: "96x72", seconds: "6") + [
                        "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-tag:v",
                        "hvc1",
                        "-x265-params",
                        "log-level=error:keyint=25:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400",
                    ]
                )
            default: ("mp4", words())
            }
        return try Film(name: "", type: type, words: all).make(in: scratch)
    }

    private func adjust(_ kind: Kind, _ request: inout ExportRequest) {
        var options = ExportOptions()
        switch kind {
        case .range: request.range = RangeRequest(start: .time(Time(7, 10)), end: .time(Time(36, 5)))
        case .joined:
            request.keep = [(2, 12), (25, 38), (39, 58), (61, 78)].map {
                RangeSpelling(start: .time(Time($0.0, 10)), end: .time(Time($0.1, 10)))
            }
        case .fast: options.speed = Ratio(2)
        case .slow: options.speed = Ratio(3, 4)
        case .finer: options.frameRate = Ratio(30_000, 1001)
        case .coarser: options.frameRate = Ratio(12)
        case .frames: options.deinterlace = .auto
        case .fields: options.deinterlace = .field
        default: break
        }
        request.options = options
    }

    /// Preset and file type.
    private func preset(_ kind: Kind) -> (String, String) {
        switch kind {
        case .hdr, .hevc: ("hevc1080", "mp4")
        case .alpha: ("prores4444", "mov")
        case .webAlpha: ("vp9-720", "webm")
        case .av1: ("av1-1080", "mp4")
        case .fields: ("highest", "mp4")
        default: ("m4v480", "m4v")
        }
    }

    @Test(arguments: Kind.allCases)
    func chunksMakeWhatOneRunDoes(_ kind: Kind) throws {
        let film = try film(kind)
        let (id, type) = preset(kind)
        func adjusted(_ request: inout ExportRequest) {
            adjust(kind, &request)
            request.output.name = "o.\(type)"
        }
        let whole = try export(film, id, in: scratch, type: type, adjust: adjusted)
        let divided = try exportInUnits(film, id, seconds: 1, in: scratch, type: type, adjust: adjusted)
        #expect(divided.misfit == nil)
        let made = try #require(divided.made)
        let chunks = divided.plan?.units.count { $0.kind == .video } ?? 0
        #expect(chunks >= 3)
        let (one, many) = (try times(whole.file), try times(made.file))
        #expect(shown(one) == shown(many))
        let decoding = many.map { $0[1] }
        #expect(zip(decoding, decoding.dropFirst()).allSatisfy { $0 < $1 })
        #expect(many.allSatisfy { $0[1] <= $0[0] })
        try verify(made, in: scratch)
        #expect(made.result.tracks.map(\.framesEncoded) == whole.result.tracks.map(\.framesEncoded))
        #expect(made.result.tracks.map(\.actual) == whole.result.tracks.map(\.actual))
        #expect(Set(made.result.warnings.map(\.word)) == Set(whole.result.warnings.map(\.word)))
        #expect(try lowest(whole.file, made.file) > 24)
    }

    @Test func aDamagedUnitIsNamed() throws {
        let film = try film(.plain)
        for place in [8, 400, 3000, -3] {
            let error = try #require(throws: MediaError.self) {
                _ = try exportInUnits(
                    film, "m4v480", seconds: 2, in: scratch,
                    spoil: { files in
                        var bytes = Array(try Data(contentsOf: URL(filePath: files[1])))
                        bytes[place < 0 ? bytes.count + place : place] ^= 0x10
                        try Data(bytes).write(to: URL(filePath: files[1]))
                    })
            }
            #expect(error.message.contains("read chunk 1: "), "\(place): \(error.message)")
        }
    }

    /// Without x264: its bytes depend on what its process did before, and a unit has a process of its own.
    @Test(arguments: [
        ("hevc1080", "mp4"), ("hevc1080", "mkv"), ("av1-1080", "mp4"), ("vp9-720", "webm"),
        ("prores422", "mov"),
    ])
    func aReproducibleExportMakesTheSameBytes(_ id: String, _ type: String) throws {
        let film = try Film(name: "", type: "mp4", words: Film.video(seconds: "5") + Film.h264()).make(
            in: scratch)
        var files: [[String]] = []
        for _ in 0..<2 {
            let made = try exportInUnits(
                film, id, seconds: 1, in: scratch, type: type,
                adjust: {
                    var options = ExportOptions()
                    options.reproducible = true
                    ($0.options, $0.output.name) = (options, "o.\(type)")
                    if type == "mkv" { $0.preset.fileTypes.append("mkv") }
                })
            let output = try #require(made.made, "\(made.misfit ?? "not divided")")
            #expect(made.plan?.units.contains { $0.mayUseThreads } == false)
            files.append(made.files + [output.file])
        }
        #expect(files[0].count > 4)
        for (one, two) in zip(files[0], files[1]) {
            #expect(try Data(contentsOf: URL(filePath: one)) == Data(contentsOf: URL(filePath: two)))
        }
    }

    @Test(arguments: ["mkv", "mp4"]) func oneRunIsReproducibleToo(_ type: String) throws {
        let film = try film(.plain)
        let bytes = try (0..<2).map { _ in
            let made = try export(film, "hevc1080", end: Time(1, 1), in: scratch, type: type) {
                var options = ExportOptions()
                options.reproducible = true
                ($0.options, $0.output.name) = (options, "o.\(type)")
                if type == "mkv" { $0.preset.fileTypes.append("mkv") }
            }
            return try Data(contentsOf: URL(filePath: made.file))
        }
        #expect(bytes[0] == bytes[1])
    }

    /// Noise needs all that the limit allows, so that each chunk leaves the buffer emptier than the next one assumes.
    @Test func theDecodersBufferHoldsOverTheSeams() throws {
        let noise = Film.video(size: "320x240", seconds: "8", filters: "noise=alls=100:allf=t")
        let film = try Film(name: "", type: "mp4", words: noise + Film.h264()).make(in: scratch)
        let divided = try exportInUnits(
            film, "m4v480", seconds: 1, in: scratch,
            change: { unit in
                guard case .video(var chunk) = try UnitCoding.read(unit.work, UnitWork.self) else { return }
                // As full as an encoder assumes.
                chunk.buffered = nil
                unit.work = try UnitCoding.value(UnitWork.video(chunk))
            },
            adjust: {
                $0.preset.video?.maxBitRate = 500_000
                $0.preset.video?.bufferSize = 500_000
            })
        let made = try #require(divided.made, "\(divided.misfit ?? "not divided")")
        #expect(divided.corrected > 0)
        struct Answer: Decodable {
            struct Packet: Decodable { var dts: Int64, size: String }
            struct Stream: Decodable { var time_base: String }
            var packets: [Packet], streams: [Stream]
        }
        let answer = try Tool.ffprobe(
            ["-select_streams", "v:0", "-show_packets", "-show_streams", made.file], as: Answer.self)
        let scale = try #require(
            answer.streams.first?.time_base.split(separator: "/").last.flatMap { Int32($0) })
        let buffer = DecoderBuffer(bitRate: 500_000, bits: 500_000, timescale: scale)
        let end = try #require(answer.packets.last?.dts) + Int64(scale) / 25
        let whole = buffer.passage(answer.packets.map { ((Int64($0.size) ?? 0) * 8, $0.dts) }, end: end)
        #expect(whole.lowest(from: buffer.usualStart) >= 0)
        #expect(!made.result.warnings.contains { $0.code == .bufferUnderflow })
    }

    /// An error that no further attempt may mend is reported.
    @Test func anUnderflowThatRemainsIsSaid() throws {
        let noise = Film.video(size: "320x240", seconds: "5", filters: "noise=alls=100:allf=t")
        let film = try Film(name: "", type: "mp4", words: noise + Film.h264()).make(in: scratch)
        let divided = try exportInUnits(
            film, "m4v480", seconds: 1, in: scratch,
            change: { unit in
                guard case .video(var chunk) = try UnitCoding.read(unit.work, UnitWork.self) else { return }
                (chunk.buffered, chunk.corrections) = (nil, 9)
                unit.work = try UnitCoding.value(UnitWork.video(chunk))
            },
            adjust: {
                $0.preset.video?.maxBitRate = 500_000
                $0.preset.video?.bufferSize = 500_000
            })
        let made = try #require(divided.made, "\(divided.misfit ?? "not divided")")
        let said = made.result.warnings.filter { $0.code == .bufferUnderflow }
        #expect(divided.corrected == 0 && said.count == 1)
        #expect(said.first?.time != nil && said.first?.track == 0)
    }
}

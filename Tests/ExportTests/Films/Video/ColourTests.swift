// Known patches of colour through every path of the video: the output is within two code values of the input, in its own matrix and
// range. HDR stays HDR in ten bits, with its light levels; alpha stays, is composited over a colour, or is refused.
import Export
import Foundation
import Libav
import Media
import MediaTime
import Testing

struct ColourTests {
    /// Patches of 32 pixels, as red, green and blue.
    private static let patches: [[Double]] = [
        [0, 0, 0], [255, 255, 255], [128, 128, 128], [191, 0, 0], [0, 191, 0], [0, 0, 191], [200, 150, 100],
        [60, 90, 140],
    ]
    private static let weights = [
        "bt709": (0.2126, 0.0722), "smpte170m": (0.299, 0.114), "bt470bg": (0.299, 0.114),
        "bt2020nc": (0.2627, 0.0593),
    ]

    /// A source, and a preset that it goes through.
    struct Path: CustomTestStringConvertible, Sendable {
        var preset: String, type: String
        /// Of the source, by FFmpeg's names; `gbr` is RGB.
        var matrix: String, range: String, pixels: String
        /// Of the output.
        var comes: String
        var testDescription: String { "\(matrix) \(range) to \(preset)" }
        init(
            _ preset: String, _ type: String, _ matrix: String, _ range: String, _ pixels: String,
            _ comes: String
        ) {
            (self.preset, self.type, self.comes) = (preset, type, comes)
            (self.matrix, self.range, self.pixels) = (matrix, range, pixels)
        }
    }

    static let paths = [
        Path("m4v480", "m4v", "bt709", "tv", "yuv444p", "bt709"),
        Path("m4v480", "m4v", "bt709", "pc", "yuv444p", "bt709"),
        Path("m4v480", "m4v", "smpte170m", "tv", "yuv420p", "smpte170m"),
        Path("m4v480", "m4v", "gbr", "pc", "gbrp", "smpte170m"),
        Path("highest", "mp4", "bt709", "tv", "yuv422p10le", "bt709"),
        Path("hevc1080", "mp4", "bt709", "tv", "yuv420p", "bt709"),
        Path("hevc1080", "mp4", "bt709", "pc", "yuv444p", "bt709"),
        Path("vp9-720", "webm", "bt709", "tv", "yuv444p", "bt709"),
        Path("av1-1080", "mp4", "bt709", "tv", "yuv444p", "bt709"),
        Path("prores422", "mov", "bt709", "tv", "yuv422p10le", "bt709"),
        Path("prores4444", "mov", "bt709", "tv", "yuv444p", "bt709"),
        Path("prores4444", "mov", "gbr", "pc", "gbrp", "smpte170m"),
        Path("hevc1080", "mp4", "bt2020nc", "tv", "yuv444p10le", "bt2020nc"),
    ]

    private struct Answer: Decodable {
        struct Stream: Decodable {
            var pix_fmt: String, color_range: String?, color_space: String?, color_transfer: String?
            var color_primaries: String?, tags: [String: String]?
        }
        struct Side: Decodable { var side_data_type: String, max_content: Int?, max_luminance: String? }
        struct Frame: Decodable { var side_data_list: [Side]? }
        var streams: [Stream]?, frames: [Frame]?
    }

    /// The patches as a film without loss.
    private func film(_ path: Path, in scratch: Scratch) throws -> String {
        let (raw, film) = (scratch.name("rgb"), scratch.name("mkv"))
        var frame = Data()
        for _ in 0..<64 {
            for patch in Self.patches {
                for _ in 0..<32 { frame.append(contentsOf: patch.map { UInt8($0) }) }
            }
        }
        var bytes = Data()
        for _ in 0..<5 { bytes.append(frame) }
        try bytes.write(to: URL(filePath: raw))
        let scaler = path.matrix == "bt2020nc" ? "bt2020" : path.matrix
        let turn =
            path.matrix == "gbr"
            ? "format=gbrp"
            : "scale=out_color_matrix=\(scaler):out_range=\(path.range):flags=accurate_rnd+full_chroma_int+full_chroma_inp,"
                + "format=\(path.pixels)"
        let tags =
            path.matrix == "gbr"
            ? []
            : [
                "-colorspace", path.matrix, "-color_range", path.range, "-color_primaries",
                path.matrix == "bt2020nc" ? "bt2020" : path.matrix, "-color_trc", "bt709",
            ]
        try Tool.ffmpeg(
            [
                "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "256x64", "-r", "25", "-i", raw, "-vf", turn,
                "-c:v", "ffv1",
            ]
                + tags + [film])
        return film
    }

    /// The luma and chroma in the middle of each patch, in 8-bit code values.
    private func values(_ file: String, _ format: String) throws -> [[Double]] {
        let deep = format.contains("10") || format.contains("12")
        let depth = format.contains("12") ? 16.0 : format.contains("10") ? 4.0 : 1.0
        let planar = "yuv444p" + (format.contains("12") ? "12le" : deep ? "10le" : "")
        // Chroma is only repeated: nothing else is computed.
        let bytes = try Tool.ffmpeg(
            [
                "-i", file, "-vf", "scale=flags=neighbor,format=\(planar)", "-frames:v", "1", "-f",
                "rawvideo", "-",
            ])
        func sample(_ plane: Int, _ x: Int) -> Double {
            let index = plane * 256 * 64 + 32 * 256 + x
            guard deep else { return Double(bytes[index]) }
            return Double(Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8) / depth
        }
        return Self.patches.indices.map { patch in (0..<3).map { sample($0, patch * 32 + 16) } }
    }

    private func expected(_ patch: [Double], _ matrix: String) throws -> [Double] {
        let (red, blue) = try #require(Self.weights[matrix])
        let rgb = patch.map { $0 / 255 }
        let luma = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2]
        return [
            16 + 219 * luma, 128 + 224 * (rgb[2] - luma) / (2 * (1 - blue)),
            128 + 224 * (rgb[0] - luma) / (2 * (1 - red)),
        ]
    }

    @Test(arguments: paths) func patchesStayWhatTheyAre(_ path: Path) throws {
        let scratch = try Scratch()
        let film = try film(path, in: scratch)
        let made = try export(film, path.preset, in: scratch, type: path.type) {
            $0.output.name = "o.\(path.type)"
        }
        let stream = try #require(
            try Tool.ffprobe(["-show_streams", "-select_streams", "v", made.file], as: Answer.self).streams?
                .first)
        #expect(stream.color_space == path.comes)
        #expect(stream.color_range != "pc")
        #expect(stream.color_transfer == "bt709")
        #expect(stream.color_primaries != nil)
        for (patch, found) in zip(Self.patches, try values(made.file, stream.pix_fmt)) {
            let wanted = try expected(patch, path.comes)
            for (a, b) in zip(wanted, found) {
                #expect(abs(a - b) <= 2, "\(patch): \(found), not \(wanted.map { ($0 * 10).rounded() / 10 })")
            }
        }
    }

    @Test(arguments: [("hevc1080", "mp4"), ("av1-1080", "mp4"), ("hevc-highest", "mov")])
    func hdrStaysHDRWithItsLight(_ id: String, _ type: String) throws {
        let scratch = try Scratch()
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(size: "256x144", seconds: "1")
                + [
                    "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-tag:v", "hvc1",
                    "-x265-params",
                    "log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:master-display="
                        + "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)", film,
                ])
        let made = try export(film, id, start: Time(1, 5), end: Time(2, 5), in: scratch, type: type) {
            $0.output.name = "o.\(type)"
        }
        #expect(!made.result.warnings.contains { $0.code == .toneMapped })
        // A plan says the same, and that another preset would map it.
        var request = ExportRequest(
            input: film, output: OutputTarget(folder: scratch.path, name: "o.\(type)", stem: "o"),
            preset: try preset(id), render: .encode)
        #expect(
            try !Exporter(scratch.source(film), request).forecast().warnings.contains {
                $0.code == .toneMapped
            })
        (request.preset, request.output.name) = (try preset("m4v480"), "o.m4v")
        #expect(
            try Exporter(scratch.source(film), request).forecast().warnings.contains {
                $0.code == .toneMapped
            })
        let answer = try Tool.ffprobe(
            ["-show_streams", "-show_frames", "-read_intervals", "%+#1", made.file], as: Answer.self)
        let stream = try #require(answer.streams?.first)
        #expect(stream.color_transfer == "smpte2084")
        #expect(stream.color_primaries == "bt2020")
        #expect(stream.color_space == "bt2020nc")
        let sides = answer.frames?.first?.side_data_list ?? []
        #expect(sides.contains { $0.max_content == 1000 }, "\(sides.map(\.side_data_type))")
        #expect(
            sides.contains {
                let parts = ($0.max_luminance ?? "").split(separator: "/").compactMap { Double($0) }
                return $0.side_data_type.contains("Mastering") && parts.count == 2
                    && abs(parts[0] / parts[1] - 1000) < 1
            })
    }

    private func transparent(in scratch: Scratch) throws -> String {
        let film = scratch.name("mov")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i",
            "color=c=red:s=128x64:r=25:d=1,format=yuva444p10le,geq=lum='lum(X,Y)':cb='cb(X,Y)':"
                + "cr='cr(X,Y)':a='512'", "-c:v", "prores_ks", "-profile:v", "4444", "-alpha_bits", "16",
            film,
        ])
        return film
    }

    @Test(arguments: [("prores4444", "mov", "copy"), ("vp9-720", "webm", "libvpx-vp9")])
    func alphaStaysWhereItCan(_ id: String, _ type: String, _ decoder: String) throws {
        let scratch = try Scratch()
        let made = try export(transparent(in: scratch), id, end: Time(1, 5), in: scratch, type: type) {
            $0.output.name = "o.\(type)"
        }
        let read = decoder == "copy" ? [] : ["-c:v", decoder]
        let bytes = try Tool.ffmpeg(
            read + [
                "-i", made.file, "-vf", "format=yuva444p,extractplanes=a", "-frames:v", "1", "-f", "rawvideo",
                "-",
            ])
        #expect(bytes.count >= 128 * 64)
        #expect(bytes.allSatisfy { abs(Int($0) - 128) <= 2 }, "\(bytes.first ?? 0)")
    }

    /// Beside the frames of VP8 and VP9, in files that call the mark of it by either name: copied frames keep it, and their track its mark.
    @Test(arguments: ["libvpx", "libvpx-vp9"], ["webm", "mkv"])
    func copiedAlphaStays(_ codec: String, _ type: String) throws {
        let scratch = try Scratch()
        let film = scratch.name("webm")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i",
            "testsrc2=s=128x64:r=25:d=2,format=yuva420p,geq=lum='lum(X,Y)':a='mod(2*X+4*N,256)'", "-c:v",
            codec,
            "-deadline", "realtime", "-cpu-used", "8", "-auto-alt-ref", "0", "-g", "10", film,
        ])
        let remuxed = scratch.name("webm")
        try Tool.ffmpeg(["-i", film, "-c", "copy", remuxed])
        func alpha(_ file: String, from frame: Int) throws -> [UInt8] {
            try Tool.ffmpeg([
                "-c:v", codec, "-i", file, "-vf",
                "trim=start_frame=\(frame):end_frame=\(frame + 20),format=yuva420p,extractplanes=a", "-f",
                "rawvideo", "-",
            ])
        }
        for source in [film, remuxed] {
            let made = try export(
                source, "passthrough", start: Time(10, 25), end: Time(30, 25), in: scratch, type: type
            ) { ($0.render, $0.output.name) = (.copy, "o.\(type)") }
            let wanted = try alpha(film, from: 10)
            #expect(try wanted.count == 20 * 128 * 64 && alpha(made.file, from: 0) == wanted)
            #expect(try Demuxer(try scratch.source(made.file)).streams.first?.hasAlpha == true)
            try verify(made, in: scratch)
        }
    }

    @Test func alphaIsRefusedOrLaidUponAGround() throws {
        let scratch = try Scratch()
        let film = try transparent(in: scratch)
        let error = try refusal(film, "m4v480", in: scratch) {
            $0.options = ExportOptions()
            $0.options?.background = ExportOptions.refusedGround
        }
        #expect(error.code == .presetNotValid)
        #expect(error.description.contains("--background"))
        let made = try export(film, "m4v480", end: Time(1, 5), in: scratch) {
            $0.options = ExportOptions()
            $0.options?.background = "#0000ff"
        }
        #expect(made.result.tracks.first?.framesEncoded == 5)
        let bytes = try Tool.ffmpeg(
            [
                "-i", made.file, "-vf",
                "scale=in_color_matrix=smpte170m:flags=accurate_rnd+full_chroma_int,format=rgb24",
                "-frames:v",
                "1", "-f", "rawvideo", "-",
            ])
        let middle = (32 * 128 + 64) * 3
        for (a, b) in zip([127, 0, 128], bytes[middle..<middle + 3]) {
            #expect(abs(a - Int(b)) <= 4, "\(bytes[middle..<middle + 3])")
        }
    }
}

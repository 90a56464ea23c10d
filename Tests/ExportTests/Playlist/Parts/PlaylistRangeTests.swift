// Playlists with parts in HDR and parts in SDR: what is encoded of them has one range, and white is white in all of them.
import Export
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct PlaylistRangeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// How a part is stored.
    enum Part: String, CaseIterable {
        case pq, hlg, sdr, untagged

        fileprivate var words: [String] {
            let high =
                "setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv,zscale=t=linear:npl=203,"
                + "format=gbrpf32le,zscale=p=bt2020:t=\(self == .hlg ? "arib-std-b67" : "smpte2084"):m=bt2020nc:r=limited:npl=203,"
                + "format=yuv420p10le"
            let tags =
                switch self {
                case .pq: ":colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited"
                case .hlg: ":colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc:range=limited"
                case .sdr: ":colorprim=bt709:transfer=bt709:colormatrix=bt709:range=limited"
                case .untagged: ""
                }
            return ["-vf", self == .pq || self == .hlg ? high : "format=yuv420p"] + [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "keyint=25:open-gop=0:log-level=error\(tags)",
            ]
        }
    }

    /// Two seconds of white, of which one is an advertisement that is stored in another way, in the middle of a film.
    private func film(_ film: Part, _ ad: Part) throws -> SourceFile {
        var made = try PartedFilm(in: scratch)
        for (index, part) in [film, ad, film].enumerated() {
            let length = part == film ? 2 : 1
            let file = scratch.name("ts")
            try Tool.ffmpeg(
                ["-f", "lavfi", "-i", "color=0xc0c0c0:size=96x64:rate=25:duration=\(length)"] + part.words
                    + [file])
            try made.addPacked("p\(index)", of: file)
        }
        return try made.source(in: scratch)
    }

    /// The luma of a frame, of 255.
    private func luma(_ file: String, at time: String) throws -> Double {
        let bytes = try Tool.ffmpeg([
            "-ss", time, "-i", file, "-map", "0:v:0", "-frames:v", "1", "-pix_fmt", "yuv420p10le", "-f",
            "rawvideo",
            "-",
        ])
        try #require(bytes.count == 96 * 64 * 3)
        let middle = (32 * 96 + 48) * 2
        return Double(Int(bytes[middle]) | Int(bytes[middle + 1]) << 8) / 4
    }

    /// Not PQ in a film in HLG: FFmpeg 5.1 keeps what SEI messages of HLG say of the transfer, and takes PQ behind them for HLG.
    @Test(arguments: [(Part.pq, Part.sdr), (.pq, .untagged), (.pq, .hlg), (.hlg, .sdr), (.hlg, .untagged)])
    func partsOfAFilmInHDR(_ kinds: (film: Part, ad: Part)) throws {
        let list = try film(kinds.film, kinds.ad)
        for id in ["hevc1080", "m4v720"] {
            let (file, result) = try scratch.export(list, to: id == "m4v720" ? "m4v" : "mp4", preset: id) {
                $0.render = .encode
            }
            let made = try Probe.asset(of: try scratch.source(file)).mainVideo?.video?.color.transfer
            let transfer = kinds.film == .pq ? "smpte2084" : "arib-std-b67"
            #expect(made == (id == "hevc1080" ? transfer : "bt709"))
            #expect(result.warnings.map(\.code).contains(.shapeChanged), "\(result.warnings)")
            #expect(result.warnings.map(\.code).contains(.toneMapped) == (id == "m4v720"))
            let (own, other) = (try luma(file, at: "1"), try luma(file, at: "2.5"))
            #expect(abs(own - other) < 3, "\(id): \(own) and \(other)")
        }
    }

    @Test(arguments: [Part.pq, .hlg]) func aPartInHDROfAFilmInSDR(_ ad: Part) throws {
        let list = try film(.sdr, ad)
        var shown: [Double] = []
        for id in ["hevc1080", "m4v720"] {
            let (file, result) = try scratch.export(list, to: id == "m4v720" ? "m4v" : "mp4", preset: id) {
                $0.render = .encode
            }
            let made = try Probe.asset(of: try scratch.source(file)).mainVideo?.video?.color.transfer
            #expect(made == "bt709")
            #expect(result.warnings.map(\.code).contains(.toneMapped), "\(result.warnings)")
            shown.append(try luma(file, at: "2.5"))
            #expect(try abs(luma(file, at: "1") - 181) < 3)
        }
        // Both are tone-mapped alike.
        #expect(abs(shown[0] - shown[1]) < 3, "\(shown)")
    }

    @Test func aSmartTrimIsRefused() throws {
        let list = try film(.pq, .sdr)
        let error = try #require(throws: MediaError.self) { try scratch.export(list) { $0.render = .smart } }
        #expect(error.code == .spliceFailed && error.message.contains("HDR"), "\(error)")
    }
}

// Samples of 32 bits: stored with as many where the codec and this FFmpeg can, and reported where not.
import Export
import Libav
import Media
import MediaTime
import Testing

@testable import Codecs
@testable import Source

struct AudioDepthTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let flac = ["-c:a", "flac", "-sample_fmt", "s32", "-bits_per_raw_sample", "32"]

    private func film(_ type: String, _ codec: [String]) throws -> String {
        let words = Film.noise() + codec + ["-strict", "experimental"]
        return try Film(name: "", type: type, words: words).make(in: scratch)
    }

    private func bits(_ file: String) throws -> Int? {
        try Probe.asset(of: scratch.source(file)).audioTracks.first?.audio?.storedBits
    }

    /// Cuts a second, and compares all bits of its samples with the source's.
    private func checkCut(_ input: String, to output: String) throws -> Made {
        try #require(bits(input) == 32)
        let made = try export(
            input, "passthrough", start: Time(1, 1), end: Time(2, 1), in: scratch, type: output
        ) { ($0.render, $0.output.name) = (.auto, "o.\(output)") }
        func decoded(_ file: String, _ cut: [String] = []) throws -> [UInt8] {
            try Tool.ffmpeg(["-i", file] + cut + ["-f", "s32le", "-c:a", "pcm_s32le", "-"])
        }
        let wanted = try decoded(input, ["-af", "atrim=start_sample=44100:end_sample=88200"])
        #expect(try decoded(made.file) == wanted)
        #expect(try bits(made.file) == 32)
        #expect(!made.result.warnings.contains { $0.code == .depthLowered })
        try verify(made, in: scratch)
        return made
    }

    /// In movies all packets but the last one are copied.
    @Test(
        .enabled(if: LibavBuild.codesDeepFLAC, "this FFmpeg stores 24 bits in FLAC"),
        arguments: [("flac", "flac"), ("flac", "mka"), ("mp4", "mp4")])
    func flacStaysAsDeep(_ type: String, _ output: String) throws {
        let made = try checkCut(film(type, Self.flac), to: output)
        #expect(made.result.tracks.map(\.way) == [type == "mp4" ? .copy : .encode])
    }

    @Test func wavPackStaysAsDeep() throws {
        let codec = ["-c:a", "wavpack", "-sample_fmt", "s32p", "-bits_per_raw_sample", "32"]
        #expect(try checkCut(film("wv", codec), to: "wv").result.tracks.map(\.way) == [.encode])
    }

    /// An export, its plan and the check say so; 24 bits lose nothing.
    @Test(arguments: [("pcm_s32le", true), ("pcm_s24le", false)])
    func lostBitsAreReported(_ codec: String, _ isLost: Bool) throws {
        let input = try film("wav", ["-c:a", codec])
        let source = try scratch.source(input)
        for id in ["flac", "wav"] {
            let wanted = isLost ? [WarningCode.depthLowered] : []
            let made = try export(input, id, start: Time(1, 1), in: scratch, type: id) {
                $0.output.name = "o.\(id)"
            }
            #expect(made.result.warnings.map(\.code) == wanted, "\(id): \(made.result.warnings)")
            #expect(try bits(made.file) == 24)
            try verify(made, in: scratch)
            let request = ExportRequest(
                input: input, output: OutputTarget(folder: scratch.path, name: "p.\(id)", stem: "p"),
                range: RangeRequest(start: .time(Time(1, 1)), end: nil), preset: try preset(id),
                render: .encode)
            #expect(try Exporter(source, request).forecast().warnings.map(\.code) == wanted)
            let report = try Checker(source, presets: [preset(id)], fileType: nil).report()
            #expect(report.presets.first?.warnings.compactMap(\.warning) == wanted)
        }
        // The encoder of ALAC takes no more than 24.
        let made = try export(input, "passthrough", start: Time(1, 1), in: scratch, type: "m4a") {
            var options = ExportOptions()
            options.audioCodec = .alac
            ($0.render, $0.output.name, $0.options) = (.auto, "o.m4a", options)
        }
        #expect(made.result.warnings.contains { $0.code == .depthLowered } == isLost)
    }
}

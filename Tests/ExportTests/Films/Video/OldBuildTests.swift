// Films of an old build of x264, which decoders decode in a special way once they have seen the first frame: wherever decoding
// begins, the frames are those of decoding from the beginning.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct OldBuildTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A lossless film whose first frame names build 142: decoding its 8x8 blocks depends on it, and no error is reported.
    private func film(_ type: String = "mp4", build: String = "142") throws -> String {
        let file = try Film(
            name: "", type: "mp4",
            words: Film.video(size: "96x64", seconds: "4", filters: "noise=alls=12:allf=t") + [
                "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "medium", "-qp", "0", "-g", "25",
                "-x264-params", "scenecut=0",
            ]
        ).make(in: scratch)
        var bytes = Array(try Data(contentsOf: URL(filePath: file)))
        let words = try #require(bytes.firstRange(of: Array("x264 - core ".utf8)))
        bytes.replaceSubrange(words.upperBound..<words.upperBound + 3, with: Array(build.utf8))
        try Data(bytes).write(to: URL(filePath: file))
        guard type != "mp4" else { return file }
        let other = scratch.name(type)
        try Tool.ffmpeg(["-i", file, "-c", "copy", other])
        return other
    }

    /// Checksums by time, from a time on.
    private func sums(
        _ file: String, at start: Time, primed: Bool = false, _ adjust: (inout Track) -> Void = { _ in }
    ) throws -> [Time: UInt32] {
        let source = try scratch.source(file)
        let asset = try Probe.asset(of: source)
        var track = try #require(asset.mainVideo)
        adjust(&track)
        let reader = try FrameReader(
            source, track, origin: asset.start, at: start, diagnostics: Diagnostics(), primed: primed)
        var sums: [Time: UInt32] = [:]
        while let shown = try reader.next() { sums[shown.time] = shown.frame.signature?.checksum }
        return sums
    }

    @Test(arguments: ["mp4", "mkv", "ts"]) func decodingFromTheMiddleIsAsFromTheBeginning(_ type: String)
        throws
    {
        let file = try film(type)
        let asset = try Probe.asset(of: try scratch.source(file))
        #expect(asset.mainVideo?.video?.x264Build == 142)
        let whole = try sums(file, at: .zero)
        try #require(whole.count == 100)
        var begun = 0
        for start in [Time(11, 10), Time(2, 1), Time(33, 10)] {
            let part = try sums(file, at: start)
            // A transport stream has no index: near its beginning it is read from there.
            guard part.count < 100 else { continue }
            begun += 1
            #expect(part.count >= 15)
            #expect(part.allSatisfy { whole[$0.key] == $0.value })
            // A decoder that has seen only the first frame decodes the same.
            let primed = try sums(file, at: start, primed: true) { $0.video?.x264Build = nil }
            #expect(primed == part)
            // Without either the frames differ: the test would notice.
            let withoutBuild = try sums(file, at: start) { $0.video?.x264Build = nil }
            #expect(withoutBuild.contains { whole[$0.key] != $0.value })
        }
        #expect(begun > 0)
    }

    @Test(arguments: ["mp4", "mkv", "ts"], ["142", "164"])
    func whatIsCopiedDecodesAsInTheSource(_ type: String, _ build: String) throws {
        let file = try film(build: build)
        let shown = try Truth(file).frames().map(\.time)
        let source = try FrameSums.of(file)
        for (from, to) in [(25, 75), (30, 90)] {
            let made = try export(
                file, "passthrough", start: shown[from], end: shown[to], in: scratch, type: type
            ) { ($0.render, $0.output.name) = (.smart, "out.\(type)") }
            #expect(made.result.tracks.first.map { $0.framesCopied >= 40 } == true)
            // The ends are lossless as well.
            #expect(try FrameSums.of(made.file) == Array(source[from..<to]))
            // From each position at which a player may begin.
            let parts = try sums(made.file, at: .zero)
            for start in [Time(9, 10), Time(16, 10)] {
                #expect(try sums(made.file, at: start).allSatisfy { parts[$0.key] == $0.value })
            }
            try verify(made, in: scratch)
        }
    }
}

// The check of a copy compares it to its end in every container, those too that do not say where a track ends.
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Export
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct JoinCheckEndTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let kinds: [(type: String, words: [String])] = [
        ("mp4", ["-c:v", "libx264", "-bf", "2"]), ("mov", ["-c:v", "prores_ks"]),
        ("mkv", ["-c:v", "libx264", "-bf", "2"]), ("mkv", ["-c:v", "ffv1"]),
        ("webm", ["-c:v", "libvpx", "-deadline", "realtime"]), ("ts", ["-c:v", "libx264", "-bf", "2"]),
        ("avi", ["-c:v", "mpeg4", "-bf", "0"]), ("mxf", ["-c:v", "mpeg2video", "-bf", "0"]),
    ]

    private func film(_ type: String, _ words: [String], filter: String) throws -> String {
        let file = scratch.name(type)
        try Tool.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=2", "-vf", filter] + words + ["-g", "10", file])
        return file
    }

    /// The check of a whole copy of a film, on a file that may be another's.
    private func compare(_ file: String, with input: String, _ type: String) throws {
        var request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: "out.\(type)", stem: "out"),
            range: RangeRequest(), preset: try preset("passthrough"), render: .copy)
        request.output.name = "out.\(type)"
        let exporter = Exporter(try scratch.source(input), request)
        var attempt = RenderAttempt(exporter, try exporter.prepare(Diagnostics()), output: -1)
        let plan = try attempt.planned(RenderStrategy.Way(render: .copy))
        let output = ProbedFile(try scratch.source(file))
        let video = try #require(try output.asset().tracks.first { $0.kind == .video })
        let check = JoinCheck(
            source: exporter.source, output: output.file, plan: try #require(plan.smartTrim),
            origin: plan.origin, index: video.index, fileType: plan.fileType,
            recordedFrames: HeadTailFrames(), leavesDecoding: true)
        #expect(try check.run(output).isEmpty)
    }

    @Test(arguments: kinds.indices) func anotherFilmIsNoCopy(_ index: Int) throws {
        let (type, words) = JoinCheckEndTests.kinds[index]
        let input = try film(type, words, filter: "null")
        let made = try export(input, "passthrough", in: scratch, type: type) {
            ($0.render, $0.output.name) = (.copy, "out.\(type)")
        }
        try compare(made.file, with: input, type)
        // Only the last frames differ.
        let other = try film(type, words, filter: "negate=enable=gte(n\\,45)")
        let copy = try export(other, "passthrough", in: scratch, type: type) {
            ($0.render, $0.output.name) = (.copy, "other.\(type)")
        }
        #expect(throws: JoinCheck.Mismatch.self) { try compare(copy.file, with: input, type) }
    }

    /// With no frame to compare, nothing is proved.
    @Test(arguments: ["mp4", "mov"]) func oneWithoutFramesIsNoCopy(_ type: String) throws {
        let input = try film(type, ["-c:v", "libx264"], filter: "null")
        let empty = scratch.name(type)
        try Tool.ffmpeg(
            ["-i", input, "-c", "copy", "-frames:v", "0", "-movflags", "frag_keyframe+empty_moov", empty])
        #expect(throws: JoinCheck.Mismatch.self) { try compare(empty, with: input, type) }
    }
}

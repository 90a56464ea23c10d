// A copy is known for one by its samples, and what is no copy of the range is not.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Export
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct CopiedSpanTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Whether the check of a copy of one range takes an output for it without decoding.
    private func isCopy(
        _ file: String, of input: String, _ from: Time, _ to: Time, leavesDecoding: Bool = true
    ) throws -> Bool {
        var request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: "out.mp4", stem: "out"),
            range: RangeRequest(start: .time(from), end: .time(to)), preset: try preset("passthrough"),
            render: .copy)
        request.output.name = "out.mp4"
        let exporter = Exporter(try scratch.source(input), request)
        let ready = try exporter.prepare(Diagnostics())
        var attempt = RenderAttempt(exporter, ready, output: -1)
        let plan = try attempt.planned(RenderStrategy.Way(render: .copy))
        let output = ProbedFile(try scratch.source(file))
        let video = try #require(try output.asset().tracks.first { $0.kind == .video })
        let check = JoinCheck(
            source: exporter.source, output: output.file, plan: try #require(plan.smartTrim),
            origin: plan.origin,
            index: video.index, fileType: plan.fileType, recordedFrames: HeadTailFrames(),
            leavesDecoding: leavesDecoding)
        let part = try #require(check.plan.parts.first)
        let window = JoinCheck.Window(part: part, from: .zero, to: to - from)
        return check.isCopy(window, video, plan.fileType.zero)
    }

    private func copy(_ input: String, _ from: Time, _ to: Time) throws -> String {
        try export(input, "passthrough", start: from, end: to, in: scratch, type: "mp4") {
            $0.render = .copy
            $0.output.name = "out.mp4"
        }.file
    }

    private func film(_ more: [String] = []) throws -> String {
        let file = scratch.name("mp4")
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=4", "-c:v", "libx264", "-preset", "ultrafast",
                "-g", "25", "-bf", "2",
            ] + more + [file])
        return file
    }

    @Test func theSourcesSamplesAreEnough() throws {
        let input = try film()
        let (from, to) = (Time(32, 25), Time(70, 25))
        let file = try copy(input, from, to)
        #expect(try isCopy(file, of: input, from, to))
        #expect(try !isCopy(file, of: input, from, to, leavesDecoding: false), "the frames are wanted")
        for (start, end) in [(Time(33, 25), to), (Time(31, 25), to), (from, Time(72, 25))] {
            #expect(try !isCopy(file, of: input, start, end), "a frame is missing, or more than asked for")
        }
    }

    @Test func oneOtherByteIsNoCopy() throws {
        let input = try film()
        let (from, to) = (Time(1, 1), Time(2, 1))
        let file = try copy(input, from, to)
        var bytes = Array(try Data(contentsOf: URL(filePath: file)))
        let demuxer = try Demuxer(try scratch.source(file))
        let packet = try Packet()
        for _ in 0..<12 { _ = demuxer.read(into: packet) }
        let place = try #require(packet.place)
        bytes[Int(place.upperBound) - 1] ^= 1
        try Data(bytes).write(to: URL(filePath: file))
        #expect(try !isCopy(file, of: input, from, to))
    }

    /// Frames after a recovery point may refer to frames before it.
    @Test func whatRefersToEarlierFramesIsDecoded() throws {
        let input = try film(["-x264-params", "open-gop=1:keyint=25:min-keyint=25:scenecut=0"])
        let (from, to) = (Time(60, 25), Time(85, 25))
        #expect(try !isCopy(copy(input, from, to), of: input, from, to))
    }
}

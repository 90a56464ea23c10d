// Some frames of each encode are compared with the source's before the export counts as completed.
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Export
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct EncodeCheckTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Checks an export as if it had been made from another file.
    private func check(
        _ made: Made, against file: String, start: Time, end: Time, preset id: String = "m4v720",
        keep: [RangeSpelling]? = nil
    ) throws {
        let source = try scratch.source(file)
        var request = ExportRequest(
            input: file, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            range: RangeRequest(start: keep == nil ? .time(start) : nil, end: keep == nil ? .time(end) : nil),
            preset: try preset(id),
            render: .encode)
        request.keep = keep
        let ready = try Exporter(source, request).prepare(Diagnostics())
        let plan = try ready.plan(request, RenderDecision(encoding: request.preset, fileType: ready.fileType))
        let track = try #require(made.result.tracks.first { $0.kind == .video })
        let output = try scratch.source(made.file)
        let stored = try #require(Probe.asset(of: output).tracks.first { $0.index == track.index })
        try EncodeCheck(
            source: source, output: output, plan: try #require(plan.video), origin: plan.origin,
            segments: plan.segments, fileType: plan.fileType, made: stored, end: track.length
        ).run()
    }

    private func film(_ filters: String = "null", seconds: String = "14", rate: String = "25") throws
        -> String
    {
        try Film(
            name: "", type: "mp4",
            words: Film.video(rate, seconds: seconds, filters: filters) + Film.h264()
        ).make(in: scratch)
    }

    @Test func wrongFramesAreFound() throws {
        let input = try film()
        // Upside down and in the colours' opposites it is another film at the same times.
        let other = try film("negate,vflip")
        let late = try film("trim=start=5,setpts=PTS-STARTPTS", seconds: "19")
        for (start, end) in [(Time(6, 5), Time(13, 1)), (Time(1, 1), Time(3, 2))] {
            let made = try export(input, "m4v720", start: start, end: end, in: scratch)
            try check(made, against: input, start: start, end: end)
            for wrong in [other, late] {
                let error = try #require(throws: MediaError.self) {
                    try check(made, against: wrong, start: start, end: end)
                }
                #expect(error.code == .verificationFailed)
                #expect(error.time != nil && error.track == 0)
            }
        }
    }

    /// Each part of several begins elsewhere in the source.
    @Test func wrongFramesOfOnePartAreFound() throws {
        let input = try film()
        let keep = [(0, 2), (9, 12)].map { RangeSpelling(start: .time(Time($0, 1)), end: .time(Time($1, 1))) }
        let made = try export(input, "m4v720", in: scratch) { $0.keep = keep }
        try check(made, against: input, start: .zero, end: .zero, keep: keep)
        let half = try film("negate=enable='gte(t,6)'")
        #expect(throws: MediaError.self) {
            try check(made, against: half, start: .zero, end: .zero, keep: keep)
        }
    }

    /// Loss from encoding does not make a frame a different one.
    @Test(arguments: [
        ("low", "noise=alls=40:allf=t", "25"), ("m4v-cellular", "null", "25"),
        ("m4v720", "select='not(mod(n,7))+lt(mod(n,11),3)'", "30"),
        ("640x480", "hue=s=0,eq=brightness=-0.4", "60"),
        ("m4v720", "null", "120"),
    ]) func roughEncodesPass(_ preset: String, _ filters: String, _ rate: String) throws {
        let input = try film(filters, seconds: "4", rate: rate)
        let made = try export(input, preset, start: Time(31, 30), end: Time(15, 4), in: scratch) {
            if preset == "m4v720" { $0.options = ExportOptions() }
        }
        #expect(made.result.tracks.contains { $0.kind == .video && $0.way == .encode })
    }

    /// Where the source is damaged each decoder makes its own of it.
    @Test func damageOfTheSourceIsNoFault() throws {
        let input = try film(seconds: "6")
        var bytes = try scratch.source(input).bytes(at: 0, count: 1 << 30)
        let media = try #require(bytes.firstRange(of: Array("mdat".utf8)))
        var random = Seeded(9)
        for offset in stride(from: media.upperBound + bytes.count / 3, to: bytes.count * 4 / 5, by: 700) {
            bytes[offset] = UInt8.random(in: 0...255, using: &random)
        }
        let damaged = try scratch.source(bytes: bytes, name: "damaged.mp4")
        let request = ExportRequest(
            input: "damaged.mp4", output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            range: RangeRequest(start: .time(Time(1, 1)), end: .time(Time(5, 1))),
            preset: try preset("m4v720"), render: .encode)
        let result = try Exporter(damaged, request).run(
            output: try scratch.output(scratch.name("m4v")), progress: { _ in }, log: { _ in })
        #expect(result.warnings.contains { $0.code == .damagedMedia })
    }
}

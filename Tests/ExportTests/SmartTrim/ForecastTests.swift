// A dry run says beforehand how the export then goes.
import Export
import Foundation
import Libav
import Media
import MediaTime
import Testing
import Text

@testable import Codecs

struct ForecastTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film() throws -> String {
        try Film(
            name: "forecast", type: "mp4",
            words: Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264()
                + ["-c:a", "aac"]
        ).make(in: scratch)
    }

    private func forecast(_ request: ExportRequest) throws -> PlanReport {
        try Exporter(try scratch.source(request.input), request).forecast()
    }

    /// The plan of a request, and what became of it.
    private func both(
        _ id: String, _ type: String, adjust: (inout ExportRequest) -> Void
    ) throws -> (PlanReport, Made) {
        let input = try film()
        var planned: PlanReport?
        let made = try export(input, id, in: scratch, type: type) { request in
            request.render = .auto
            adjust(&request)
            planned = try? forecast(request)
        }
        return (try #require(planned), made)
    }

    @Test func aSmartTrimIsForeseenToTheFrame() throws {
        let (plan, made) = try both("passthrough", "mp4") {
            ($0.start, $0.end) = (.time(Time(1, 2)), .time(Time(33, 10)))
        }
        #expect(plan.render == .smart && made.result.render == .smart)
        #expect(plan.fileType == "mp4" && plan.output.hasSuffix("/out.mp4"))
        #expect(plan.requested == made.result.requested)
        let video = try #require(plan.tracks.first { $0.kind == .video })
        let did = try #require(made.result.tracks.first { $0.kind == .video })
        let spans = try #require(video.spans)
        #expect(spans.map(\.way) == [.encode, .copy, .encode])
        #expect(spans.compactMap(\.frames).reduce(0, +) == did.framesEncoded)
        // They tile the range.
        #expect(spans.first?.range.start == Time(1, 2) && spans.last?.range.end == Time(33, 10))
        for (one, next) in zip(spans, spans.dropFirst()) { #expect(one.range.end == next.range.start) }
        #expect(plan.tracks.first { $0.kind == .audio }?.way == .copy)
        #expect(plan.estimatedBytes != nil)
    }

    /// Before a byte is written: what may be written, so that space can be set aside for that and no more.
    @Test(
        arguments: [("passthrough", "mp4", .auto), ("m4v720", "m4v", .encode)]
            as [(String, String, RenderMode)])
    func anExportSaysWhatItIsAboutToWrite(_ id: String, _ type: String, _ render: RenderMode) throws {
        let input = try film()
        let request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            range: RangeRequest(start: .time(Time(1, 2)), end: .time(Time(3, 2))), preset: try preset(id),
            render: render)
        let file = scratch.name(type)
        let output = try scratch.output(file)
        var plans: [PlannedOutput] = []
        _ = try Exporter(try scratch.source(input), request).run(
            output: output, planned: { plans.append($0) }, progress: { _ in }, log: { _ in })
        let size = try scratch.source(file).size
        #expect(plans.allSatisfy { $0.length == Time(1, 1) && $0.bytes == plans.first?.bytes })
        guard id == "passthrough" else {
            #expect(plans.first?.bytes == nil)
            return
        }
        let most = try #require(plans.first?.bytes)
        #expect(most >= size)
        #expect(most < (try scratch.source(input).size) * 2 / 3, "a second of four")
    }

    /// An export that has one thread says so, or that it waits for disks, so that others run beside it; a smart trim once its head and tail
    /// are encoded.
    @Test(
        arguments: [
            ("passthrough", "mp4", .copy, [0]), ("m4a", "m4a", .auto, [0]),
            ("m4a", "m4a", .encode, [1]), ("gif", "gif", .auto, [2]),
            ("m4v480", "m4v", .encode, [nil]), ("passthrough", "mp4", .smart, [nil, 0]),
        ] as [(String, String, RenderMode, [Int?])])
    func anExportSaysWhatProcessorsItCanUse(
        _ id: String, _ type: String, _ render: RenderMode, _ processors: [Int?]
    ) throws {
        let request = ExportRequest(
            input: try film(), output: OutputTarget(folder: scratch.path, name: "out.\(type)", stem: "out"),
            range: RangeRequest(start: .time(Time(1, 2)), end: .time(Time(3, 2))), preset: try preset(id),
            render: render)
        let output = try scratch.output(scratch.name(type))
        var plans: [PlannedOutput] = []
        _ = try Exporter(try scratch.source(request.input), request).run(
            output: output, planned: { plans.append($0) }, progress: { _ in }, log: { _ in })
        #expect(plans.map(\.processors) == processors)
    }

    /// A forecast is sent from the worker to the client, whatever the options change of the preset.
    @Test(
        arguments: ["passthrough", "m4v480", "highest"], ExportOption.all.filter { $0.uses.contains(.lists) })
    func aForecastCanBeSent(_ id: String, _ option: ExportOption) throws {
        let values = [
            "crf": "20", "bitrate": "1M", "size": "160x90", "video-codec": "h264", "audio-bitrate": "96k",
            "audio-codec": "aac", "crop": "64:64", "rotate": "90", "deinterlace": "off", "speed": "2",
            "fps": "25", "burn-subtitles": "default", "variant": "highest",
        ]
        var options = ExportOptions()
        try option.set(#require(values[option.name]), in: &options, as: option.name)
        var request = ExportRequest(
            input: try film(), output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            preset: try preset(id))
        request.options = options
        let exporter = Exporter(try scratch.source(request.input), request)
        guard option.name != "burn-subtitles" else {
            #expect(throws: MediaError.self) { try exporter.forecast() }
            return
        }
        let report = try exporter.forecast()
        let sent = try JSONValue(coding: report).value(of: PlanReport.self)
        #expect(sent == report)
    }

    @Test func severalRangesAreForeseenInTheirOrder() throws {
        let (plan, made) = try both("passthrough", "mp4") {
            $0.keep = [
                RangeSpelling(start: .time(Time(2, 1)), end: .time(Time(3, 1))),
                RangeSpelling(start: .time(Time(0, 1)), end: .time(Time(1, 1))),
            ]
        }
        #expect(
            plan.ranges == [
                TimeSpan(start: Time(2, 1), end: Time(3, 1)), TimeSpan(start: .zero, end: Time(1, 1)),
            ])
        #expect(plan.length == Time(2, 1))
        #expect(plan.tracks.first { $0.kind == .audio }?.way == .encode)
        #expect(plan.tracks.map(\.way) == made.result.tracks.map(\.way))
    }

    @Test func encodingSaysWhyAndHowLarge() throws {
        let (plan, made) = try both("m4v480", "m4v") { $0.render = .encode }
        #expect(plan.render == .encode && made.result.render == .encode)
        let video = try #require(plan.tracks.first)
        #expect(
            (video.width, video.height) == (made.result.tracks.first?.width, made.result.tracks.first?.height)
        )
        #expect(video.codec == "h264" && video.spans == nil)
        #expect(plan.preset.id == "m4v480")
    }

    @Test(arguments: ["mov", "mp4", "mkv", "ts"]) func aFilmThatStaysAsItIsKeepsItsType(_ type: String) throws
    {
        let input = try Film(
            name: type, type: type, words: Film.video(seconds: "2") + Film.h264()
        ).make(in: scratch)
        let request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            preset: try preset("passthrough"))
        #expect(try forecast(request).fileType == type)
    }

    @Test func whatTheExportWouldRefuseIsRefused() throws {
        let input = try film()
        let request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            range: RangeRequest(start: .time(Time(9, 1))), preset: try preset("m4v480"))
        let error = try #require(throws: MediaError.self) { try forecast(request) }
        #expect(error.code == .invalidTime)
    }
}

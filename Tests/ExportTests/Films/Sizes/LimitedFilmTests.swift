// Films that are to have a size: filled to 85 parts of a hundred or more, in two passes, and as `check` and a dry run say.
import Foundation
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(10))) struct LimitedFilmTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Hard to code, so that every limit bites.
    private func film(seconds: Int = 4, audio: [String] = ["-c:a", "aac", "-b:a", "160k"]) throws -> String {
        try Film(
            name: "", type: "mp4",
            words: Film.video(size: "192x144", seconds: "\(seconds)", filters: "noise=alls=20:allf=t")
                + Film.noise(48_000, seconds: "\(seconds)") + ["-ac", "2"] + Film.h264() + audio
        ).make(in: scratch)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var id: String, type: String, limit: Int64
        var twoPass: Bool? = nil
        /// The figures that the tracks give.
        var passes: Int? = 2
        var testDescription: String { "\(id), \(limit) bytes\(twoPass.map { ", two passes \($0)" } ?? "")" }
    }

    static let cases = [
        Case(id: "m4v480", type: "m4v", limit: 60_000), Case(id: "m4v480", type: "m4v", limit: 150_000),
        Case(id: "m4v480", type: "m4v", limit: 250_000), Case(id: "m4v-ipod", type: "m4v", limit: 150_000),
        Case(id: "hevc1080", type: "mp4", limit: 60_000), Case(id: "hevc1080", type: "mp4", limit: 200_000),
        Case(id: "vp9-720", type: "webm", limit: 150_000),
        Case(id: "m4v480", type: "m4v", limit: 150_000, twoPass: false, passes: nil),
        Case(id: "av1-1080", type: "mp4", limit: 150_000, passes: nil),
        Case(id: "m4a", type: "m4a", limit: 40_000, passes: nil),
        Case(id: "opus", type: "opus", limit: 30_000, passes: nil),
    ]

    @Test(arguments: cases) func aLimitIsFilledAndHeld(_ test: Case) throws {
        let input = try film()
        let made = try export(input, test.id, in: scratch, type: test.type) {
            $0.output.name = "o.\(test.type)"
            $0.render = .auto
            $0.options = ExportOptions()
            $0.options?.limitSize = test.limit
            $0.options?.twoPass = test.twoPass
        }
        let size = Int64(try Data(contentsOf: URL(filePath: made.file)).count)
        #expect(size <= test.limit, "\(size)")
        #expect(Double(size) >= 0.85 * Double(test.limit), "\(size)")
        #expect(made.result.tracks.first?.passes == test.passes)
        // All frames are there, and the audio is as long as the video.
        let output = try Truth(made.file)
        if output.video != nil { #expect(try output.frames().count == 100) }
        let fractions = made.progress.map(\.fraction)
        #expect(fractions.last ?? 0 > 0.9)
        try verify(made, in: scratch)
    }

    /// Audio that would be copied and leave nothing for the video is encoded.
    @Test func encodingCopiedAudioMakesRoom() throws {
        let input = try film(audio: ["-c:a", "aac", "-b:a", "128k"])
        let made = try export(input, "m4v480", in: scratch) {
            $0.render = .auto
            $0.options = ExportOptions()
            $0.options?.limitSize = 70_000
        }
        let size = try Data(contentsOf: URL(filePath: made.file)).count
        #expect(59_500...70_000 ~= size, "\(size)")
        #expect(made.result.tracks.first { $0.kind == .audio }?.way == .encode)
    }

    @Test(arguments: [
        ("m4v480", "m4v"), ("hevc1080", "mp4"), ("prores422", "mov"), ("flac", "flac"), ("opus", "opus"),
    ])
    func whatCheckSaysTheDryRunAndTheExportDo(_ id: String, _ type: String) throws {
        let input = try film(seconds: 2)
        for limit in [2_000, 40_000, 120_000, 30_000_000] as [Int64] {
            var options = ExportOptions()
            options.limitSize = limit
            let result = try #require(
                try Checker(scratch.source(input), presets: [preset(id)], fileType: type, options: options)
                    .report()
                    .presets.first)
            var request = ExportRequest(
                input: input, output: OutputTarget(folder: "/", name: "o.\(type)", stem: "o"),
                preset: try preset(id))
            request.options = options
            let plan = Result { try Exporter(scratch.source(input), request).forecast() }
            let made = Result {
                try export(input, id, in: scratch, type: type) {
                    ($0.options, $0.render, $0.output.name) = (options, .auto, "o.\(type)")
                }
            }
            let label = "\(id), \(limit) bytes"
            switch (result.valid, plan, made) {
            case (true, .success(let plan), .success(let made)):
                let size = Int64(try Data(contentsOf: URL(filePath: made.file)).count)
                for band in [result.estimatedBytes, plan.estimatedBytes].compactMap(\.self) {
                    #expect(band.high <= limit, "\(label)")
                    #expect(band.low...band.high ~= size, "\(label): \(size) of \(band)")
                }
                #expect(result.render == plan.render, "\(label)")
            case (false, .failure(let refused), .failure(let failed)):
                #expect(result.reasons.map(\.code) == ["maximumFileSizeReached"], "\(label)")
                for error in [refused, failed] {
                    let (one, other) = ((error as? MediaError)?.message, result.reasons.first?.message)
                    #expect(words(one) == words(other), "\(label)")
                    let (mine, theirs) = (least(one), least(other))
                    #expect(abs(mine - theirs) <= 0.01 * theirs && theirs > 0, "\(label): \(mine), \(theirs)")
                }
            case (true, .success(let plan), .failure(let error)):
                // The size of an output without a rate cannot be known exactly: the warning said that it may not fit.
                #expect((error as? MediaError)?.code == .maximumFileSizeReached, "\(label): \(error)")
                #expect(result.warnings.contains { $0.code == "limitMayNotFit" }, "\(label)")
                #expect(plan.warnings.contains { $0.code == .limitMayNotFit }, "\(label)")
            default: Issue.record("\(label): check \(result.valid), dry run \(plan), export \(made)")
            }
        }
    }

    /// Static video needs less than the lowest rate of other video.
    @Test(arguments: [50_000, 4_000] as [Int64]) func anEasyFilmIsNotHeldForOneThatDoesNotFit(_ limit: Int64)
        throws
    {
        let input = try Film(
            name: "", type: "mp4",
            words: ["-f", "lavfi", "-i", "color=navy:s=854x480:r=30:d=10"] + Film.h264()
        ).make(in: scratch)
        var options = ExportOptions()
        options.limitSize = limit
        let result = try #require(
            try Checker(scratch.source(input), presets: [preset("m4v480")], fileType: nil, options: options)
                .report().presets.first)
        if limit > 10_000 {
            #expect(result.valid && result.warnings.isEmpty, "\(result)")
            let made = try export(input, "m4v480", in: scratch) { $0.options = options }
            #expect(try Data(contentsOf: URL(filePath: made.file)).count <= limit)
            try verify(made, in: scratch)
        } else {
            let error = try refusal(input, "m4v480", in: scratch) { $0.options = options }
            #expect(error.code == .maximumFileSizeReached)
            #expect(!result.valid || result.warnings.contains { $0.code == "limitMayNotFit" }, "\(result)")
        }
    }

    /// A preset with an average rate is met more nearly, and every encoder that has two passes uses them.
    @Test(arguments: [("m4v-ipod", "m4v"), ("vp9-720", "webm"), ("hevc", "mp4")])
    func twoPassesMeetAnAverageRate(_ id: String, _ type: String) throws {
        let input = try film()
        let rate = 150_000
        let presetID = id == "hevc" ? "hevc1080" : id
        // As it is: how near an encoder comes depends on its speed.
        let preset = try storedPreset(presetID)
        let made = try export(input, presetID, in: scratch, type: type) {
            ($0.preset, $0.output.name) = (preset, "o.\(type)")
            $0.options = ExportOptions()
            $0.options?.twoPass = true
            $0.options?.audio = "none"
            $0.preset.video?.crf = nil
            $0.preset.video?.bitRate = rate
            $0.preset.video?.maxWidth = 192
            $0.preset.video?.maxHeight = 144
            $0.preset.video?.maxFrameRate = Ratio(25)
        }
        #expect(made.result.tracks.map(\.passes) == [2])
        let bits = Double(try Data(contentsOf: URL(filePath: made.file)).count) * 8 / 4
        #expect(abs(bits / Double(rate) - 1) < 0.12, "\(bits)")
        try verify(made, in: scratch)
    }

    @Test func aPresetMayAskForTwoPasses() throws {
        let made = try export(film(), "m4v-ipod", in: scratch) { $0.preset.video?.twoPass = true }
        #expect(made.result.tracks.first?.passes == 2)
        let once = try export(film(), "m4v-ipod", in: scratch) {
            $0.preset.video?.twoPass = true
            $0.options = ExportOptions()
            $0.options?.twoPass = false
        }
        #expect(once.result.tracks.first?.passes == nil)
    }

    @Test(arguments: [
        ("m4v480", "twoPassNeedsRate"), ("av1-1080", "onePassOnly"), ("prores422", "onePassOnly"),
    ])
    func whereThereAreNoTwoPassesThatIsSaid(_ id: String, _ code: String) throws {
        let input = try film(seconds: 1)
        let error = try refusal(input, id, in: scratch) {
            $0.options = ExportOptions()
            $0.options?.twoPass = true
        }
        #expect(error.code == .presetNotValid)
        var options = ExportOptions()
        options.twoPass = true
        let report = try Checker(
            scratch.source(input), presets: [preset(id)], fileType: nil, options: options
        ).report()
        #expect(report.presets.first?.reasons.map(\.code) == [code])
    }

    /// A message without its numbers.
    private func words(_ message: String?) -> String { (message ?? "none").filter { !$0.isNumber } }

    /// The number of bytes after "more than".
    private func least(_ message: String?) -> Double {
        let rest = (message ?? "").split(separator: "more than ").last ?? ""
        return Double(rest.prefix { $0.isNumber }) ?? 0
    }

    /// The check of encoded frames finds others where the limit's rate leaves nothing of them: that is no fault of trimd.
    @Test func aRateAtWhichNoFrameIsRecognisableDoesNotFit() throws {
        let input = try Film(
            name: "", type: "mp4",
            words: ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=30000/1001:d=12"]
                + Film.noise(48_000, seconds: "12") + Film.h264() + ["-c:a", "aac"]
        ).make(in: scratch)
        var codes: [ErrorCode] = []
        for limit in stride(from: 60_000, through: 150_000, by: 15_000) {
            var options = ExportOptions()
            options.limitSize = Int64(limit)
            do {
                let made = try export(input, "highest", in: scratch, type: "mp4") {
                    ($0.options, $0.render, $0.output.name) = (options, .auto, "o.mp4")
                }
                #expect(try Data(contentsOf: URL(filePath: made.file)).count <= limit)
            } catch let error as MediaError {
                codes.append(error.code)
            }
        }
        #expect(!codes.isEmpty && codes.allSatisfy { $0 == .maximumFileSizeReached }, "\(codes)")
    }
}

// The answers of check about films: the way they would go and why, what cannot be trimmed, how large the output would be; and that an
// export does what was said.
import Export
import Foundation
import Media
import MediaTime
import Testing

struct CheckerTests {
    private func report(
        _ film: String, _ ids: [String], in scratch: Scratch, type: String? = nil, start: Time? = nil,
        end: Time? = nil,
        _ change: (inout ExportOptions) -> Void = { _ in }
    ) throws -> CompatibilityReport {
        var options = ExportOptions()
        change(&options)
        return try Checker(
            try scratch.source(film), presets: try ids.map { try preset($0) }, fileType: type,
            range: RangeRequest(start: start.map { .time($0) }, end: end.map { .time($0) }), options: options
        ).report()
    }

    private func film(_ scratch: Scratch, _ words: [String] = Film.h264(), type: String = "mp4") throws
        -> String
    {
        let film = scratch.name(type)
        try Tool.ffmpeg(
            Film.video("30", size: "320x240") + Film.noise(48_000) + words + [
                "-c:a", "aac", "-ac", "2", film,
            ])
        return film
    }

    @Test func theWayIsSaidAndWhy() throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let whole = try report(film, ["m4v480", "m4v720", "hevc1080", "passthrough"], in: scratch)
        #expect(whole.canTrim)
        let decision = whole.presets.map(\.render)
        #expect(decision == [.encode, .copy, .encode, .copy])
        #expect(whole.presets[0].renderReason?.contains("profile is High") == true)
        #expect(whole.presets[2].renderReason?.contains("codec is h264, not hevc") == true)
        #expect(whole.presets[1].renderReason == nil)
        let part = try report(film, ["m4v720"], in: scratch, start: Time(1, 7), end: Time(2, 1))
        #expect(part.presets.first?.render == .smart)
        let made = try export(film, "m4v720", start: Time(1, 7), end: Time(2, 1), in: scratch) {
            $0.render = .auto
        }
        #expect(made.result.render == .smart)
    }

    @Test func whatNoContainerOrEncoderTakesIsRefusedWithItsType() throws {
        let scratch = try Scratch()
        let film = try film(scratch, ["-c:v", "ffv1"], type: "mkv")
        let result = try #require(try report(film, ["passthrough"], in: scratch).presets.first)
        #expect(result.valid)
        let types = result.types ?? []
        #expect(types.first { $0.type == "mkv" }?.valid == true)
        #expect(types.first { $0.type == "webm" }?.reasons.map(\.code) == ["codecNotInContainer"])
        #expect(!result.fileTypes.contains("webm"))
        let error = try refusal(film, "passthrough", in: scratch) {
            $0.render = .auto
            $0.output.name = "o.webm"
        }
        #expect(error.code == .presetNotValid)
    }

    @Test func whatDoesNotDecodeCannotBeTrimmed() throws {
        let scratch = try Scratch()
        let film = scratch.name("mp4")
        try Tool.ffmpeg(Film.video() + Film.h264() + ["-movflags", "+faststart", film])
        var bytes = try Data(contentsOf: URL(filePath: film))
        let head = 4096
        try #require(bytes.count > 2 * head)
        // The index stays, the samples go.
        let media = try #require(bytes.range(of: Data("mdat".utf8))).upperBound
        bytes.replaceSubrange(media..., with: Data(repeating: 0xff, count: bytes.count - media))
        let broken = scratch.name("mp4")
        try bytes.write(to: URL(filePath: broken))
        let report = try report(broken, ["m4v480", "low"], in: scratch)
        #expect(!report.canTrim)
        #expect(report.reason?.code == "undecodableMediaData")
        #expect(report.presets.allSatisfy { !$0.valid })
    }

    /// Frames of raw streams are shown at the rate, and AVI stores only their order: that is enough.
    @Test func whatHasNoTimesIsTrimmedByItsRate() throws {
        let scratch = try Scratch()
        let (raw, old) = (scratch.name("h264"), scratch.name("avi"))
        try Tool.ffmpeg(Film.video() + Film.h264() + ["-f", "h264", raw])
        try Tool.ffmpeg(Film.video() + Film.h264() + [old])
        #expect(try self.report(raw, ["m4v480"], in: scratch).canTrim)
        let made = try export(raw, "m4v480", end: Time(1, 1), in: scratch)
        #expect(made.result.notes?.map(\.code) == [.timesFromRate])
        #expect(try self.report(old, ["m4v480"], in: scratch).canTrim)
    }

    @Test func theRangeIsCheckedToo() throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let error = try #require(throws: MediaError.self) {
            _ = try report(film, ["m4v480"], in: scratch, start: Time(9, 1))
        }
        #expect(error.code == .invalidTime)
    }

    @Test(arguments: [
        ("m4v480", "m4v"), ("low", "mp4"), ("wav", "wav"), ("hevc1080", "mp4"), ("prores422", "mov"),
    ])
    func theSizeLiesInItsBand(_ id: String, _ type: String) throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let result = try #require(try report(film, [id], in: scratch, end: Time(1, 1)).presets.first)
        let band = try #require(result.estimatedBytes)
        #expect(band.low <= band.likely && band.likely <= band.high)
        let made = try export(film, id, end: Time(1, 1), in: scratch, type: type) {
            $0.output.name = "o.\(type)"
        }
        let size = Int64(try Data(contentsOf: URL(filePath: made.file)).count)
        #expect((band.low...band.high).contains(size), "\(size) of \(band)")
    }

    @Test func howMuchFitsIsSaidAndDoesFit() throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let limit: Int64 = 60_000
        let result = try #require(
            try report(film, ["m4v480"], in: scratch) { $0.limitSize = limit }.presets.first)
        let longest = try #require(result.estimatedMaximumDuration)
        #expect(longest > .zero && longest < Time(3, 1))
        #expect(result.estimatedBytes?.high ?? .max <= limit)
        let made = try export(film, "m4v480", end: longest, in: scratch)
        #expect(Int64(try Data(contentsOf: URL(filePath: made.file)).count) <= limit)
    }
}

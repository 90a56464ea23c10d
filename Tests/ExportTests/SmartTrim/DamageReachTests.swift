// Damage outside a range that shows in it: frames of the range are decoded from it, directly or not. It is reported in every render mode,
// with the time of the damaged frame, and --strict refuses it. Damage that no frame of the range is decoded from is not reported.
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct DamageReachTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Case: CustomTestStringConvertible, Sendable {
        var type: String
        var words: [String]
        var testDescription: String { "\(words[1]) in \(type)" }
    }

    /// A closed group of 32 frames, of which every fourth is no B-frame.
    private static let x264 = [
        "-c:v", "libx264", "-preset", "veryfast", "-crf", "16", "-pix_fmt", "yuv420p", "-g", "32", "-bf", "3",
        "-x264-params", "scenecut=0:b-adapt=0:b-pyramid=none",
    ]
    static let cases = [
        Case(type: "mp4", words: x264),
        Case(type: "ts", words: x264),
        Case(
            type: "mov",
            words: ["-c:v", "mpeg2video", "-q:v", "3", "-g", "32", "-sc_threshold", "1000000000"]),
        Case(type: "mkv", words: ["-c:v", "mpeg4", "-q:v", "3", "-g", "32", "-sc_threshold", "1000000000"]),
    ]

    private func film(_ film: Case, damaging frames: some Sequence<Int>) throws -> String {
        let file = try Film(
            name: "", type: film.type, words: Film.video(size: "192x144", seconds: "4") + film.words
        ).make(in: scratch)
        // The headers of a picture stay: without them, the decoder takes it for none.
        try SampleDamage(file).overwrite(frames, keeping: 80)
        return file
    }

    private func time(_ frame: Int) -> Time { Time(Int64(frame), 25) }

    private func damage(_ result: ExportResult) -> [Warning] {
        result.warnings.filter { [.damagedMedia, .damagedBefore].contains($0.code) }
    }

    /// The render modes of the range.
    enum Output: String, CaseIterable, Sendable {
        case encoded, smart, preset, gif
    }

    private func cut(
        _ film: Case, _ file: String, _ frames: Range<Int>, as output: Output = .encoded, strict: Bool = false
    ) throws -> Made {
        let (id, type) =
            switch output {
            case .encoded: ("highest", "mp4")
            case .smart: ("passthrough", film.type)
            case .preset: ("m4v480", "m4v")
            case .gif: ("gif", "gif")
            }
        return try export(
            file, id, start: time(frames.lowerBound), end: time(frames.upperBound), in: scratch, type: type
        ) {
            $0.strict = strict
            $0.output.name = "out.\(type)"
            $0.render = output == .smart ? .smart : .encode
        }
    }

    @Test(arguments: cases, Output.allCases) func aDamagedKeyframeBeforeTheRangeIsReported(
        _ film: Case, _ output: Output
    ) throws {
        let file = try self.film(film, damaging: [32])
        let range = 40..<56
        let found = try damage(cut(film, file, range, as: output).result)
        #expect(found.first?.time == time(32), "\(found)")
        let error = try #require(throws: MediaError.self) {
            _ = try cut(film, file, range, as: output, strict: true)
        }
        #expect(error.code == .damagedMedia && error.time == time(32), "\(error)")
    }

    /// B-frames refer to a frame that is shown after them.
    @Test(arguments: [Output.encoded, .smart]) func aDamagedFrameBehindTheRangeIsReportedWhereItIsReferredTo(
        _ output: Output
    ) throws {
        let film = Self.cases[0]
        let file = try self.film(film, damaging: [44])
        let found = try damage(cut(film, file, 20..<43, as: output).result)
        #expect(found.first?.time == time(44), "\(found)")
        let error = try #require(throws: MediaError.self) {
            _ = try cut(film, file, 20..<43, as: output, strict: true)
        }
        #expect(error.code == .damagedMedia && error.time == time(44), "\(error)")
        // The last frame is the one that the damaged one refers to.
        #expect(try damage(cut(film, file, 20..<41, as: output, strict: true).result).isEmpty)
    }

    @Test(arguments: cases, [Output.encoded, .smart]) func damageThatAKeyframeEndsIsNotReported(
        _ film: Case, _ output: Output
    ) throws {
        let file = try self.film(film, damaging: [28])
        #expect(try damage(cut(film, file, 36..<50, as: output, strict: true).result).isEmpty)
    }

    @Test(arguments: cases) func theTimeOfDamageIsTheSameInEachRun(_ film: Case) throws {
        let file = try self.film(film, damaging: [32, 44, 60])
        let all = try (0..<4).map { _ in try damage(cut(film, file, 40..<90).result) }
        #expect(all.first?.isEmpty == false)
        for other in all { #expect(other.map(\.time) == all[0].map(\.time)) }
    }
}

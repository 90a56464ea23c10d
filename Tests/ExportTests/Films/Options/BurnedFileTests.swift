// Subtitles of a file of one's own, read back from the pictures: each frame of the output is compared with pictures of all texts, made by
// FFmpeg's own filter, and has to be nearest to that which the file shows at the frame's time of the source. And the files that are refused.
import Foundation
import Libav
import Media
import MediaTime
import Signals
import Testing

@testable import Export
@testable import Render

@Suite(.timeLimit(.minutes(10))) struct BurnedFileTests {
    let scratch: Scratch

    /// Frames a second of the film, and its frames.
    private static let rate: Int64 = 10, count: Int64 = 100
    /// The subtitles, in milliseconds.
    private static let events: [(start: Int, end: Int, text: String)] = [
        (1000, 2000, "First"), (3000, 5450, "Second line\nand a third"), (7000, 9000, "Last of them"),
    ]
    private static let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

    init() throws {
        scratch = try Scratch()
        SubtitleFonts.use([.init("DejaVu", Array(try Data(contentsOf: URL(filePath: BurnedFileTests.font))))])
    }

    // MARK: Films, files and pictures

    private static func clock(_ time: Int, _ mark: String) -> String {
        String(format: "00:00:%02d\(mark)%03d", time / 1000, time % 1000)
    }

    /// The events as the text of a file.
    private static func text(_ type: String, _ events: [(start: Int, end: Int, text: String)] = events)
        -> String
    {
        switch type {
        case "vtt":
            return "WEBVTT\n\n"
                + events.map { "\(clock($0.start, ".")) --> \(clock($0.end, "."))\n\($0.text)\n" }.joined(
                    separator: "\n")
        case "ass", "ssa":
            return """
                [Script Info]
                ScriptType: v4.00+
                PlayResX: 384
                PlayResY: 288

                [V4+ Styles]
                Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
                Style: Default,A font that is nowhere,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0

                [Events]
                Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

                """
                    + events.map { event in
                        func time(_ time: Int) -> String {
                            String(format: "0:00:%02d.%02d", time / 1000, time % 1000 / 10)
                        }
                        return
                            "Dialogue: 0,\(time(event.start)),\(time(event.end)),Default,,0,0,0,,\(event.text.replacingOccurrences(of: "\n", with: "\\N"))\n"
                    }.joined()
        default:
            return events.enumerated().map { number, event in
                "\(number + 1)\n\(clock(event.start, ",")) --> \(clock(event.end, ","))\n\(event.text)\n"
            }.joined(separator: "\n")
        }
    }

    private func write(_ bytes: [UInt8], _ type: String) throws -> String {
        let file = scratch.name(type)
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    private func film() throws -> String {
        let file = scratch.name("mp4")
        _ = try Tool.ffmpeg([
            "-f", "lavfi", "-i", "color=gray:size=640x360:rate=10:duration=10", "-c:v", "libx264", "-preset",
            "ultrafast", "-g", "10", file,
        ])
        return file
    }

    /// The frames of a file, small and grey.
    private func pictures(_ words: [String]) throws -> [ArraySlice<UInt8>] {
        let size = 160 * 90
        let bytes = try Tool.ffmpeg(
            words + ["-f", "rawvideo", "-fps_mode", "passthrough", "-"])
        try #require(!bytes.isEmpty && bytes.count % size == 0)
        return stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<$0 + size] }
    }

    /// The number of the text on each frame of an output; -1: none.
    private func read(_ file: String) throws -> [Int] {
        let folder = URL(filePath: BurnedFileTests.font).deletingLastPathComponent().path
        let (film, words) = (try film(), try write(Array(BurnedFileTests.text("srt").utf8), "srt"))
        let style = "force_style='Fontname=DejaVu Sans'"
        let drawn = try pictures([
            "-i", film, "-vf", "subtitles=\(words):fontsdir=\(folder):\(style),scale=160:90,format=gray",
        ])
        let known = [0] + BurnedFileTests.events.map { ($0.start / 100) + 3 }
        return try pictures(["-i", file, "-vf", "scale=160:90,format=gray"]).map { frame in
            let errors = known.map { difference(frame, drawn[$0]) }
            let least = try #require(errors.min())
            // Another text is far from it.
            try #require(errors.count { $0 < 4 * least + 800 } == 1, "\(errors)")
            return (errors.firstIndex(of: least) ?? 0) - 1
        }
    }

    /// The number of the event at each frame of a range of the source.
    private func expected(_ start: Time, _ end: Time) -> [Int] {
        (0..<BurnedFileTests.count).filter { start <= Time($0, 10) && Time($0, 10) < end }.map { frame in
            BurnedFileTests.events.firstIndex { $0.start <= frame * 100 && frame * 100 < $0.end } ?? -1
        }
    }

    private func made(
        _ input: String, _ file: String, start: Time? = nil, end: Time? = nil,
        adjust: (inout ExportRequest) -> Void = { _ in }
    ) throws -> Made {
        try export(input, "m4v480", start: start, end: end, in: scratch, subtitles: file, adjust: adjust)
    }

    // MARK: Tests

    @Test(arguments: ["srt", "ass", "vtt", "UTF-8 BOM", "UTF-16LE", "UTF-16BE"])
    func theyAreOnTheFramesOfTheirTimes(kind: String) throws {
        let type = ["srt", "ass", "vtt"].contains(kind) ? kind : "srt"
        let text = BurnedFileTests.text(type)
        let bytes: [UInt8] =
            switch kind {
            case "UTF-8 BOM": [0xEF, 0xBB, 0xBF] + Array(text.utf8)
            case "UTF-16LE": [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            case "UTF-16BE": [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            default: Array(text.utf8)
            }
        let (input, file) = (try film(), try write(bytes, type))
        // From inside one text into another: the cuts are read too.
        let made = try made(input, file, start: Time(15, 10), end: Time(75, 10))
        #expect(try read(made.file) == expected(Time(15, 10), Time(75, 10)))
        try verify(made, in: scratch)
        guard kind == "srt" else { return }
        #expect(try read(try self.made(input, file).file) == expected(.zero, Time(10, 1)))
    }

    @Test func rangesSpeedAndChunksMoveThem() throws {
        let (input, file) = (try film(), try write(Array(BurnedFileTests.text("srt").utf8), "srt"))
        let ranges = try made(input, file) {
            $0.keep = [
                RangeSpelling(start: .time(Time(7, 1)), end: .time(Time(8, 1))),
                RangeSpelling(start: .time(Time(15, 10)), end: .time(Time(35, 10))),
            ]
        }
        #expect(
            try read(ranges.file)
                == expected(Time(7, 1), Time(8, 1)) + expected(Time(15, 10), Time(35, 10)))
        let divided = try exportInUnits(
            input, "m4v480", seconds: 2, in: scratch, subtitles: file)
        #expect(divided.files.count > 2)
        #expect(try read(#require(divided.made).file) == expected(.zero, Time(10, 1)))
        // Each frame of the source is shown for half as long.
        let fast = try made(input, file) { $0.options?.speed = Ratio(2) }
        #expect(try read(fast.file) == expected(.zero, Time(10, 1)))
    }

    @Test func unitsOfAnotherTextAreMadeAgain() throws {
        let input = try film()
        func fingerprint(_ text: String) throws -> String {
            let file = try write(Array(text.utf8), "srt")
            let divided = try exportInUnits(input, "m4v480", seconds: 2, in: scratch, subtitles: file)
            return try #require(divided.plan).fingerprint
        }
        let text = BurnedFileTests.text("srt")
        let (one, same) = (try fingerprint(text), try fingerprint(text))
        #expect(one == same)
        #expect(try fingerprint(text.replacingOccurrences(of: "First", with: "Other")) != one)
    }

    @Test func whatIsMissingOrOutsideIsWarnedOf() throws {
        let input = try film()
        let strange = try write(
            Array("1\n00:00:01,000 --> 00:00:02,000\nA \u{4E2D} B\n".utf8), "srt")
        let made = try made(input, strange, end: Time(2, 1))
        #expect(made.result.warnings.contains { $0.code == .glyphMissing && $0.message.contains("U+4E2D") })
        let before = try self.made(input, strange, start: Time(3, 1), end: Time(4, 1))
        #expect(before.result.warnings.map(\.code) == [.nothingDrawn])
        #expect(try read(before.file).allSatisfy { $0 == -1 })
    }

    /// Nobody asked for the font of FFmpeg's style for a text without one.
    @Test(arguments: [("ass", "", "A font that is nowhere"), ("srt", "No, B", "No, B"), ("srt", "", "")])
    func fontsThatAreMissingAreNamed(_ type: String, _ face: String, _ font: String) throws {
        let words = face.isEmpty ? "Words" : "<font face=\"\(face)\">Words</font>"
        let text = BurnedFileTests.text(type, [(0, 900, words)])
        let found = try made(try film(), try write(Array(text.utf8), type), end: Time(1, 1)).result.warnings
        #expect(found.map(\.code) == (font.isEmpty ? [] : [.fontMissing]), "\(found)")
        #expect(
            found.allSatisfy { $0.message.contains("'\(font)' of") && $0.message.contains("DejaVu Sans") })
    }

    @Test func thePlanSaysWhatIsDrawn() throws {
        let (input, file) = (try film(), try write(Array(BurnedFileTests.text("ass").utf8), "ass"))
        let request = try request(input, file, start: Time(15, 10), end: Time(4, 1))
        let report = try withEncoders(of: request) {
            try Exporter(
                try scratch.source(input), request, subtitles: try scratch.source(file)
            ).forecast()
        }
        let burned = try #require(report.tracks.first?.burned)
        #expect((burned.file, burned.codec, burned.events) == (file, "ass", 2) && burned.track == nil)
    }

    private func request(
        _ input: String, _ file: String, start: Time? = nil, end: Time? = nil
    ) throws -> ExportRequest {
        var request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            range: RangeRequest(start: start.map { .time($0) }, end: end.map { .time($0) }),
            preset: try preset("m4v480"), render: .encode, options: ExportOptions())
        request.options?.burnSubtitles = file
        return request
    }

    @Test func filesThatCannotBeDrawnAreRefused() throws {
        let words = BurnedFileTests.text("srt")
        let latin = Array(words.utf8).map { $0 == UInt8(ascii: "F") ? 0xE9 : $0 }
        let plain = words.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let cases: [(String, [UInt8], [String])] = [
            ("srt", [], ["empty"]),
            ("srt", [0xEF, 0xBB, 0xBF, 0x0A, 0x20], ["empty"]),
            ("srt", latin, ["line 3, byte 32", "0xE9", "iconv"]),
            ("srt", plain, ["UTF-16", "-f UTF-16LE"]),
            ("srt", [0xFF, 0xFE] + plain + [0x41], ["ends inside a character"]),
            ("srt", [0xFF, 0xFE] + [0x00, 0xD8] + plain, ["no character"]),
            ("srt", Array("Only words, and no time.\n".utf8), ["no file of subtitles"]),
            ("srt", Array(try Data(contentsOf: URL(filePath: try film()))), ["NUL"]),
            ("srt", Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n/etc/passwd\n".utf8), ["no "]),
            ("srt", Array("ffconcat version 1.0\nfile /etc/passwd\n".utf8), ["no "]),
            ("sub", Array("{1}{25}First\n{30}{60}Second\n{70}{80}Third\n".utf8), ["MicroDVD", "frames"]),
            ("vtt", Array("WEBVTT\n\nNOTE nothing\n".utf8), ["no subtitle with a time"]),
            ("ass", Array(BurnedFileTests.text("ass", []).utf8), ["no subtitle with a time"]),
        ]
        for (type, bytes, says) in cases {
            let source = try scratch.source(bytes: bytes, name: "words.\(type)")
            let error = try #require(throws: MediaError.self) { _ = try SubtitleFile(source) }
            #expect(error.code == .invalidRequest, "\(says)")
            for word in says { #expect("\(error)".contains(word), "\(error)") }
        }
    }

    @Test func aFileNeedsAVideoAndAPresetThatCanBeDrawnOn() throws {
        let file = try write(Array(BurnedFileTests.text("srt").utf8), "srt")
        let audio = scratch.name("m4a")
        _ = try Tool.ffmpeg(["-f", "lavfi", "-i", "sine=d=2", "-c:a", "aac", audio])
        let none = try refusal(audio, "m4a", in: scratch, subtitles: file)
        #expect(none.code == .invalidRequest && none.message.contains("no video"))
        let input = try film()
        #expect(try refusal(input, "gif", in: scratch, subtitles: file).code == .presetNotValid)
        var options = ExportOptions()
        options.burnSubtitles = file
        #expect(throws: MediaError.self) { try options.check(.copy) }
        #expect(throws: MediaError.self) { try options.check(.smart) }
    }

    /// Files made to do harm: each is drawn or refused, in bounded time.
    @Test func hostileFilesAreDrawnOrRefused() throws {
        var random = SystemRandomNumberGenerator()
        for type in ["srt", "ass", "vtt"] {
            let whole = Array(BurnedFileTests.text(type).utf8)
            for _ in 0..<150 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0x09...0x7E, using: &random)
                    case 1: bytes.removeSubrange(place..<min(bytes.count, place + 9))
                    case 2: bytes.insert(contentsOf: whole.prefix(40), at: place)
                    default: bytes.insert(contentsOf: Array("{\\p1}99999999999-->%n".utf8), at: place)
                    }
                }
                _ = try? SubtitleFile(try scratch.source(bytes: bytes, name: "words.\(type)"))
            }
        }
        // Effects that ask for more than a frame can be.
        let effects = [
            "{\\fs99999}Wide", "{\\bord9999\\blur9999}Soft", "{\\fscx999999\\fscy999999}Large",
            "{\\p1}m 0 0 l 99999999 0 99999999 99999999 0 99999999", "{\\clip(0,0,1e9,1e9)\\frz1e30}Turned",
            "{\\t(0,1e9,\\fs1e9)}Grows", String(repeating: "{\\b1}x", count: 20_000),
            String(repeating: "word ", count: 20_000), "{\\fnNone\\fe255}\u{202E}\u{0600}\u{FFFF}",
        ]
        let events = effects.enumerated().map { (start: $0 * 100, end: $0 * 100 + 100, text: $1) }
        let file = try write(Array(BurnedFileTests.text("ass", events).utf8), "ass")
        _ = try made(try film(), file, end: Time(1, 1))
    }
}

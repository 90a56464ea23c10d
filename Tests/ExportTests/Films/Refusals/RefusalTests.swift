// Files that cannot be exported are refused with their word, and nothing is written.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct RefusalTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func file(_ text: String, _ type: String) throws -> String {
        let file = scratch.name(type)
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        return file
    }

    private func film(_ more: [String] = [], type: String = "mp4") throws -> String {
        try Film(name: "", type: type, words: Film.video(seconds: "1") + Film.h264() + more).make(
            in: scratch)
    }

    @Test func anEmptyFile() throws {
        let error = try refusal(try file("", "mp4"), in: scratch)
        #expect(error.code == .fileFormatNotRecognized)
        #expect(error.message.contains("empty"))
    }

    /// USAC (object type 42) calls itself AAC.
    @Test func aProfileThatHasNoDecoder() throws {
        let file = scratch.name("m4a")
        try Tool.ffmpeg(Film.noise(44_100) + ["-c:a", "aac", file])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        // AudioSpecificConfig: low complexity (2), 44,100 Hz, one channel.
        let config = try #require(bytes.firstRange(of: [0x12, 0x08, 0x56, 0xE5]))
        bytes.replaceSubrange(config.lowerBound..<(config.lowerBound + 2), with: [0xF9, 0x48])
        try Data(bytes).write(to: URL(filePath: file))
        let track = try #require(try Probe.asset(of: try scratch.source(file)).tracks.first)
        #expect(track.profile == "xHE-AAC")
        if track.obstacle == nil { try Test.cancel("this version of FFmpeg decodes xHE-AAC") }
        #expect(track.obstacle == .noDecoder)
        let error = try refusal(file, in: scratch)
        #expect(error.code == .decoderNotFound && error.message.contains("aac xHE-AAC"), "\(error)")
    }

    /// Movies count the ticks between two samples in 32 bits.
    @Test(arguments: [("passthrough", "mp4"), ("m4v480", "m4v")])
    func aPauseThatAMovieCannotHold(preset: String, type: String) throws {
        let (early, late) = (try film(type: "ts"), scratch.name("ts"))
        try Tool.ffmpeg(["-i", early, "-c", "copy", "-output_ts_offset", "93600", late])
        let joined = scratch.name("ts")
        let bytes = try [early, late].map { try Data(contentsOf: URL(filePath: $0)) }
        try (bytes[0] + bytes[1]).write(to: URL(filePath: joined))
        let error = try refusal(joined, preset, in: scratch) {
            $0.render = .auto
            $0.output.name = "o.\(type)"
        }
        #expect(error.code == .operationNotSupported && error.message.contains("pauses for 2"), "\(error)")
        #expect(error.time != nil && error.track == 0 && error.remedy?.contains("--remove") == true)
    }

    @Test(arguments: ["txt", "mp4"]) func text(_ type: String) throws {
        let error = try refusal(try file("Dear diary,\nnothing happened.\n", type), in: scratch)
        #expect([.fileFormatNotRecognized, .fileFailedToParse].contains(error.code))
        #expect(error.code.exitCode == 1)
    }

    @Test(arguments: ["m3u8", "mp4", "ts"]) func aPlaylist(_ type: String) throws {
        let list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n"
        let error = try refusal(try file(list, type), in: scratch)
        #expect(error.code == .playlist)
        #expect(error.code.exitCode == 7)
    }

    @Test func aListOfFilesToJoin() throws {
        let error = try refusal(
            try file("ffconcat version 1.0\nfile '/etc/passwd'\n", "ffconcat"), in: scratch)
        #expect(error.code == .playlist)
    }

    @Test func rangesThatAreNone() throws {
        let input = try film()
        for (start, end) in [(9, nil), (1, nil), (0, 0)] as [(Int64, Int64?)] {
            let error = try refusal(input, start: Time(start, 1), end: end.map { Time($0, 1) }, in: scratch)
            #expect(error.code == .invalidTime, "\(error)")
        }
        let inverted = try refusal(input, start: Time(4, 5), end: Time(2, 5), in: scratch)
        #expect(inverted.code == .invalidTime)
        #expect(inverted.message.contains("inverted"))
        let both = try refusal(input, end: Time(1, 2), in: scratch) { $0.duration = .time(Time(1, 2)) }
        #expect(both.code == .invalidRequest)
    }

    @Test func anEndBeyondTheEndIsMovedOrUnderStrictRefused() throws {
        let input = try film()
        let made = try export(input, "m4v720", start: Time(1, 5), end: Time(9, 1), in: scratch)
        #expect(made.result.warnings.map(\.code).contains(.endClamped))
        #expect(try Truth(made.file).video?.duration == Time(4, 5))
        #expect(made.result.requested.end == Time(9, 1))
        #expect(made.result.actual.end == Time(1, 1))
        let error = try refusal(input, start: Time(1, 5), end: Time(9, 1), in: scratch) { $0.strict = true }
        #expect(error.code == .invalidTime)
    }

    @Test func videoAloneUnderM4A() throws {
        let error = try refusal(try film(), "m4a", in: scratch)
        #expect(error.code == .presetNotValid)
        #expect(error.code.exitCode == 3)
        #expect(error.message.contains("no audio"))
    }

    @Test func aNameThatDoesNotFitThePreset() throws {
        let error = try refusal(try film(), in: scratch) { $0.output.name = "out.mkv" }
        #expect([.presetNotValid, .outputTypeNotValid].contains(error.code))
        #expect(error.message.contains("mkv"))
    }

    @Test func whatIsTakenAsStoredIsNotEncoded() throws {
        let error = try refusal(try film(), "passthrough", in: scratch) { $0.render = .encode }
        #expect(error.code == .invalidRequest)
    }

    @Test(arguments: [RenderMode.copy, .smart]) func whatDoesNotConformIsNotCopied(_ way: RenderMode) throws {
        let input = try Film(
            name: "", type: "mkv", words: Film.video() + ["-c:v", "mpeg4", "-q:v", "3"]
        ).make(in: scratch)
        let error = try refusal(input, in: scratch) { $0.render = way }
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains("mpeg4"))
    }

    @Test func subtitlesAlone() throws {
        let words = ["1", "00:00:00,000 --> 00:00:01,000", "Hello"]
        let text = try file(words.joined(separator: "\n"), "srt")
        let input = scratch.name("mkv")
        try Tool.ffmpeg(["-i", text, "-c:s", "ass", input])
        #expect(try refusal(input, in: scratch).code == .noSourceTrack)
    }

    // MARK: Damage

    @Test func aFileCutOffInTheMiddleExportsWhatIsThere() throws {
        let whole = try Data(contentsOf: URL(filePath: film(["-movflags", "+faststart"])))
        let half = scratch.name("mp4")
        try whole.prefix(whole.count * 6 / 10).write(to: URL(filePath: half))
        let made = try export(half, "m4v720", in: scratch)
        #expect(made.result.warnings.contains { $0.code == .truncated })
        let count = try Truth(made.file).frames().count
        #expect(count > 2 && count < 25)
        try verify(made, in: scratch)
        #expect(try refusal(half, in: scratch) { $0.strict = true }.code == .damagedMedia)
    }

    @Test func aFileWithoutItsIndexIsRefused() throws {
        let whole = try Data(contentsOf: URL(filePath: film()))
        let half = scratch.name("mp4")
        try whole.prefix(whole.count / 2).write(to: URL(filePath: half))
        let error = try refusal(half, in: scratch)
        #expect(error.code == .fileFailedToParse)
    }

    @Test func randomDamageIsNoCrash() throws {
        let input = try film(["-f", "mpegts"], type: "ts")
        let whole = Array(try Data(contentsOf: URL(filePath: input)))
        var random = Seeded(81)
        for _ in 0..<6 {
            var bytes = whole
            for _ in 0..<40 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let damaged = scratch.name("ts")
            try Data(bytes).write(to: URL(filePath: damaged))
            do {
                let made = try export(damaged, "m4v720", in: scratch)
                try verify(made, in: scratch)
            } catch { #expect(error is MediaError) }
        }
    }

    @Test func aFullDiskIsSaid() throws {
        let input = try film()
        let full = try #require(FileManager.default.fileExists(atPath: "/dev/full") ? "/dev/full" : nil)
        let request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            preset: try preset("m4v720"))
        let source = try scratch.source(input)
        let output = try scratch.existing(full)
        let error = try #require(throws: MediaError.self) {
            _ = try Exporter(source, request).run(output: output, progress: { _ in }, log: { _ in })
        }
        #expect(error.code == .diskFull)
    }

    // MARK: Protected media

    @Test(
        .enabled(if: Paths.hasMedia("short-cenc.mp4"), "shared/media does not lie beside the checkout"),
        arguments: ["short-cenc.mp4", "sample_fragmented_clearkey.mp4"])
    func encryptedMedia(_ name: String) throws {
        let error = try refusal(Paths.media + "/" + name, in: scratch)
        #expect(error.code == .contentIsProtected)
        #expect(error.code.exitCode == 7)
    }
}

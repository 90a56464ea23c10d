// Exports of sources that are hard to compare: times of audio that jump, light that tone mapping changes, scenes with little in them.
import Export
import FoundationEssentials
import Media
import MediaTime
import Testing

extension ComparisonTests {
    /// Phones write packets some samples too early or too late now and then; what was cut continues there.
    @Test(arguments: ["m4v720", "passthrough"]) func timesOfAudioThatJumpAreNoFault(_ preset: String) throws {
        let even = try source()
        let input = scratch.name("mp4")
        try Tool.ffmpeg(["-i", even, "-c", "copy", "-bsf:a", "setts=ts='TS-9*floor(N/30)'", input])
        let made = try export(input, preset, start: Self.start, end: Self.end, in: scratch, type: "mp4") {
            $0.render = .auto
        }
        let report = try compare(input, made.file)
        #expect(report.exact, "\(report.findings)")
        // As far as that does not explain it, it is one.
        let late = scratch.name("mp4")
        try Tool.ffmpeg([
            "-i", made.file, "-itsoffset", "0.01", "-i", made.file, "-map", "0:v", "-map", "1:a", "-c",
            "copy", late,
        ])
        #expect(try compare(input, late).findings.contains { $0.code == "audioLag" })
    }

    /// An edit list shows the last frame for a part of its duration.
    @Test func aSourceMayEndWithinItsLastFrame() throws {
        let cut = try export(
            try source(), "passthrough", start: Time(1, 10), end: Time(103, 100), in: scratch, type: "mp4"
        ) { ($0.render, $0.output.name) = (.copy, "cut.mp4") }
        let made = try export(cut.file, "m4v720", in: scratch, type: "mp4")
        let report = try compare(cut.file, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
    }

    /// Matroska says only when all of it ends.
    @Test func subtitlesMayOutlastTheAudio() throws {
        let text = scratch.name("srt")
        try Data("1\n00:00:00,500 --> 00:00:09,000\nStill here\n".utf8).write(to: URL(filePath: text))
        let input = scratch.name("mkv")
        try Tool.ffmpeg(["-i", try source(), "-i", text, "-c", "copy", "-c:s", "srt", input])
        let made = try export(input, "passthrough", in: scratch, type: "mkv") {
            ($0.render, $0.output.name) = (.auto, "out.mkv")
        }
        let report = try compare(input, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
    }

    /// Bright details: tone-mapped, their mean is not what the mean of them is tone-mapped to.
    @Test func detailsInHDRAreCompared() throws {
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(size: "320x240", seconds: "1") + [
                "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1",
                "-x265-params",
                "log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc",
            ]
        ).make(in: scratch)
        let made = try export(input, "m4v720", in: scratch, type: "m4v")
        let report = try compare(input, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
        #expect(try #require(report.video?.lowestPSNR) > 25)
    }

    /// In a fade from black, frames differ by less than the rounding of their colours.
    @Test func aFadeFromBlackIsNotTakenForOtherFrames() throws {
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(size: "1920x1080", seconds: "2", filters: "fade=in:0:300") + Film.h264()
        ).make(in: scratch)
        let made = try export(input, "m4v720", in: scratch, type: "m4v")
        let report = try compare(input, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
    }

    /// An output that ends where its source breaks off has all that there is.
    @Test(arguments: [("wav", "pcm_s16le"), ("mp3", "libmp3lame"), ("flac", "flac"), ("ogg", "libvorbis")])
    func aComparisonEndsWhereTheSourceDoes(_ type: String, _ codec: String) throws {
        let file = try Film(
            name: "", type: type, words: Film.noise(44_100, seconds: "6") + ["-c:a", codec]
        ).make(in: scratch)
        let whole = try Data(contentsOf: URL(filePath: file))
        try Data(whole.prefix(whole.count / 2)).write(to: URL(filePath: file))
        for (end, isExact) in [(nil, true), (Time(3, 2), false)] as [(Time?, Bool)] {
            let made = try export(file, "wav", end: end, in: scratch, type: "wav")
            let report = try compare(file, made.file) { _ in }
            #expect(report.exact == isExact, "\(report.findings)")
            #expect(report.findings.contains { $0.code == "audioLength" } == !isExact)
        }
    }

    /// An output of several ranges that lacks the end of its audio, which none of them lacks.
    @Test func allRangesCountWhereAudioIsTooShort() throws {
        let input = try source()
        let ranges = [Time.zero...Time(1, 1), Time(3, 2)...Time(2, 1), Time(5, 2)...Time(51, 20)].map {
            RangeSpelling(start: .time($0.lowerBound), end: .time($0.upperBound))
        }
        let made = try export(input, "640x480", in: scratch, type: "mp4") { $0.range.keep = ranges }
        let short = scratch.name("mp4")
        try Tool.ffmpeg([
            "-t", "0.5", "-i", made.file, "-i", made.file, "-map", "0:a", "-map", "1:v", "-c", "copy", short,
        ])
        let report = try compare(input, short) { $0.keep = ranges }
        #expect(report.findings.contains { $0.code == "audioLength" }, "\(report.findings)")
    }
}

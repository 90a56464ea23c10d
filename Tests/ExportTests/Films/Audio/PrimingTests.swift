// An encoder's priming is never played, whatever the container: joined parts in containers without edit lists, and copied Vorbis,
// begin with the sample at the in point. Checked with ffmpeg's decoder.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Render

@Suite(.timeLimit(.minutes(10))) struct PrimingTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Case: CustomTestStringConvertible, Sendable {
        var codec: String, type: String
        var rate = 44_100
        /// Samples of the encoder's priming, where Matroska is to say so.
        var delay: Int?
        var testDescription: String { "\(codec) in \(type)" }
    }

    static let cases = [
        Case(codec: "aac", type: "ts"), Case(codec: "aac", type: "mkv", delay: 1024),
        Case(codec: "libmp3lame", type: "ts"), Case(codec: "libmp3lame", type: "mkv", delay: 1105),
        Case(codec: "ac3", type: "ts", rate: 48_000),
        Case(codec: "ac3", type: "mkv", rate: 48_000),
        Case(codec: "libopus", type: "ts", rate: 48_000),
        Case(codec: "libopus", type: "mkv", rate: 48_000, delay: 312), Case(codec: "libvorbis", type: "mkv"),
    ]

    private func film(_ codec: String, rate: Int, type: String = "mkv") throws -> String {
        try Film(
            name: "", type: type,
            words: Film.video(seconds: "4") + Film.noise(rate, seconds: "4") + Film.h264()
                + ["-c:a", codec, "-b:a", "192k", "-ar", "\(rate)"]
        ).make(in: scratch)
    }

    private struct Packets: Decodable {
        struct Packet: Decodable { var pts_time: String? }
        struct Format: Decodable { var start_time: String, duration: String }
        var packets: [Packet]
        var format: Format
    }

    /// The offset of the audio in samples from the source's audio at a time, measured at the output's 0.
    private func lag(_ input: String, _ output: String, at start: Time, rate: Int) throws -> Int {
        let (whole, made) = (try Truth(input), try Truth(output))
        let own = try #require(whole.audio), stream = try #require(made.audio)
        let decoded = try made.samples(rate: rate)
        // Matroska's times are the output's own; a transport stream begins with its earliest track.
        let zero = output.hasSuffix("mkv") ? .zero : made.origin
        let before =
            -((try made.firstSample(of: stream, rate: rate)) + (made.origin - zero).seconds * Double(rate))
        let skipped = max(0, Int(before.rounded()))
        let position =
            start.seconds * Double(rate) - (try whole.firstSample(of: own, rate: rate)) + Double(skipped)
            - before
        return try ExportTests.lag(
            of: Array(decoded[skipped...]), in: whole.samples(rate: rate), at: Int(position.rounded()),
            reach: 1500
        )
    }

    @Test(arguments: cases) func joinedAudioBeginsWithTheSampleAtTheInPoint(_ test: Case) throws {
        let input = try film(test.codec, rate: test.rate)
        let made = try export(input, "passthrough", in: scratch, type: test.type) {
            $0.render = .auto
            $0.output.name = "o.\(test.type)"
            $0.keep = [
                RangeSpelling(start: .time(Time(101, 100)), end: .time(Time(23, 10))),
                RangeSpelling(start: .time(Time(3, 1)), end: .time(Time(39, 10))),
            ]
        }
        let audio = try #require(made.result.tracks.first { $0.kind == .audio })
        #expect(audio.way == .encode)
        let off = try lag(input, made.file, at: Time(101, 100), rate: test.rate)
        // Of Matroska's ticks on both sides half each, and that of the source alone.
        #expect(abs(off) <= test.rate / 1000 + 2, "it is off by \(off) samples")
        let answer = try Tool.ffprobe(
            ["-select_streams", "a", "-show_packets", "-show_format", made.file], as: Packets.self)
        let first = try #require(answer.packets.first?.pts_time.flatMap(Double.init))
        let isHidden = test.type == "mkv" && test.codec != "ac3"
        #expect((made.result.notes ?? []).contains { $0.code == .audioPadded } != isHidden)
        if test.type == "ts" {
            #expect(abs(first - 1.4) < 0.0001, "nothing lies before the video: \(first)")
            #expect(answer.format.start_time == "1.400000")
        } else if test.delay == nil {
            #expect(first == 0)
        } else {
            #expect(first < 0, "priming lies before 0")
            // Nothing of it is decoded: not by its time, and not from the first packet on, as players do that count no times.
            let (truth, decoded) = (try Truth(made.file), try Truth(made.file).samples(rate: test.rate))
            let begins = try #require(truth.frameTimes().first) + truth.origin
            #expect(begins.absoluteValue <= Time(1, 1000), "\(begins)")
            let length = Int(Double(test.rate) * 2.19)
            #expect(
                (length...(length + 1)).contains(decoded.count), "\(decoded.count), not \(length)")
            let mkvInfo = try Tool.output(["mkvmerge", "-J", made.file])
            let delay = try #require(test.delay)
            let nanoseconds = (Double(delay) * 1e9 / Double(test.rate)).rounded()
            #expect(mkvInfo.contains("\"codec_delay\": \(Int(nanoseconds))"))
        }
        if test.type == "mkv", test.codec != "ac3" {
            #expect(abs((Double(answer.format.duration) ?? 0) - 2.19) <= 0.001, "no priming counts as length")
        }
        var range = RangeRequest()
        range.keep = [
            RangeSpelling(start: .time(Time(101, 100)), end: .time(Time(23, 10))),
            RangeSpelling(start: .time(Time(3, 1)), end: .time(Time(39, 10))),
        ]
        let report = try Comparison(try scratch.source(input), try scratch.source(made.file), range).run(
            picture: nil)
        #expect(report.exact, "\(report.findings)")
        try verify(made, in: scratch)
    }

    @Test func theEndOfJoinedAudioIsCutToTheSampleWhereMatroskaAllows() throws {
        for codec in ["aac", "libmp3lame"] {
            let input = try film(codec, rate: 44_100)
            let made = try export(input, "passthrough", in: scratch, type: "mka") {
                $0.render = .auto
                $0.output.name = "o.mkv"
                $0.keep = [
                    RangeSpelling(start: .time(Time(1, 1)), end: .time(Time(2, 1))),
                    RangeSpelling(start: .time(Time(3, 1)), end: .time(Time(15, 4))),
                ]
            }
            let samples = try Truth(made.file).samples(rate: 44_100)
            #expect(samples.count == 77_175, "\(codec): \(samples.count)")
        }
    }

    /// The header of HE-AAC may name the rate of its lower half alone; a movie counts in the whole rate, which decoders know.
    @Test(.enabled(if: Paths.hasMedia("no-initial-keyframe.ts")), arguments: ["m4a", "mov"])
    func aRateThatTheHeaderDoesNotName(_ type: String) throws {
        let input = scratch.name("m4a")
        try Tool.ffmpeg(["-i", Paths.media + "/no-initial-keyframe.ts", "-vn", "-c:a", "copy", input])
        let (start, end) = (Time(1, 2), Time(2, 1))
        let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: type) {
            ($0.render, $0.output.name) = (.auto, "o.\(type)")
        }
        let audio = try #require(made.result.tracks.first)
        #expect(audio.way == .copy && audio.sampleRate == 44_100)
        var range = RangeRequest()
        (range.start, range.end) = (.time(start), .time(end))
        let report = try Comparison(try scratch.source(input), try scratch.source(made.file), range).run(
            picture: nil)
        #expect(report.exact, "\(report.findings)")
        try verify(made, in: scratch)
    }

    /// The encoder counts its delay in samples of its own rate, which need not be that of the codec.
    @Test(arguments: [8000, 16_000, 24_000]) func opusOfALowRateHasItsWholeDelay(rate: Int) throws {
        let input = try Film(name: "", type: "wav", words: Film.noise(rate) + ["-c:a", "pcm_s16le"]).make(
            in: scratch)
        let made = try export(input, "opus", start: Time(1, 1), end: Time(2, 1), in: scratch, type: "webm") {
            $0.output.name = "o.webm"
        }
        #expect(try Tool.output(["mkvmerge", "-J", made.file]).contains("\"codec_delay\": 6500000"))
        var range = RangeRequest()
        (range.start, range.end) = (.time(Time(1, 1)), .time(Time(2, 1)))
        let report = try Comparison(try scratch.source(input), try scratch.source(made.file), range).run(
            picture: nil)
        #expect(report.exact, "\(report.findings)")
    }

    /// The reported times are those at which audio plays: the first packet of Vorbis gives none.
    @Test(arguments: [Time(1, 1), Time(1734, 1000), Time(33, 100)])
    func copiedVorbisPlaysFromItsReportedStart(_ start: Time) throws {
        let input = try film("libvorbis", rate: 44_100)
        let made = try export(input, "passthrough", start: start, end: Time(3, 1), in: scratch, type: "mkv") {
            $0.render = .auto
            $0.output.name = "o.mkv"
        }
        let audio = try #require(made.result.tracks.first { $0.kind == .audio })
        #expect(audio.way == .copy)
        #expect(audio.framesHidden == 1)
        let first = try #require(Truth(made.file).frameTimes().first) + Truth(made.file).origin
        let audioStart = audio.actual.start - start
        #expect(
            (first - audioStart).absoluteValue <= Time(1, 1000),
            "plays from \(first), reported from \(audioStart)")
        // Packets of 1024 samples: the next one is never farther.
        #expect(audioStart >= .zero && audioStart <= Time(1100, 44_100))
        let off = try lag(input, made.file, at: start, rate: 44_100)
        #expect(abs(off) <= 46, "it is off by \(off) samples")
    }

    @Test func packetsOfVorbisAreCountedInSamples() throws {
        let copy = AudioCopy(start: 1000, end: 9000, preroll: nil, isDivisible: false, needsLead: true)
        let spans = (0..<10).compactMap { copy.offer(position: $0 * 1024 - 500, count: 1024) }
        // The one that ends behind the in point is decoded, and takes no time.
        #expect(spans.first == AudioCopy.Span(sample: 0, count: 0, keep: 0..<1024))
        #expect(spans.dropFirst().map(\.sample) == [548, 1572, 2596, 3620, 4644, 5668, 6692])
    }

    /// The decoder of Opus skips what its header says wherever it begins: only at the track's beginning is that right.
    @Test func aLongPreSkipIsSkippedOnce() throws {
        let input = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.noise(48_000, seconds: "6") + [
                "-c:a", "libopus", "-b:a", "128k", "-use_editlist", "0", input,
            ])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: input)))
        let box = try #require(bytes.firstRange(of: Array("dOps".utf8))).upperBound
        // After the version and the channels: 40,000 samples.
        bytes.replaceSubrange((box + 2)..<(box + 4), with: [0x9C, 0x40])
        try Data(bytes).write(to: URL(filePath: input))
        let truth = try Truth(input)
        let whole = try truth.samples(rate: 48_000)
        let begins = try truth.firstSample(of: try #require(truth.audio), rate: 48_000)
        #expect(begins > 30_000)
        for start in [Time(2, 1), Time(7, 2)] {
            let made = try export(
                input, "wav", start: start, end: start + Time(1, 1), in: scratch, type: "wav")
            let cut = try Truth(made.file).samples(rate: 48_000)
            #expect(cut.count == 48_000 && cut.prefix(480).contains { $0 != 0 })
            let place = Int(start.seconds * 48_000 - begins)
            #expect(try abs(ExportTests.lag(of: cut, in: whole, at: place)) <= 1, "from \(start.seconds)")
            try verify(made, in: scratch)
        }
    }
}

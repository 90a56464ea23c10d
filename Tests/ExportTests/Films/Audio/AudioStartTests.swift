// The check of where an export's audio begins: audio at another time fails the export; audio at its reported time passes, and so
// does periodic audio, which matches at many positions.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Export
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct AudioStartTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ audio: [String], type: String = "mkv") throws -> String {
        try Film(name: "", type: type, words: Film.video(seconds: "4") + audio + Film.h264()).make(
            in: scratch)
    }

    private var noise: [String] { Film.noise(44_100, seconds: "4") + ["-c:a", "aac", "-b:a", "192k"] }

    /// The plan of an export of `input`, checked against a file whose audio begins elsewhere.
    private func check(
        _ file: String, of input: String, index: Int = 1, _ way: RenderMode = .encode,
        begins: Time = Time(1, 1), _ keep: [RangeSpelling] = AudioStartTests.parts
    ) throws -> [Warning] {
        var request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: "o.mkv", stem: "o"),
            preset: try preset("passthrough"))
        request.keep = keep
        let source = try scratch.source(input)
        let ready = try Exporter(source, request).prepare(Diagnostics())
        let decision = try RenderDecision.decide(
            ready.asset, request, range: ready.range, fileType: ready.fileType, source: source, delay: 0)
        let diagnostics = Diagnostics()
        let track = TrackResult(
            index: index, source: 1, kind: .audio, codec: "aac", way: way,
            actual: TimeSpan(start: begins, end: Time(15, 4)))
        try AudioStartCheck(
            source: source, output: ProbedFile(try scratch.source(file)),
            plan: try ready.plan(request, decision),
            asset: ready.asset
        ).run([track], diagnostics)
        return diagnostics.warnings
    }

    private static let parts = [
        RangeSpelling(start: .time(Time(1, 1)), end: .time(Time(2, 1))),
        RangeSpelling(start: .time(Time(3, 1)), end: .time(Time(15, 4))),
    ]

    private func joined(_ input: String) throws -> Made {
        try export(input, "passthrough", in: scratch, type: "mkv") {
            $0.render = .auto
            $0.output.name = "o.mkv"
            $0.keep = Self.parts
        }
    }

    @Test func audioAtAnotherTimeFailsTheExport() throws {
        let input = try film(noise)
        let made = try joined(input)
        #expect(try check(made.file, of: input).isEmpty)
        let late = scratch.name("mkv")
        try Tool.ffmpeg([
            "-i", made.file, "-itsoffset", "0.0232", "-i", made.file, "-map", "0:v", "-map", "1:a", "-c",
            "copy", late,
        ])
        let error = try #require(throws: MediaError.self) { try check(late, of: input) }
        #expect(error.code == .verificationFailed)
        #expect(error.track == 1)
        // Copied audio is unchanged from the source: there is a warning.
        #expect(try check(late, of: input, .copy).map(\.code) == [.audioOffset])
    }

    /// Times that another program has rounded are no misplacement, in ticks that do not tell it either.
    @Test func audioWithRoundedTimesCanBeEncoded() throws {
        let input = scratch.name("mov")
        try Tool.ffmpeg(
            Film.video(seconds: "4") + noise + Film.h264() + [
                "-enc_time_base:a", "1/600", "-video_track_timescale", "600", input,
            ])
        let source = try scratch.source(input)
        let asset = try Probe.asset(of: source)
        let track = try #require(asset.audioTracks.first)
        let rounding = AudioTimeRounding(source: source, track: track, origin: asset.start)
        let found = try rounding.samples(from: Time(2, 1), to: Time(2, 1))
        #expect(20...80 ~= found)
        for (start, end) in [(1, 6), (3, 8), (6, 8)] as [(Int64, Int64)] {
            for render in [RenderMode.encode, .auto] {
                let made = try export(input, "m4v720", in: scratch, type: "m4v") {
                    $0.render = render
                    $0.range.start = .time(Time(start, 2) - Time(1, 17))
                    $0.range.end = .time(Time(end, 2))
                }
                #expect(!made.result.warnings.contains { $0.code == .audioOffset })
            }
        }
    }

    @Test func roundingIsMeasuredBetweenGaps() throws {
        func widest(_ begins: [Int64]) -> Int64 {
            var spread = AudioTimeRounding.Spread()
            for begin in begins { spread.add(begin, 1024) }
            return spread.widest
        }
        #expect(widest([0, 1024, 2048, 3072]) == 0)
        #expect(widest([0, 1029, 2058, 3072]) == 10)
        #expect(widest([0, 1019, 2058, 3072]) == 15)
        #expect(widest([0, 1024, 9000, 10_024, 11_050]) == 2)
        let exact = try scratch.source(try film(noise, type: "mp4"))
        let asset = try Probe.asset(of: exact)
        let track = try #require(asset.audioTracks.first)
        let rounding = AudioTimeRounding(source: exact, track: track, origin: asset.start)
        #expect(try rounding.samples(from: Time(2, 1), to: Time(2, 1)) == 0)
    }

    /// A file without a 0 of its own begins with its first sample. Where that one lies behind the in point, the result says
    /// so, and the file is right; by another distance, unsaid, or in a file that can hold a gap, it is wrong.
    @Test func lateAudioIsRightWhereItIsReported() throws {
        let gap = Time(3, 100), whole = [RangeSpelling(start: .time(.zero), end: .time(Time(2, 1)))]
        let input = try film(
            ["-itsoffset", "0.03"] + Film.noise(48_000, seconds: "4") + ["-c:a", "pcm_s16le"])
        func audioFilm(_ type: String, delay milliseconds: Int = 0) throws -> String {
            let file = scratch.name(type)
            let filters = "asetpts=PTS-STARTPTS,adelay=\(milliseconds):all=1"
            try Tool.ffmpeg(["-i", input, "-map", "0:a", "-af", filters, "-c:a", "pcm_s16le", file])
            return file
        }
        func isRight(_ file: String, begins: Time) throws -> Bool {
            do {
                return try check(file, of: input, index: 0, begins: begins, whole).isEmpty
            } catch let error as MediaError where error.code == .verificationFailed {
                return false
            }
        }
        let wave = try audioFilm("wav")
        #expect(try isRight(wave, begins: gap))
        #expect(try !isRight(wave, begins: .zero), "nobody said that it begins late")
        #expect(try !isRight(wave, begins: Time(6, 100)), "it begins earlier than was said")
        #expect(try isRight(audioFilm("wav", delay: 30), begins: .zero))
        #expect(try !isRight(audioFilm("wav", delay: 60), begins: gap), "late is not early")
        #expect(try !isRight(audioFilm("mka"), begins: gap), "Matroska holds the gap")
    }

    /// A tone matches itself after each period: neither the export nor the check takes that for another position.
    @Test(arguments: ["ts", "mkv", "mp4"], [441, 1000]) func aToneIsExactWhereItIs(
        _ type: String, _ pitch: Int
    )
        throws
    {
        let input = try film(
            ["-f", "lavfi", "-i", "sine=f=\(pitch):r=44100:d=4", "-c:a", "aac", "-b:a", "96k"], type: type)
        for isJoined in [true, false] {
            var range = RangeRequest()
            if isJoined {
                range.keep = Self.parts
            } else {
                (range.start, range.end) = (.time(Time(101, 100)), .time(Time(23, 10)))
            }
            let made = try export(input, "passthrough", in: scratch, type: type) {
                ($0.render, $0.output.name) = (.auto, "o.\(type)")
                ($0.start, $0.end) = (range.start, range.end)
                if isJoined { $0.keep = Self.parts }
            }
            #expect(!made.result.warnings.contains { $0.code == .audioOffset }, "\(made.result.warnings)")
            let report = try Comparison(try scratch.source(input), try scratch.source(made.file), range).run(
                picture: nil)
            #expect(report.exact, "\(report.findings)")
        }
    }

    /// FFmpeg counts the packets of AAC between two stored times by the rate with which a transport stream began.
    @Test(arguments: [(48_000, 44_100), (44_100, 48_000), (48_000, 32_000)])
    func aRateThatChangesMovesNoSample(_ first: Int, _ second: Int) throws {
        var parts: [String] = []
        for (rate, begin) in [(first, "0"), (second, "3.2")] {
            let part = scratch.name("ts")
            try Tool.ffmpeg(
                Film.noise(rate, seconds: "3") + [
                    "-c:a", "aac", "-b:a", "128k", "-output_ts_offset", begin, part,
                ])
            parts.append(part)
        }
        let input = scratch.name("ts")
        try (Data(contentsOf: URL(filePath: parts[0])) + Data(contentsOf: URL(filePath: parts[1])))
            .write(to: URL(filePath: input))
        let late = try Truth(input).origin - Truth(parts[1]).origin
        let whole = try Truth(parts[1]).samples(rate: second)
        for hundredths in stride(from: Int64(333), to: 480, by: 29) {
            let start = Time(hundredths, 100)
            let made = try export(input, "m4a", start: start, end: start + Time(1, 1), in: scratch)
            #expect(made.result.tracks.first?.sampleRate == second)
            let position = Int(((start + late).seconds * Double(second)).rounded())
            let off = try lag(
                of: Truth(made.file).samples(rate: second), in: whole, at: position, reach: 1200)
            #expect(abs(off) <= 1, "from \(start): it is off by \(off) samples")
            try verify(made, in: scratch)
        }
    }
}

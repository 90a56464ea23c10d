// Audio of a few packets, of which readers know less than of longer: its format, and how long its only packet is.
import Foundation
import Media
import MediaTime
import Signals
import Testing

@testable import Export
@testable import Libav

@Suite(.timeLimit(.minutes(10))) struct ShortAudioTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// FFmpeg has no favourite among the formats of so little.
    @Test(arguments: [8_000, 22_050, 48_000], ["m4a", "aac"])
    func aFewPacketsOfRawAACAreExported(rate: Int, source: String) throws {
        let film = try Film(name: "", type: source, words: Film.noise(rate, seconds: "2") + ["-c:a", "aac"])
            .make(in: scratch)
        for milliseconds in [60, 100, 150, 250] {
            let made = try export(
                film, "passthrough", start: Time(1, 1), end: Time(Int64(1000 + milliseconds), 1000),
                in: scratch, type: "aac"
            ) {
                $0.output.name = "o.aac"
                $0.render = .auto
                $0.fallback = try? preset("highest")
            }
            try verify(made, in: scratch)
        }
    }

    @Test func rawAACIsKnownByItsFrames() throws {
        let file = try Film(
            name: "", type: "aac", words: Film.noise(22_050, seconds: "0.1") + ["-c:a", "aac"]
        ).make(in: scratch)
        let frames = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 20] + [UInt8](repeating: 0, count: 20)
        func format(_ bytes: [UInt8]) throws -> String? {
            let source = try scratch.source(bytes: bytes, name: "output")
            let io = try FileIO(descriptor: source.descriptor, size: source.size, writing: false)
            return FormatDetection().format(of: source, io)?.name
        }
        #expect(try format(frames) == "aac")
        #expect(try format(tag + frames) == "aac")
        #expect(try format(tag + [1, 2, 3] + frames.dropFirst(3)) != "aac", "no frame follows the tag")
    }

    /// FFmpeg takes the last packet of a movie's track to be as long as the edit list.
    @Test(arguments: [["aac"], ["libopus"], ["alac"]], ["mp4", "mov"])
    func aPartOfOnePacketIsPlayed(_ codec: [String], _ type: String) throws {
        guard type == "mp4" || codec != ["libopus"] else { return }
        let film = try Film(
            name: "", type: type,
            words: Film.noise(48_000, seconds: "2") + ["-c:a"] + codec
        ).make(in: scratch)
        let whole = try Truth(film).samples(rate: 48_000)
        // Packets of 960, 1024 and 4096 samples.
        for first in [48_000, 48_300, 48_700, 49_000] {
            let start = Time(Int64(first), 48_000)
            let made = try export(
                film, "passthrough", start: start, end: start + Time(100, 48_000), in: scratch, type: type
            ) { ($0.render, $0.output.name) = (.auto, "o.\(type)") }
            let samples = try Truth(made.file).samples(rate: 48_000)
            try #require(samples.count >= 100, "from sample \(first)")
            if codec == ["alac"] { #expect(samples.prefix(100).elementsEqual(whole[first..<(first + 100)])) }
            let audio = try #require(try Truth(made.file).audio)
            #expect(audio.duration == Time(100, 48_000))
            try verify(made, in: scratch)
        }
    }

    private func channel(_ file: String, _ words: [String] = []) throws -> [Int16] {
        Signals.samples(
            try Tool.ffmpeg(words + ["-i", file, "-af", "pan=mono|c0=c0", "-f", "s16le", "-"]))
    }

    /// One channel of HE-AAC as its edit list has it played, which this machine's ffmpeg may not do.
    private func played(_ file: String) throws -> [Int16] {
        guard FFmpegFaults.isNewer else { return try channel(file) }
        struct Answer: Decodable {
            struct Packet: Decodable { var pts: Int }
            var packets: [Packet]
        }
        let first = try Tool.ffprobe(["-show_packets", file], as: Answer.self).packets.first
        // Times count the codec's own samples, of which the output has two each.
        let hidden = -2 * (try #require(first).pts)
        return Array(try channel(file, FFmpegFaults.unskippedHEAAC).dropFirst(hidden))
    }

    /// FFmpeg's decoder up to version 7 skips two samples of HE-AAC for each that the demuxer says, as it means those of the codec's own
    /// rate: a movie counts in these. Nothing of a short part was played, and the beginning of longer ones was silent.
    @Test(arguments: [(480, 600), (700, 1500), (1001, 1030)], ["m4a", "mp4", "mov"])
    func heAACIsPlayedFromTheFirstSample(_ milliseconds: (start: Int64, end: Int64), _ type: String) throws {
        let film = scratch.name("m4a")
        try Tool.ffmpeg(["-i", Paths.checkout + "/Tests/Fixtures/he-aac-v2.aac", "-c", "copy", film])
        let (start, end) = (Time(milliseconds.start, 1000), Time(milliseconds.end, 1000))
        let made = try export(film, "passthrough", start: start, end: end, in: scratch, type: type) {
            ($0.render, $0.output.name) = (.auto, "o.\(type)")
        }
        #expect(made.result.tracks.map(\.way) == [.copy])
        let output = try Truth(made.file)
        let audio = try #require(output.audio)
        #expect(audio.sample_rate == "48000")
        #expect(audio.duration == end - start)
        if !FFmpegFaults.isNewer { #expect(try abs(output.firstSample(of: audio, rate: 48_000)) <= 1) }
        let first = Int((start.seconds * 48_000).rounded())
        let length = Int(((end - start).seconds * 48_000).rounded())
        // One channel, which parametric stereo makes of both. Its noise depends on where decoding began.
        let (left, own) = (try channel(film), try played(made.file))
        try #require(own.count >= length)
        if length > 2000 {
            #expect(try abs(lag(of: Array(own.prefix(length)), in: left, at: first)) <= 1)
        }
        let off = zip(left[first...], own.prefix(length)).map { abs(Int($0) - Int($1)) }
        #expect(off.max() ?? .max < 5000, "\(off.firstIndex { $0 >= 5000 } ?? -1)")
        try verify(made, in: scratch)
    }

    /// A packet that decoders need before the in point is no track by itself: it had an edit of less than nothing.
    @Test(arguments: ["mp4", "mkv", "ts"], [RenderMode.auto, .copy])
    func audioThatEndedBeforeTheCutIsLeftOut(_ type: String, _ render: RenderMode) throws {
        let film = try Film(
            name: "", type: type,
            words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "0.98") + Film.h264()
                + ["-c:a", "aac"]
        ).make(in: scratch)
        let audio = try #require(try Truth(film).audio)
        let origin = try Truth(film).origin
        let last = try #require(try Truth(film).frameTimes().last)
        let end = max(
            last + Time(1024, 48_000), type == "mp4" ? audio.start + audio.duration - origin : .zero)
        for milliseconds: Int64 in [1, 5, 15, 100] {
            let made = try export(
                film, "passthrough", start: end + Time(milliseconds, 1000), end: Time(9, 5), in: scratch,
                type: "mp4"
            ) { ($0.render, $0.output.name) = (render, "o.mp4") }
            #expect(made.result.tracks.map(\.kind) == [.video])
            #expect(made.result.dropped.contains { $0.track == 1 })
            try verify(made, in: scratch)
        }
    }

    /// Matroska does not say how long its only packet is.
    @Test(arguments: [Time.zero, Time(1, 10)]) func onePacketOfWavPackIsAsLongAsItSays(start: Time) throws {
        let film = try Film(
            name: "", type: "wv", words: Film.noise() + ["-c:a", "wavpack", "-sample_fmt", "s16p"]
        )
        .make(in: scratch)
        let made = try export(film, "passthrough", start: start, end: Time(1, 2), in: scratch, type: "mka") {
            $0.output.name = "o.mka"
            $0.render = .auto
        }
        try verify(made, in: scratch)
        let samples = { (file: String, cut: [String]) in
            try Tool.ffmpeg(["-i", file] + cut + ["-f", "f32le", "-"])
        }
        let first = Int((start.seconds * 44_100).rounded())
        #expect(
            try samples(made.file, [])
                == samples(film, ["-af", "atrim=start_sample=\(first):end_sample=22050"]))
    }
}

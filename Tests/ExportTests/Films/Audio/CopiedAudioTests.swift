// Copied audio is recognised at its place by its packets: what was moved, encoded or cut elsewhere is not.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(60))) struct CopiedAudioTests {
    let scratch: Scratch
    private static let start = Time(21, 20)

    init() throws { scratch = try Scratch() }

    private func film(_ type: String, _ codec: String) throws -> String {
        let words = Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264()
        let sound = ["-c:a", codec, "-ac", "2", "-b:a", "128k"]
        return try Film(name: "", type: type, words: words + sound).make(in: scratch)
    }

    private func beginsWithSourcePackets(_ made: String, of input: String) throws -> Bool {
        let source = try scratch.source(input)
        let request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "o"),
            range: RangeRequest(start: .time(Self.start), end: .time(Time(3, 1))),
            preset: try preset("passthrough"))
        let ready = try Exporter(source, request).prepare(Diagnostics())
        let output = try scratch.source(made)
        let asset = try Probe.asset(of: output)
        let track = try #require(ready.asset.audioTracks.first)
        let own = try #require(asset.audioTracks.first)
        return AudioComparison(
            source: source, output: output, track: track, made: own.placed(in: asset),
            origin: ready.asset.start,
            zero: Comparison.zero(of: asset), segments: ready.range.segments, end: nil
        ).beginsWithSourcePackets
    }

    private func cut(_ input: String, _ type: String) throws -> String {
        let made = try export(
            input, "passthrough", start: Self.start, end: Time(3, 1), in: scratch, type: type
        ) {
            ($0.render, $0.output.name) = (.auto, "o.\(type)")
        }
        #expect(made.result.tracks.first { $0.kind == .audio }?.way == .copy)
        return made.file
    }

    @Test(arguments: [("mp4", "aac"), ("mkv", "aac"), ("mp4", "libmp3lame")])
    func copiesAreRecognised(_ type: String, _ codec: String) throws {
        let input = try film(type, codec)
        #expect(try beginsWithSourcePackets(cut(input, type), of: input))
    }

    @Test func othersAreNot() throws {
        let input = try film("mp4", "aac")
        let made = try cut(input, "mp4")
        func changed(_ words: [String]) throws -> String {
            let file = scratch.name("mp4")
            try Tool.ffmpeg(words + [file])
            return file
        }
        for offset in ["0.003", "-0.003"] {
            let moved = try changed([
                "-i", made, "-itsoffset", offset, "-i", made, "-map", "0:v", "-map", "1:a", "-c", "copy",
            ])
            #expect(try !beginsWithSourcePackets(moved, of: input), "\(offset) s")
        }
        #expect(
            try !beginsWithSourcePackets(changed(["-i", made, "-c:v", "copy", "-c:a", "aac"]), of: input))
        #expect(try !beginsWithSourcePackets(changed(["-ss", "1", "-i", made, "-c", "copy"]), of: input))
    }

    /// AAC in a movie whose track lacks AudioSpecificConfig: other containers need one, and decoders take it for what it is.
    @Test(arguments: ["mkv", "ts", "mp4"]) func tracksWithoutAHeaderAreGivenOne(_ type: String) throws {
        let input = try film("mp4", "aac")
        var bytes = Array(try Data(contentsOf: URL(filePath: input)))
        let box = try #require(bytes.firstRange(of: Array("esds".utf8)))
        // The descriptor's tag, behind that of the decoder's configuration: readers skip those that they do not know.
        let descriptor = try #require(bytes[box.upperBound...].firstRange(of: [5, 0x80, 0x80, 0x80]))
        bytes[descriptor.lowerBound] = 0x7F
        let bare = scratch.name("mp4")
        try Data(bytes).write(to: URL(filePath: bare))
        let made = try cut(bare, type)
        // In a transport stream, each packet has a header of its own.
        if type != "ts" { #expect(try beginsWithSourcePackets(made, of: bare)) }
        // A packet more at either end where a container has no edit list.
        let decoded = try Truth(made).samples(rate: 48_000).count
        #expect(abs(decoded - 93_600) <= 2 * 1024, "\(decoded) samples")
        let track = try #require(try Probe.asset(of: scratch.source(made)).audioTracks.first)
        #expect(track.profile == "LC" && track.audio?.channels == 2)
    }
}

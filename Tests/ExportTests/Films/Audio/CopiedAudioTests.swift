// Copied audio is recognised at its place by its packets: what was moved, encoded or cut elsewhere is not.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Export
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct CopiedAudioTests {
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

    private struct Packets: Decodable {
        struct Packet: Decodable { var data_hash: String }
        var packets: [Packet]
    }

    private func packets(_ file: String) throws -> [String] {
        let words = ["-select_streams", "a", "-show_packets", "-show_data_hash", "md5", file]
        return try Tool.ffprobe(words, as: Packets.self).packets.map(\.data_hash)
    }

    /// Matroska and WebM say what is skipped of Opus at both ends: what the encoder began with, and the rest of the last packet.
    @Test(arguments: [("webm", "20"), ("mkv", "60"), ("mka", "2.5")])
    func opusIsCopiedFromItsBeginning(_ type: String, _ milliseconds: String) throws {
        let input = try Film(
            name: "", type: type,
            words: Film.noise(48_000, seconds: "4")
                + ["-c:a", "libopus", "-b:a", "128k", "-frame_duration", milliseconds]
        ).make(in: scratch)
        let stored = Set(try packets(input))
        let cuts: [(Time, Time?, RenderMode)] = [
            (.zero, nil, .copy), (.zero, Time(2, 1), .copy), (.zero, Time(1234, 1000), .copy),
            // Padding in one of the first packets ends what FFmpeg's decoder skips.
            (.zero, Time(1, 100), .encode),
            // A decoder would need packets before the in point.
            (Time(1, 20), nil, .encode), (Self.start, Time(1234, 500), .encode),
        ]
        for (start, end, way) in cuts {
            let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: type) {
                ($0.render, $0.output.name) = (.auto, "o.\(type)")
            }
            #expect(made.result.tracks.map(\.way) == [way], "\(start) to \(end as Any)")
            if way == .copy { #expect(try packets(made.file).allSatisfy(stored.contains)) }
            let range = RangeRequest(start: .time(start), end: end.map { .time($0) })
            let report = try Comparison(try scratch.source(input), try scratch.source(made.file), range).run(
                picture: nil)
            #expect(report.exact, "\(start) to \(end as Any): \(report.findings)")
            try verify(made, in: scratch)
            guard let end, way == .copy else { continue }
            // The output of a cut is cut again where it was: its first sample is at the time of the source's, 0.
            let again = try export(made.file, "passthrough", start: .zero, end: nil, in: scratch, type: type)
            {
                ($0.render, $0.output.name) = (.auto, "p.\(type)")
            }
            let samples = try [made.file, again.file].map { try Truth($0).samples(rate: 48_000).count }
            #expect(samples[0] == samples[1] && abs(samples[0] - Int(end.seconds * 48_000)) <= 312 + 48)
        }
    }

    /// Packets of lossless codecs may be seconds long, so that cuts are encoded; what is not cut is not.
    @Test(arguments: ["flac", "wavpack", "tta"]) func losslessAudioIsEncodedOnlyWhereItIsCut(_ codec: String)
        throws
    {
        let input = try Film(
            name: "", type: "mka", words: Film.noise(48_000, seconds: "4") + ["-c:a", codec]
        ).make(in: scratch)
        for start in [Time.zero, Self.start] {
            let made = try export(input, "passthrough", start: start, in: scratch, type: "mka") {
                ($0.render, $0.output.name) = (.auto, "o.mka")
            }
            let isCopied = start == .zero && codec != "tta"
            #expect(made.result.tracks.map(\.way) == [isCopied ? .copy : .encode])
            if isCopied { #expect(try packets(made.file) == packets(input)) }
            let samples = try Truth(made.file).samples(rate: 48_000)
            #expect(samples == Array(try Truth(input).samples(rate: 48_000).suffix(samples.count)))
            #expect(abs(samples.count - Int((Time(4, 1) - start).seconds * 48_000)) <= 48)
            try verify(made, in: scratch)
        }
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

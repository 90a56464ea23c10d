// Sound files that break off: each says how long it should be, and FFmpeg reads what is there as if it were all.
import FoundationEssentials
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct DeclaredEndTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The extension, and how the file is written.
    static let kinds: [(type: String, words: [String])] = [
        ("wav", ["-c:a", "pcm_s16le"]), ("wav", ["-c:a", "pcm_s24le", "-rf64", "always"]),
        ("w64", ["-c:a", "pcm_s16le"]), ("aiff", ["-c:a", "pcm_s16be"]), ("caf", ["-c:a", "pcm_s16le"]),
        ("mp3", ["-c:a", "libmp3lame", "-b:a", "128k"]), ("mp3", ["-c:a", "libmp3lame", "-q:a", "4"]),
        ("ogg", ["-c:a", "libvorbis"]), ("opus", ["-c:a", "libopus"]), ("ogg", ["-c:a", "flac"]),
        ("flac", ["-c:a", "flac"]),
        ("flac", ["-c:a", "flac", "-ac", "6", "-sample_fmt", "s32", "-ar", "96000"]),
    ]

    private func film(_ kind: (type: String, words: [String])) throws -> [UInt8] {
        let file = scratch.name(kind.type)
        try Tool.ffmpeg(
            ["-f", "lavfi", "-i", "anoisesrc=r=44100:d=6:a=0.3:seed=5", "-metadata", "title=A title"]
                + kind.words + [file])
        return Array(try Data(contentsOf: URL(filePath: file)))
    }

    @Test(arguments: kinds.indices) func aFileThatBreaksOffSaysSo(_ index: Int) throws {
        let (type, _) = Self.kinds[index]
        let whole = try film(Self.kinds[index])
        func isTruncated(_ bytes: [UInt8]) throws -> Bool {
            try Probe.asset(of: try scratch.source(bytes: bytes, name: "a.\(type)")).faults.contains {
                $0.code == .truncated
            }
        }
        #expect(try !isTruncated(whole))
        // Where a page ends is where a stream of pages may end.
        let ends = type == "mp3" ? [2, 3, 4] : [2, 3, 4, 5, 7]
        let found = try ends.map { try isTruncated(Array(whole.prefix(whole.count * ($0 - 1) / $0))) }
        #expect(found.allSatisfy { $0 }, "\(found)")
    }

    @Test func anExportOfItWarnsAndSaysWhereItEnds() throws {
        let whole = try film(("aiff", ["-c:a", "pcm_s16be"]))
        let file = scratch.name("aiff")
        try Data(whole.prefix(whole.count / 2)).write(to: URL(filePath: file))
        let made = try export(file, "passthrough", in: scratch, type: "aiff") {
            ($0.render, $0.output.name) = (.auto, "out.aiff")
        }
        let warning = try #require(made.result.warnings.first { $0.code == .truncated })
        #expect(warning.time.map { Time(29, 10) < $0 && $0 < Time(3, 1) } == true, "\(warning)")
        #expect(throws: MediaError.self) {
            try export(file, "passthrough", in: scratch, type: "aiff") {
                ($0.render, $0.output.name, $0.strict) = (.auto, "out.aiff", true)
            }
        }
    }

    /// A program that writes to a pipe cannot go back to say how long it was.
    @Test func aFileWithoutALengthIsWhole() throws {
        let bytes = try Tool.ffmpeg([
            "-f", "lavfi", "-i", "anoisesrc=d=2", "-c:a", "pcm_s16le", "-f", "wav", "-",
        ])
        let source = try scratch.source(bytes: bytes, name: "a.wav")
        #expect(try !Probe.asset(of: source).faults.contains { $0.code == .truncated })
        for size: [UInt8] in [
            [0, 0, 0, 0], [0, 0xF0, 0xFF, 0x7F], [0xFC, 0xEF, 0xFF, 0x7F], [0xFF, 0xFF, 0xFF, 0xFF],
            [0xFE, 0xFF, 0xFF, 0x7E],
        ] {
            var bytes = bytes
            let data = try #require(bytes.firstRange(of: Array("data".utf8)))
            bytes.replaceSubrange(data.upperBound..<(data.upperBound + 4), with: size)
            let source = try scratch.source(bytes: bytes, name: "a.wav")
            #expect(DeclaredEnd.of(source, format: "wav") == nil)
        }
    }

    @Test func noBytesAreTooStrange() throws {
        var random = Seeded(7)
        let heads = ["RIFF", "RF64", "FORM", "caff", "ID3", "OggS", "\u{FF}"]
        for _ in 0..<2000 {
            var bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.replaceSubrange(
                0..<min(4, bytes.count), with: Array(heads.randomElement(using: &random)?.utf8 ?? "".utf8))
            let source = try scratch.source(bytes: bytes)
            for format in ["wav", "w64", "aiff", "caf", "mp3", "ogg"] {
                if let end = DeclaredEnd.of(source, format: format) { #expect(end >= 0) }
            }
        }
        let whole = try film(("flac", ["-c:a", "flac"]))
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0..<20 {
                bytes[Int.random(in: 4..<42, using: &random)] ^= UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<(bytes.count - 42), using: &random))
            if let found = FLACEnd(try scratch.source(bytes: bytes)) {
                #expect(0 < found.samples && found.samples <= found.total)
            }
        }
    }

    /// Where the frames of a FLAC file end, to the frame.
    @Test(arguments: [1, 2, 6]) func theLastFrameOfFLACIsFound(_ channels: Int) throws {
        let whole = try film(("flac", ["-c:a", "flac", "-ac", "\(channels)"]))
        let found = try #require(FLACEnd(try scratch.source(bytes: whole)))
        #expect(found.samples == 6 * 44_100 && found.total == 6 * 44_100 && found.rate == 44_100)
        let half = try #require(FLACEnd(try scratch.source(bytes: Array(whole.prefix(whole.count / 2)))))
        #expect(half.samples % 4608 == 0 && abs(half.times.end.seconds - 3) < 0.3, "\(half)")
        // Frames are counted by the largest block size, whatever the smallest is said to be.
        var odd = whole
        odd.replaceSubrange(8..<10, with: [0, 16])
        #expect(FLACEnd(try scratch.source(bytes: odd))?.samples == 6 * 44_100)
        // A tag before it is not looked through.
        #expect(FLACEnd(try scratch.source(bytes: Array("ID3".utf8) + whole)) == nil)
    }
}

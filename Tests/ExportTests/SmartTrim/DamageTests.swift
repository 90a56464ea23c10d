// Films with damage at one position: everything else is exported as if nothing were wrong, and the damaged part as far as it
// decodes, with a warning that gives the time; under --strict it is an error.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct DamageTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Case: CustomTestStringConvertible, Sendable {
        var type: String
        var words: [String]
        /// A frame of the first group of pictures to which others refer.
        var early = 4
        var testDescription: String { "\(words[1]) in \(type)" }
    }

    static let cases: [Case] = [
        Case(type: "mp4", words: Film.h264()),
        Case(type: "mkv", words: ["-c:v", "mpeg4", "-q:v", "3", "-g", "30"]),
        Case(type: "mov", words: ["-c:v", "mpeg2video", "-q:v", "3", "-g", "30", "-bf", "2"], early: 3),
    ]

    /// Four seconds of a group of pictures a second or so, whose frames are large enough to be damaged.
    private func film(_ film: Case, damaging frames: some Sequence<Int>) throws -> String {
        let file = try Film(
            name: "", type: film.type,
            words: Film.video(size: "320x240", seconds: "4") + film.words
        ).make(in: scratch)
        try SampleDamage(file).overwrite(frames)
        return file
    }

    private func cut(_ film: Case, _ file: String, _ frames: Range<Int>, strict: Bool) throws -> Made {
        try export(
            file, "passthrough", start: Time(Int64(frames.lowerBound), 25),
            end: Time(Int64(frames.upperBound), 25),
            in: scratch, type: film.type
        ) {
            $0.strict = strict
            ($0.render, $0.output.name) = (.auto, "out.\(film.type)")
        }
    }

    /// Multithreaded decoders, and those that hold frames back, report damage a few frames late.
    private func isNear(_ time: Time?, frame: Int) -> Bool {
        guard let time else { return false }
        return (time - Time(Int64(frame), 25)).absoluteValue <= Time(Int64(Decoder.processors + 5), 25)
    }

    /// Frames in the range refer to the damaged one.
    @Test(arguments: cases) func damageBeforeTheRangeThatFramesReferToIsReported(_ film: Case) throws {
        let file = try self.film(film, damaging: [film.early])
        let made = try cut(film, file, 20..<80, strict: false)
        let video = try #require(made.result.tracks.first)
        #expect(video.framesCopied > 20 && video.framesEncoded > 0)
        #expect(video.framesCopied + video.framesEncoded == 60)
        #expect(!made.result.warnings.contains { $0.code == .damagedMedia })
        let note = try #require(made.result.warnings.first { $0.code == .damagedBefore })
        #expect(note.time == Time(Int64(film.early), 25))
        try Verification(try scratch.source(made.file), made.result, strict: false).run()
        let error = try #require(throws: MediaError.self) { _ = try cut(film, file, 20..<80, strict: true) }
        #expect(error.code == .damagedMedia && error.time == note.time, "\(error)")
    }

    /// In a group of pictures that ends before the range nobody looks.
    @Test(arguments: cases) func damageFarFromTheRangeIsNotSeen(_ film: Case) throws {
        let file = try self.film(film, damaging: [4, 95])
        let made = try cut(film, file, 40..<80, strict: true)
        #expect(made.result.warnings.isEmpty, "\(made.result.warnings)")
        #expect(made.result.tracks.first.map { $0.framesCopied + $0.framesEncoded } == 40)
        try Verification(try scratch.source(made.file), made.result, strict: true).run()
    }

    /// For encoded and for copied video.
    @Test(arguments: cases, [24, 63]) func damageInTheRangeIsReportedWithItsTime(_ film: Case, _ frame: Int)
        throws
    {
        let file = try self.film(film, damaging: [frame])
        let made = try cut(film, file, 20..<80, strict: false)
        #expect(made.result.tracks.first.map { $0.framesCopied > 20 && $0.framesEncoded > 0 } == true)
        let note = try #require(made.result.warnings.first { $0.code == .damagedMedia })
        #expect(isNear(note.time, frame: frame), "\(note)")
        let error = try #require(throws: MediaError.self) { _ = try cut(film, file, 20..<80, strict: true) }
        #expect(error.code == .damagedMedia && isNear(error.time, frame: frame), "\(error)")
        // And the same where all is encoded.
        let encoded = try export(file, "m4v720", start: Time(4, 5), end: Time(16, 5), in: scratch)
        let other = try #require(encoded.result.warnings.first { $0.code == .damagedMedia })
        #expect(isNear(other.time, frame: frame), "\(other)")
        let refused = try refusal(file, "m4v720", start: Time(4, 5), end: Time(16, 5), in: scratch) {
            $0.strict = true
        }
        #expect(refused.code == .damagedMedia && isNear(refused.time, frame: frame), "\(refused)")
    }

    // MARK: Copied samples, once they are written

    private func check(
        _ made: Made, strict: Bool = false, pixels: Int = 512 << 20
    ) throws -> [Warning] {
        let source = try scratch.source(made.file)
        let track = try #require(try Probe.asset(of: source).tracks.first)
        let diagnostics = Diagnostics()
        try StoredCheck(
            output: source, zero: .zero,
            tracks: [StoredCheck.Stored(track: track, result: try #require(made.result.tracks.first))],
            isThorough: strict, diagnostics: diagnostics, pixels: pixels
        ).run()
        return diagnostics.warnings
    }

    @Test(arguments: cases) func whatIsCopiedIsDecoded(_ film: Case) throws {
        let file = try self.film(film, damaging: [])
        let made = try cut(film, file, 30..<90, strict: true)
        #expect(try check(made).isEmpty)
        #expect(try check(made, strict: true).isEmpty)
        // Frame 32 of the source.
        try SampleDamage(made.file).overwrite([2])
        let few = 320 * 240 * 8
        for pixels in [few, 512 << 20] {
            let note = try #require(try check(made, pixels: pixels).first)
            #expect(note.code == .damagedMedia && isNear(note.time, frame: 32), "\(note)")
        }
        let error = try #require(throws: MediaError.self) { try check(made, strict: true) }
        #expect(error.code == .damagedMedia && isNear(error.time, frame: 32))
    }

    /// Damage between the decoded positions is found only if everything is decoded.
    @Test func aSampleOfAFilmIsDecodedOrAllOfIt() throws {
        let film = Self.cases[0]
        let file = try self.film(film, damaging: [])
        let made = try cut(film, file, 0..<90, strict: true)
        try SampleDamage(made.file).overwrite([27])
        #expect(try check(made, pixels: 320 * 240 * 8).isEmpty)
        #expect(try !check(made).isEmpty)
        #expect(throws: MediaError.self) { try check(made, strict: true) }
    }

    /// Without decoding a frame: invalid lengths, and checksums.
    @Test(arguments: [
        Case(type: "mp4", words: Film.h264()),
        Case(
            type: "mkv",
            words: ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=1:keyint=20"]),
        Case(type: "mkv", words: ["-c:v", "ffv1", "-level", "3", "-slicecrc", "1", "-g", "20"]),
        Case(type: "mov", words: ["-c:v", "prores_ks"]), Case(type: "mov", words: ["-c:v", "mpeg2video"]),
        Case(type: "mkv", words: ["-c:v", "mpeg4"]),
        Case(
            type: "webm", words: ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime", "-cpu-used", "8"]),
        Case(type: "webm", words: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]),
        Case(type: "mkv", words: ["-c:v", "libtheora"]), Case(type: "mov", words: ["-c:v", "mjpeg"]),
        Case(type: "mp4", words: ["-c:v", "libsvtav1", "-preset", "12"]),
    ]) func howASampleIsBuiltIsSeen(_ film: Case) throws {
        let file = try self.film(film, damaging: [])
        let demuxer = try Demuxer(try scratch.source(file))
        let track = try #require(try Probe.asset(of: try scratch.source(file)).tracks.first)
        let header = try CodecParameters(demuxer, track: 0).extradata
        let packet = try Packet()
        var structure: SampleStructure?
        var count = 0
        while case .packet = demuxer.read(into: packet) {
            let bytes = packet.bytes
            let own = structure ?? SampleStructure(track, header: header, first: bytes)
            structure = own
            #expect(own.fault(in: bytes) == nil)
            // Overwritten throughout, as where a disk has returned another file's blocks.
            #expect(own.fault(in: [UInt8](repeating: 0xEE, count: bytes.count)) != nil)
            count += 1
        }
        #expect(count >= 90)
        if track.codec == "ffv1" {
            var bytes = packet.bytes
            if bytes.isEmpty { bytes = [0] }
            #expect(structure?.fault(in: bytes.dropLast() + [bytes[0] ^ 1]) == "has a wrong checksum")
        }
    }
}

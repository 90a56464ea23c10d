// Copied audio is decoded once by the check of a finished output: its ends need no second look where all of it was decoded and
// nothing is damaged, and get one where anything is.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct StoredAudioTests {
    let scratch: Scratch
    let made: Made
    let bytes: [UInt8]

    init() throws {
        scratch = try Scratch()
        let input = try Film(
            name: "", type: "m4a", words: Film.noise(seconds: "3") + ["-c:a", "aac", "-b:a", "128k"]
        ).make(in: scratch)
        made = try export(input, "passthrough", start: Time(1, 2), end: Time(5, 2), in: scratch) {
            $0.render = .copy
        }
        bytes = Array(try Data(contentsOf: URL(filePath: made.file)))
    }

    /// The check of the tracks, and its warnings.
    private func whole(_ bytes: [UInt8]) throws -> (last: [Int: Int64], warnings: [Warning]) {
        let source = try scratch.source(bytes: bytes, name: "out.m4a")
        let track = try #require(try Probe.asset(of: source).tracks.first)
        let diagnostics = Diagnostics()
        let last = try StoredCheck(
            output: source, zero: .zero,
            tracks: [StoredCheck.Stored(track: track, result: try #require(made.result.tracks.first))],
            isThorough: false, diagnostics: diagnostics
        ).run()
        return (last, diagnostics.warnings)
    }

    /// The bytes with noise over the last packets.
    private func damaged() throws -> [UInt8] {
        let name = try #require(bytes.firstRange(of: Array("mdat".utf8)))
        let size = bytes[(name.lowerBound - 4)..<name.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        let end = name.lowerBound - 4 + size
        var damaged = bytes
        var random = Seeded(3)
        for index in (end - 3000)..<end { damaged[index] = UInt8.random(in: 0...255, using: &random) }
        return damaged
    }

    @Test func theLastFrameOfWholeAudioIsKnown() throws {
        #expect(made.result.tracks.map(\.way) == [.copy])
        let (last, warnings) = try whole(bytes)
        let ticks = try #require(last[0])
        // Two seconds, and some priming: the last of the packets of 1024 samples.
        let length = 44_100 * 2
        #expect(((length - 2048)..<(length + 4096)).contains(Int(ticks)))
        #expect(warnings.isEmpty)
        let source = try scratch.source(bytes: bytes, name: "out.m4a")
        #expect(try Verification(source, made.result).run().isEmpty)
    }

    /// Then its ends are decoded: of audio that is said to be partly encoded, damage there is an error.
    @Test func damagedAudioIsNotTakenForWhole() throws {
        let (last, warnings) = try whole(try damaged())
        #expect(last.isEmpty)
        #expect(!warnings.isEmpty)
        var result = made.result
        let source = try scratch.source(bytes: try damaged(), name: "out.m4a")
        #expect(try !Verification(source, result).run().isEmpty)
        result.tracks[0].way = .smart
        let error = #expect(throws: MediaError.self) { try Verification(source, result).run() }
        #expect(error?.code == .verificationFailed)
        #expect(try Verification(try scratch.source(bytes: bytes, name: "out.m4a"), result).run().isEmpty)
    }

    /// A track that declares more than there is was decoded as a whole, and its end is still compared.
    @Test func audioThatEndsEarlyIsRefused() throws {
        let source = try scratch.source(bytes: bytes, name: "out.m4a")
        var result = made.result
        result.tracks[0].actual.end = result.tracks[0].actual.end + Time(1, 1)
        #expect(throws: MediaError.self) { try Verification(source, result).run() }
    }

    /// Threads start where there is enough to decode.
    @Test(arguments: [
        (25, 320, 180, true), (600, 320, 180, false), (4, 1920, 1080, true), (5, 1920, 1080, false),
        (1, 7680, 4320, false),
    ])
    func littleIsDecodedByOneThread(frames: Int, width: Int, height: Int, isOne: Bool) {
        var track = Track(index: 0, kind: .video, codec: "h264", timebase: Timebase.microseconds)
        track.video = VideoFormat(width: width, height: height, sampleAspect: Ratio(1))
        let threads = HeadTailDecoder.threads(forFrames: frames, of: track)
        #expect(threads == (isOne ? 1 : Decoder.processors))
    }
}

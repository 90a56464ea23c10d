// The work that a file may cause FFmpeg is limited: tracks, pixels, decoders. Beyond it there is an error that says so.
import Export
import FoundationEssentials
import Libav
import Media
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct LimitTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func box(_ kind: String, _ body: [UInt8]) -> [UInt8] {
        let size = 8 + body.count
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(kind.utf8) + body
    }

    private func movie(tracks: Int) throws -> String {
        let brand = box("ftyp", Array("isom".utf8) + [0, 0, 2, 0] + Array("isommp42".utf8))
        let empty = box("trak", [])
        let bytes = brand + box("moov", (0..<tracks).flatMap { _ in empty })
        let file = scratch.name("mp4")
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    @Test(arguments: [257, 100_000]) func tracksBeyondTheLimit(_ count: Int) throws {
        let error = try refusal(try movie(tracks: count), in: scratch)
        #expect(error.message.contains("more than 256 tracks"), "\(error)")
    }

    /// Else the test above could not fail.
    @Test func tracksWithinTheLimit() throws {
        let error = try refusal(try movie(tracks: 256), in: scratch)
        #expect(!error.message.contains("more than 256 tracks"), "\(error)")
    }

    @Test func aRareDecoderIsNotOpened() throws {
        let file = try Film(
            name: "", type: "avi",
            words: Film.video(seconds: "1") + ["-c:v", "magicyuv", "-pix_fmt", "gbrp"]
        ).make(in: scratch)
        let asset = try Probe.asset(of: try scratch.source(file))
        #expect(asset.tracks.first?.codec == "magicyuv")
        #expect(asset.tracks.first?.isDecodable == false)
        #expect(try refusal(file, in: scratch).code == .decoderNotFound)
    }

    @Test func anImageBeyondTheLimit() throws {
        let screen: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0xf0, 0, 0] + [0, 0, 0, 255, 255, 255]
        let picture: [UInt8] = [0x2c, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 2, 2, 0x44, 1, 0, 0x3b]
        let file = scratch.name("gif")
        try Data(Array("GIF89a".utf8) + screen + picture).write(to: URL(filePath: file))
        #expect(try refusal(file, in: scratch).code.exitCode != 0)
    }

    /// FFmpeg answers EBUSY here, and EIO where a Matroska file breaks off: neither is the machine's.
    @Test func aDamagedFileIsNotADamagedDisk() throws {
        let text = "YUV4MPEG2 W65535 H65535 F25:1 C420\nFRAME\n"
        let file = scratch.name("y4m")
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        let error = try refusal(file, in: scratch)
        #expect(error.code == .fileFailedToParse, "\(error)")
        #expect(!error.message.contains("busy"), "\(error)")
    }

    @Test func longWorkIsSeen() throws {
        let before = LibavPulse.count
        let file = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "1") + Film.h264()
        ).make(in: scratch)
        _ = try export(file, "m4v720", in: scratch)
        #expect(LibavPulse.count > before + 25)
    }
}

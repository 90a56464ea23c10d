// Audio that is whole and that this FFmpeg has no decoder for: the error says that, and does not call it damaged. Made by changing what
// headers say of plain audio.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

struct MissingDecoderTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func replace(_ old: [UInt8], by new: [UInt8], in file: String) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: file)))
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: old) })
        bytes.replaceSubrange(at..<at + old.count, with: new)
        try Data(bytes).write(to: URL(filePath: file))
    }

    private func checkRefusals(_ film: String, _ words: String) throws {
        for id in ["passthrough", "m4a", "wav"] {
            let error = try refusal(film, id, start: Time(1, 1), end: Time(2, 1), in: scratch) {
                $0.render = .auto
            }
            #expect(error.code == .decoderNotFound || error.code == .presetNotValid, "\(id): \(error)")
            #expect(error.message.contains("no decoder") && error.message.contains(words), "\(id): \(error)")
            #expect(!error.message.contains("damaged"), "\(id): \(error)")
        }
    }

    /// The bits of a sample in STREAMINFO (RFC 9639, 8.2): FFmpeg reads more than 24 from version 6 on.
    @Test(.enabled(if: !LibavBuild.codesDeepFLAC)) func flacOf32BitsHasNoDecoder() throws {
        let film = scratch.name("flac")
        try Tool.ffmpeg(Film.noise(48_000) + ["-c:a", "flac", "-sample_fmt", "s32", film])
        var bytes = Array(try Data(contentsOf: URL(filePath: film)))
        (bytes[20], bytes[21]) = (bytes[20] | 1, bytes[21] | 0xF0)
        try Data(bytes).write(to: URL(filePath: film))
        try checkRefusals(film, "flac of 32 bits")
    }

    /// AudioSpecificConfig of object type 42 (ISO/IEC 23003-3).
    @Test func extendedHEAACHasNoDecoder() throws {
        let film = scratch.name("m4a")
        try Tool.ffmpeg(Film.noise(48_000) + ["-ac", "2", "-c:a", "aac", film])
        try replace([0x11, 0x90, 0x56, 0xE5, 0x00], by: [0xF9, 0x46, 0x40, 0, 0], in: film)
        try checkRefusals(film, "aac xHE-AAC")
    }
}

// An .m4a stores its playable range twice: in the edit list, and in the item that older players read.
import Foundation
import Media
import MediaTime
import Testing

@testable import Render

struct GaplessTests {
    private struct Answer: Decodable {
        struct Format: Decodable { var tags: [String: String]? }
        struct Stream: Decodable { var duration_ts: Int64, nb_frames: String }
        var format: Format, streams: [Stream]
    }

    @Test(arguments: [false, true]) func anM4AStoresItsPlayableRange(_ optimized: Bool) throws {
        let scratch = try Scratch()
        let film = scratch.name("wav")
        try Tool.ffmpeg(Film.noise(seconds: "2") + [film])
        let made = try export(film, "m4a", start: Time(1, 3), end: Time(5, 3), in: scratch) {
            $0.preset.optimizeForNetwork = optimized
        }
        let answer = try Tool.ffprobe(["-show_format", "-show_streams", made.file], as: Answer.self)
        let words = try #require(answer.format.tags?["iTunSMPB"]).split(separator: " ").map {
            Int64($0, radix: 16)
        }
        let packets = try #require(answer.streams.first.flatMap { Int64($0.nb_frames) })
        #expect(words[1] == 1024)
        #expect(words[3] == 58_800)
        #expect(words[2] == packets * 1024 - 1024 - 58_800)
        // Readers that know both throw the delay away once.
        let samples = try Tool.ffmpeg(["-i", made.file, "-f", "s16le", "-"]).count / 2
        #expect(58_800..<58_800 + 1024 ~= samples, "FFmpeg itself keeps the last packet whole")
        try verify(made, in: scratch)
    }

    @Test func theTextIsITunesOwn() {
        let note = GaplessNote(priming: 2112, padding: 458, length: 4_190_710)
        #expect(note.text.hasPrefix(" 00000000 00000840 000001CA 00000000003FF1F6 00000000 "))
    }
}

// Exports in chunks beside the same exports in one run: the same frames at the same times, and nothing lost at the seams.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Export

struct ChunkFilmTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The times and durations of a file's video packets in decoding order, as ffprobe sees them.
    private func times(_ file: String) throws -> [Substring] {
        let words = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts,dts,duration"]
        return try Tool.output(words + ["-of", "csv=p=0", file]).split(separator: "\n")
    }

    private func shown(_ times: [Substring]) -> [String] {
        times.compactMap { line in
            let parts = line.split(separator: ",")
            return parts.count >= 3 ? "\(parts[0]) \(parts[2])" : nil
        }.sorted { (Int($0.split(separator: " ")[0]) ?? 0) < (Int($1.split(separator: " ")[0]) ?? 0) }
    }

    @Test func chunksMakeWhatOneRunDoes() throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "8") + Film.noise(seconds: "8") + Film.h264() + ["-c:a", "aac", "-shortest"]
        ).make(in: scratch)
        let whole = try export(film, "m4v480", in: scratch)
        let divided = try exportInUnits(film, "m4v480", seconds: 2, in: scratch)
        let made = try #require(divided.made, "\(divided.misfit ?? "not divided")")
        #expect(divided.plan?.units.count == 5)
        #expect(try times(made.file) == times(whole.file))
        try verify(made, in: scratch)
        #expect(made.result.tracks == whole.result.tracks)
    }
}

// Stages wait for each other; however many there are, none keeps the others from running.
import Media
import Synchronization
import Testing

@testable import Render
@testable import Source

struct StageTests {
    /// As many pairs as a film of 250 audio tracks has: each waits for the next, and the last for nobody.
    @Test(.timeLimit(.minutes(10))) func anyNumberOfStagesMayWait() throws {
        let count = 500
        let lines = (0...count).map { _ in BoundedQueue<Int, MediaError>(capacity: 1) }
        for index in 0..<count {
            Stage.start("wait \(index)") { () throws(MediaError) in
                let number = try lines[index + 1].receive() ?? 0
                _ = lines[index].send(number + 1)
            } failed: {
                lines[index].end($0)
            }
        }
        Stage.start("begin") { () throws(MediaError) in
            _ = lines[count].send(0)
        } failed: { _ in
        }
        #expect(try lines[0].receive() == count)
    }

    @Test func anErrorOfAStageIsPassedOn() throws {
        let line = BoundedQueue<Int, MediaError>(capacity: 1)
        Stage.start("fail") { () throws(MediaError) in
            throw MediaError(.unknown, "no")
        } failed: {
            line.end($0)
        }
        let error = try #require(throws: MediaError.self) { _ = try line.receive() }
        #expect(error.message == "no")
    }

    /// A film of many tracks, which were two stages each.
    @Test(.timeLimit(.minutes(10))) func aFilmOfManyTracksIsExported() throws {
        let scratch = try Scratch()
        let tracks = 140
        let film = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.noise(8000, seconds: "0.5") + (0..<tracks).flatMap { _ in ["-map", "0:a"] }
                + ["-c:a", "pcm_s16le", film])
        let made = try export(film, "m4a", in: scratch, type: "mov") {
            $0.preset.fileTypes.append("mov")
            $0.output.name = "out.mov"
        }
        #expect(made.result.tracks.count == tracks)
    }
}

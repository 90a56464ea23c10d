// Times of frames in program streams, whose packs state that of the first frame in them alone.
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(10))) struct ProgramStreamTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The frame that is cut is shown for a thousandth of a second to a half of its time, and a pack has room for several frames.
    @Test(arguments: ["mpeg1video", "mpeg2video"], ["12", "31"])
    func aShortFirstFrameKeepsItsLength(_ codec: String, _ quantizer: String) throws {
        let film = try Film(
            name: "", type: "mpg",
            words: Film.video("25", size: "64x48", seconds: "3") + [
                "-c:v", codec, "-g", "12", "-bf", "2", "-q:v", quantizer, "-an",
            ]
        ).make(in: scratch)
        let frames = try shown(film)
        for (number, before) in [
            (8, Time(1, 2000)), (12, Time(1, 1400)), (19, Time(1, 50)), (24, Time(1, 90_000)),
        ] {
            let start = try #require(frames.dropFirst(number).first).time - before
            let end = start + Time(3, 2)
            let made = try export(film, "passthrough", start: start, end: end, in: scratch, type: "mpg") {
                ($0.render, $0.output.name) = (.smart, "o.mpg")
            }
            let wanted = try expected(frames, start: start, end: end)
            let found = try shown(made.file).map(\.time)
            #expect(found.count == wanted.times.count, "frame \(number)")
            #expect(
                zip(found, wanted.times).allSatisfy { ($0 - $1).absoluteValue <= Time(1, 1000) }, "\(found)")
            try verify(made, in: scratch)
        }
    }

    /// The frames of a program stream, those without times placed by FFmpeg.
    private func shown(_ file: String) throws -> [Shown] {
        let placed = scratch.name("mkv")
        try Tool.ffmpeg(["-fflags", "+genpts", "-i", file, "-c", "copy", placed])
        return try Truth(placed).frames()
    }
}

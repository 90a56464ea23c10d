// Gaps in the audio of a movie: the last packet before one is said to last as long as the gap.
import Libav
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(10))) struct AudioGapTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Eight seconds of video, and audio that lacks two seconds from about 3 s on.
    private func film(_ type: String) throws -> String {
        let late = "if(gte(N,47),2/TB,0)"
        return try Film(
            name: "", type: type,
            words: Film.video(seconds: "8") + Film.noise(16_000, seconds: "6") + Film.h264() + [
                "-c:a", "aac", "-bsf:a", "setts=pts='PTS+\(late)':dts='DTS+\(late)'",
            ]
        ).make(in: scratch)
    }

    @Test(arguments: ["mp4", "mov"], [RenderMode.auto, .encode])
    func aRangeInsideAGapHasNoAudio(_ type: String, _ render: RenderMode) throws {
        let film = try film(type)
        let made = try export(
            film, render == .encode ? "m4v480" : "passthrough", start: Time(16, 5), end: Time(47, 10),
            in: scratch, type: render == .encode ? "m4v" : type
        ) { ($0.render, $0.output.name) = (render, nil) }
        #expect(made.result.tracks.map(\.kind) == [.video])
        #expect(made.result.dropped.contains { $0.track == 1 && $0.reason.contains("nothing in the range") })
        try verify(made, in: scratch)
    }

    @Test(arguments: ["mp4", "mov"]) func packetsAreAsLongAsTheirSamples(_ type: String) throws {
        let demuxer = try Demuxer(try scratch.source(try film(type)), quick: true)
        demuxer.select(track: 1)
        let packet = try Packet()
        var longest: Int64 = 0
        while case .packet = demuxer.read(into: packet) { longest = max(longest, packet.duration) }
        #expect(longest == 1024)
    }
}

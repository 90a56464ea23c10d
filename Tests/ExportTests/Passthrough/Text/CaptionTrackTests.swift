// Tracks of closed captions (CEA-608) of QuickTime movies: copied to movies of that type, and left out of others with the reason.
import Foundation
import Media
import MediaTime
import Testing

@testable import Render

struct CaptionTrackTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Five seconds of film. "Hello" is shown from half a second to two, and "World" from two and a half on.
    private func film() throws -> String {
        let captions = scratch.name("scc")
        // Each caption is loaded, twice every command, and shown; then the screen is erased.
        let script = """
            Scenarist_SCC V1.0

            00:00:00:15\t9420 9420 94ae 94ae 9470 9470 c8e5 ecec ef80 942f 942f

            00:00:02:00\t942c 942c

            00:00:02:15\t9420 9420 94ae 94ae 9470 9470 57ef f2ec 6480 942f 942f

            00:00:04:00\t942c 942c

            """
        try Data(script.utf8).write(to: URL(filePath: captions))
        let file = scratch.name("mov")
        try Tool.ffmpeg(
            Film.video(seconds: "5") + ["-i", captions, "-map", "0:v", "-map", "1:s"] + Film.h264()
                + ["-c:s", "copy", "-metadata:s:s:0", "language=fra", file])
        return file
    }

    private func cut(_ type: String, keep: [RangeSpelling]? = nil) throws -> Made {
        let only = keep == nil
        return try export(
            film(), "passthrough", start: only ? Time(1, 1) : nil, end: only ? Time(3, 1) : nil, in: scratch,
            type: type
        ) {
            ($0.render, $0.output.name) = (.auto, "out.\(type)")
            if let keep { $0.keep = keep }
        }
    }

    @Test func theyAreCutAndKept() throws {
        let made = try cut("mov")
        #expect(made.result.dropped.isEmpty)
        let output = try Carried.of(made.file, packets: true)
        let track = try #require(output.streams("subtitle").first)
        #expect(track.codec_name == "eia_608" && track.codec_tag_string == "c608")
        #expect(track.tags?["language"] == "fra")
        // The one on screen at the in point, its end, and the next one.
        let times = output.events(of: track.index).map { Double($0.pts_time ?? "") ?? -1 }
        #expect(times.count == 3 && zip(times, [0, 1, 1.5]).allSatisfy { abs($0 - $1) < 0.01 }, "\(times)")
        let text = scratch.name("srt")
        try Tool.ffmpeg(["-i", made.file, text])
        let shown = try String(contentsOfFile: text, encoding: .utf8)
        #expect(shown.contains("Hello") && shown.contains("World"), "\(shown)")
        try verify(made, in: scratch)
    }

    @Test func othersAreToldWhy() throws {
        let made = try cut("mp4")
        #expect(made.result.tracks.map(\.kind) == [.video])
        #expect(
            made.result.dropped.map(\.reason) == [
                ".mp4 cannot hold eia_608, and closed captions are not converted to text"
            ])
    }

    @Test func joinedPartsHaveNone() throws {
        let made = try cut(
            "mov",
            keep: [
                RangeSpelling(start: .time(.zero), end: .time(Time(1, 1))),
                RangeSpelling(start: .time(Time(2, 1)), end: .time(Time(3, 1))),
            ])
        #expect(made.result.dropped.map(\.what) == ["track 1 (subtitle, eia_608, fra)"])
    }

    /// Commands twice, as they are sent: a caption is loaded before it is shown.
    @Test func theScreenAtATimeIsWhatItsCommandsShow() {
        func sample(_ words: String) -> [UInt8] {
            words.split(separator: " ").flatMap { word -> [UInt8] in
                let value = UInt16(word, radix: 16) ?? 0
                return [0xfc, UInt8(value >> 8), UInt8(value & 255)]
            }
        }
        let (load, text, show, erase) = ("9420 9420 9470 9470", "c8e5 ecec ecec", "942f 942f", "942c 942c")
        var screen = CaptionScreen()
        var states: [[UInt8]] = []
        // Padding, a pair a frame, and the next caption that is loaded while this one is shown.
        for words in ["8080", "9420", "9420", "9470", "9470", text, show, "8080", load, "57ef", erase, show] {
            screen.take(sample(words))
            states.append(screen.commands)
        }
        let (hello, world) = (sample("9420 9470 \(text) 942f"), sample("9420 9470 57ef"))
        #expect(states[0] == [] && states[5] == sample("9420 9470 \(text)"))
        #expect(states[6] == hello && states[7] == hello)
        #expect(states[9] == hello + world && states[10] == world && states[11] == world + sample("942f"))
        // Roll-up captions are shown as they come.
        screen.take(sample("9425 9425 94ad 94ad \(text)"))
        #expect(screen.commands == sample("9425 94ad \(text)"))
        // A row that is longer than any screen keeps the command before it.
        var long = screen
        for _ in 0..<2000 { long.take(sample("c8e5")) }
        #expect(long.commands.starts(with: sample("9425")) && long.commands.count < 4000)
        var next = screen
        next.take(sample(load))
        #expect(next.commands == sample("9425 94ad \(text) 9420 9470"))
        screen.take(sample(erase))
        #expect(screen.commands == sample("9425"))
    }
}

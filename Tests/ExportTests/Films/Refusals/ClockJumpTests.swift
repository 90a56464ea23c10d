// Transport streams that were put together byte by byte: the clock of the second begins anew, so that its frames have the times of others.
import Foundation
import Media
import MediaTime
import Signals
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct ClockJumpTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Two seconds that begin at a time, and more.
    private func part(at second: Int, _ more: [String] = []) throws -> [UInt8] {
        let file = scratch.name("ts")
        try Tool.ffmpeg(
            Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + [
                "-c:v", "mpeg2video", "-q:v", "4", "-g", "12", "-bf", "2", "-c:a", "mp2",
                "-output_ts_offset", "\(second)",
            ] + more + [file])
        return [UInt8](try Data(contentsOf: URL(filePath: file)))
    }

    private func joined(_ parts: [[UInt8]]) throws -> String {
        let file = scratch.name("ts")
        try Data(Signals.joined(parts)).write(to: URL(filePath: file))
        return file
    }

    private func codes(_ file: String) throws -> [Fault.Code] {
        try Probe.asset(of: try scratch.source(file)).faults.map(\.code)
    }

    @Test func onlyAClockThatGoesBackIsAFault() throws {
        let first = try part(at: 10)
        #expect(try codes(try joined([first, try part(at: 11)])).contains(.clockJump))
        #expect(try codes(try joined([first, first])).contains(.clockJump))
        for second in [12, 20] {
            #expect(try !codes(try joined([first, try part(at: second)])).contains(.clockJump))
        }
        #expect(try !codes(try joined([first])).contains(.clockJump))
    }

    /// Of a large file only some packets are read.
    @Test func aLargeFileIsLookedAtEverywhere() throws {
        let filled = ["-muxrate", "40M"]
        let first = try part(at: 10, filled)
        try #require(first.count > 8 << 20)
        let source = try scratch.source(try joined([first, try part(at: 11, filled)]))
        let asset = try Probe.asset(of: source)
        let jump = try #require(ClockJump.all(in: source, of: asset).first)
        #expect((jump.from - Time(2, 1)).absoluteValue < Time(1, 10))
        #expect((jump.to - Time(1, 1)).absoluteValue < Time(1, 5))
        #expect(try !codes(try joined([first, try part(at: 12, filled)])).contains(.clockJump))
        #expect(try codes(try joined([first, try part(at: 11)])).contains(.clockJump), "a short last part")
    }

    /// Each is told, and warned of.
    @Test(arguments: [[], ["-muxrate", "40M"]]) func allJumpsAreFound(_ filled: [String]) throws {
        let parts = try [10, 11, 12].map { try part(at: $0, filled) }
        let film = try joined(parts)
        let source = try scratch.source(film)
        let jumps = ClockJump.all(in: source, of: try Probe.asset(of: source))
        try #require(jumps.count == 2)
        for (jump, to) in zip(jumps, [1, 2]) {
            #expect((jump.to - Time(Int64(to), 1)).absoluteValue < Time(1, 5))
            #expect((jump.from - Time(Int64(to) + 1, 1)).absoluteValue < Time(1, 5))
        }
        #expect(try codes(film).count { $0 == .clockJump } == 2)
        let made = try export(
            film, "passthrough", start: Time(22, 10), end: Time(28, 10), in: scratch, type: "mp4"
        ) { ($0.render, $0.output.name) = (.auto, "out.mp4") }
        #expect(made.result.warnings.contains { $0.message.contains("are there twice") })
    }

    /// A time in the overlap means two frames, and a cut there tells; one before or behind it is exact.
    @Test func aCutInTheOverlapWarns() throws {
        let film = try joined([try part(at: 10), try part(at: 11)])
        for (start, end, warns) in [(0, 9, false), (8, 13, true), (14, 18, true), (22, 27, false)] {
            for render in [RenderMode.smart, .encode] {
                let preset = render == .encode ? "1280x720" : "passthrough"
                let made = try export(
                    film, preset, start: Time(Int64(start), 10), end: Time(Int64(end), 10), in: scratch,
                    type: "mp4"
                ) { ($0.render, $0.output.name) = (render == .encode ? .encode : .auto, "out.mp4") }
                #expect(
                    made.result.warnings.contains { $0.message.contains("are there twice") } == warns,
                    "\(start) \(render): \(made.result.warnings)")
            }
        }
    }
}

// Frame numbers, timecodes and frame boundaries in real films.
import Glibc
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct SpelledTimeTests {
    let scratch: Scratch
    let input: String
    let times: [Time]

    init() throws {
        scratch = try Scratch()
        // A variable rate with B-frames, so that counting and storing orders differ from time.
        input = try Film(
            name: "", type: "mp4",
            words: Film.video(
                "30000/1001", seconds: "2", filters: "select='not(mod(n,3))+lt(mod(n,11),5)'")
                + Film.h264() + ["-fps_mode", "passthrough"]
        ).make(in: scratch)
        times = try Truth(input).frames().map(\.time)
    }

    private func resolve(
        _ start: TimeSpelling?, _ end: TimeSpelling?, duration: TimeSpelling? = nil, snap: Snap? = nil,
        round: CutRounding? = nil, of file: String? = nil, diagnostics: Diagnostics = Diagnostics()
    ) throws -> ResolvedRange {
        let source = try scratch.source(file ?? input)
        let request = ExportRequest(
            input: input, output: OutputTarget(folder: "/", name: nil, stem: "a"),
            range: RangeRequest(start: start, end: end, duration: duration, snap: snap, round: round),
            preset: try preset("m4v720"))
        return try TimeResolution(
            asset: try Probe.asset(of: source), source: source, diagnostics: diagnostics
        ).range(
            request)
    }

    @Test func aFrameIsCountedInTheOrderOfPresentation() throws {
        try #require(times.count > 30)
        for frame in [0, 1, 2, 7, 17, 29] {
            let range = try resolve(.frame(Int64(frame)), nil)
            #expect(range.start == times[frame])
        }
        let range = try resolve(.frame(3), .frame(20))
        #expect((range.start, range.end) == (times[3], times[20]))
        let last = try resolve(.frameFromEnd(5), .frameFromEnd(1))
        #expect((last.start, last.end) == (times[times.count - 5], times.last))
        let length = try resolve(.frame(3), nil, duration: .frame(20))
        #expect((length.start, length.end) == (times[3], times[23]))
    }

    @Test func aFrameThatIsNotThereIsRefusedWithTheirNumber() throws {
        let count = times.count
        #expect(try resolve(.frame(3), .frame(Int64(count))).start == times[3], "the end of the last frame")
        let error = try #require(throws: MediaError.self) {
            _ = try resolve(.frame(3), .frame(Int64(count) + 1))
        }
        #expect(error.code == .invalidTime)
        #expect(error.message.contains("\(count) frames"))
    }

    @Test(arguments: ["start", "duration"]) func aFrameNumberBeyondAllBoundsIsNoTrap(_ option: String)
        async throws
    {
        await #expect(processExitsWith: .success) { [input = input as String, option = option as String] in
            let descriptor = unsafe open(input, O_RDONLY)
            let source = SourceFile(
                descriptor: descriptor, size: Int64(lseek(descriptor, 0, SEEK_END)), name: "a.mp4")
            let huge = TimeSpelling.frame(.max)
            let request = ExportRequest(
                input: input, output: OutputTarget(folder: "/", name: nil, stem: "a"),
                range: RangeRequest(
                    start: option == "start" ? huge : .frame(30), duration: option == "start" ? nil : huge),
                preset: try preset("m4v720"))
            let resolution = TimeResolution(
                asset: try Probe.asset(of: source), source: source, diagnostics: Diagnostics())
            // A start is refused; a length goes to the end. Either is an answer.
            _ = try? resolution.range(request)
        }
    }

    @Test func snappingMovesBothPointsToTheNearestFrame() throws {
        let diagnostics = Diagnostics()
        let near = Time(1, 1000)
        let range = try resolve(
            .time(times[5] + near), .time(times[12] - near), snap: .frame, diagnostics: diagnostics)
        #expect((range.start, range.end) == (times[5], times[12]))
        #expect(range.requested.start == times[5] + near)
        #expect(diagnostics.warnings.map(\.code) == [.snapped])
        let error = try #require(throws: MediaError.self) {
            _ = try resolve(.time(times[5] + near), .time(times[5] + near + near), snap: .frame)
        }
        #expect(error.code == .invalidTime)
    }

    @Test(
        arguments: [(CutRounding.down, 5, 11), (.up, 6, 12), (.away, 6, 12), (.nearest, 5, 12)])
    func snappingRoundsAsAsked(rounding: CutRounding, first: Int, last: Int) throws {
        let near = Time(1, 1000)
        let range = try resolve(
            .time(times[5] + near), .time(times[12] - near), snap: .frame, round: rounding)
        #expect((range.start, range.end) == (times[first], times[last]))
    }

    @Test func aTimecodeCountsFromTheAssetsOwn() throws {
        let file = scratch.name("mov")
        try Tool.ffmpeg(
            Film.video("30000/1001", seconds: "2") + Film.h264() + ["-timecode", "01:00:00;00", file])
        func code(_ seconds: Int, _ frames: Int, hours: Int = 1) -> TimeSpelling {
            .timecode(hours: hours, minutes: 0, seconds: seconds, frames: frames, dropFrame: true)
        }
        let range = try resolve(code(0, 10), code(1, 5), of: file)
        #expect((range.start, range.end) == (Time(10 * 1001, 30_000), Time(35 * 1001, 30_000)))
        let error = try #require(throws: MediaError.self) {
            _ = try resolve(code(0, 10, hours: 0), nil, of: file)
        }
        #expect(error.message.contains("01:00:00;00"))
    }
}

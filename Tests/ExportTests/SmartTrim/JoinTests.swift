// Several parts in one output: each exact, with nothing between them, audio and video together at every join.
import Foundation
import Media
import MediaTime
import Signals
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(10))) struct JoinTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func keep(_ parts: [(Time, Time)]) -> [RangeSpelling] {
        parts.map { RangeSpelling(start: .time($0.0), end: .time($0.1)) }
    }

    /// Where each frame of the parts is shown.
    private func expected(_ shown: [Time], _ parts: [(Time, Time)]) -> [Time] {
        var at = Time.zero
        var times: [Time] = []
        for (start, end) in parts {
            let before = shown.last { $0 <= start }
            times += shown.filter { $0 < end && $0 >= before ?? start }.map { max($0, start) - start + at }
            at = at + (end - start)
        }
        return times
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var preset: String, type: String, render: RenderMode
        var testDescription: String { "\(preset) to \(type), \(render)" }
    }

    @Test(arguments: [
        Case(preset: "passthrough", type: "mp4", render: .smart),
        Case(preset: "passthrough", type: "mov", render: .auto),
        Case(preset: "m4v720", type: "m4v", render: .encode),
        Case(preset: "passthrough", type: "mkv", render: .smart),
    ]) func everyPartIsExact(_ test: Case) throws {
        let words =
            Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264() + ["-c:a", "aac"]
        let input = try Film(name: "", type: "mp4", words: words).make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        let parts = [(shown[60], shown[95]), (shown[10], shown[44]), (shown[46], shown[58] + Time(1, 50))]
        let made = try export(input, test.preset, in: scratch, type: test.type) {
            $0.render = test.render
            $0.keep = keep(parts)
            $0.output.name = "out.\(test.type)"
        }
        let video = try #require(made.result.tracks.first { $0.kind == .video })
        #expect(video.ranges?.count == 3)
        #expect(video.ranges?.map(\.start) == parts.map(\.0))
        let times = try Truth(made.file).frames().map(\.time)
        let tick = test.type == "mkv" ? Time(1, 1000) : .zero
        let wanted = expected(shown, parts)
        try #require(times.count == wanted.count)
        for (time, offset) in zip(times, wanted) {
            #expect((time - times[0] - offset).absoluteValue <= tick)
        }
        if test.render != .encode {
            #expect(video.framesCopied > 0)
            // The first part is copied from frame 60 on, a sync sample.
            let sums = try (FrameSums.of(input), FrameSums.of(made.file))
            #expect(sums.1[0] == sums.0[60])
        }
        try verify(made, in: scratch)
    }

    /// Samples of a ramp give their own position.
    @Test func audioIsContinuousToTheSample() throws {
        let input = try Film(
            name: "", type: "mov",
            words: ["-f", "lavfi", "-i", "aevalsrc=mod(n\\,30000)/32768:s=48000:d=4", "-c:a", "pcm_s16le"]
        ).make(in: scratch)
        let parts = [
            (Time(1, 10), Time(11, 10)), (Time(30_001, 48_000), Time(2, 1)), (Time(3, 1), Time(7, 2)),
        ]
        let made = try export(input, "passthrough", in: scratch, type: "mov") {
            $0.render = .auto
            $0.keep = keep(parts)
            $0.output.name = "out.mov"
        }
        let words = ["-i", made.file, "-f", "s16le", "-"]
        let raw = [UInt8](try Tool.ffmpeg(words))
        let samples = Signals.samples(raw).map { Int($0) }
        let wanted = parts.flatMap { part in
            let from = Int((part.0.seconds * 48_000).rounded())
            return (from..<Int((part.1.seconds * 48_000).rounded())).map { $0 % 30_000 }
        }
        #expect(samples == wanted)
    }

    @Test func whatIsRemovedIsAllThatIsGone() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "4") + Film.h264()
        ).make(in: scratch)
        func ranges(_ remove: [(Time, Time)], _ start: Time? = nil, _ end: Time? = nil) throws -> [TimeSpan] {
            let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: "mp4") {
                $0.render = .auto
                $0.remove = keep(remove)
                $0.output.name = "out.mp4"
            }
            let track = try #require(made.result.tracks.first)
            return track.ranges ?? [track.actual]
        }
        #expect(
            try ranges([(Time(2, 1), Time(5, 2)), (Time(1, 1), Time(3, 2))])
                == [
                    TimeSpan(start: .zero, end: Time(1, 1)), TimeSpan(start: Time(3, 2), end: Time(2, 1)),
                    TimeSpan(start: Time(5, 2), end: Time(4, 1)),
                ])
        #expect(
            try ranges([(Time(0, 1), Time(1, 1)), (Time(1, 2), Time(2, 1))])
                == [TimeSpan(start: Time(2, 1), end: Time(4, 1))])
        #expect(
            try ranges([(Time(1, 1), Time(2, 1))], Time(1, 2), Time(3, 1))
                == [
                    TimeSpan(start: Time(1, 2), end: Time(1, 1)),
                    TimeSpan(start: Time(2, 1), end: Time(3, 1)),
                ])
        let error = try refusal(input, "passthrough", in: scratch) {
            $0.remove = [RangeSpelling(start: nil, end: .end)]
            $0.render = .auto
        }
        #expect(error.code == .invalidTime)
    }
}

// Copies that begin and end anywhere: every sample as stored, and the edit list hides what is not asked for.
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(10))) struct HiddenCopyTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ more: String = "") throws -> String {
        let words =
            Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264(more) + [
                "-c:a", "aac",
            ]
        return try Film(name: "", type: "mp4", words: words).make(in: scratch)
    }

    @Test(arguments: ["mp4", "mov", "m4v"]) func theRangeIsExactAndNothingIsEncoded(_ type: String) throws {
        let input = try film()
        let shown = try Truth(input).frames().map(\.time)
        for (from, to) in [(17, 83), (31, 59), (0, 45), (66, 99)] {
            let made = try export(
                input, "passthrough", start: shown[from], end: shown[to], in: scratch, type: type
            ) {
                $0.render = .copy
                $0.output.name = "out.\(type)"
            }
            let video = try #require(made.result.tracks.first { $0.kind == .video })
            #expect(made.result.render == .copy)
            #expect(video.framesEncoded == 0)
            #expect(video.framesCopied == Int64(to - from))
            #expect((video.framesHidden ?? 0) > 0)
            let times = try Truth(made.file).frames().map(\.time)
            #expect(times == (from..<to).map { shown[$0] - shown[from] })
            let sums = try (FrameSums.of(input), FrameSums.of(made.file))
            #expect(Array(sums.0[from..<to]) == sums.1, "every frame is what it was")
            try verify(made, in: scratch)
        }
    }

    @Test func aStartInsideAFrameMovesNothingElse() throws {
        let input = try film()
        let shown = try Truth(input).frames().map(\.time)
        let start = shown[40] + Time(1, 75)
        let made = try export(input, "passthrough", start: start, end: shown[70], in: scratch, type: "mp4") {
            $0.render = .copy
            $0.output.name = "out.mp4"
        }
        #expect(made.result.notes?.contains { $0.code == .firstFrameCut } == true)
        let times = try Truth(made.file).frames().map(\.time)
        #expect(times == [.zero] + (41..<70).map { shown[$0] - start })
    }

    /// In open groups of three frames, those between two keyframes are stored after the second: near the end of a file, FFmpeg's
    /// decoder has few frames left after the keyframe where it began, and keeps the last for itself. They are read from the source;
    /// a copy that would lose them in the same way is refused.
    @Test func framesBeforeTheLastKeyframeAreThere() throws {
        let whole = try Film(
            name: "", type: "mp4",
            words: Film.video("5", seconds: "2.6")
                + Film.h264("open-gop=1:keyint=3:min-keyint=1:bframes=2:b-adapt=0:b-pyramid=normal")
        ).make(in: scratch)
        let input = scratch.name("mp4")
        // Without its IDR picture.
        try Tool.ffmpeg(["-i", whole, "-c", "copy", "-bsf:v", "noise=drop='lt(n,1)'", input])
        let shown = try Truth(input).frames().map(\.time)
        try #require(shown.count == 10)
        let origin = shown[0]
        for from in 3..<10 {
            for render in [RenderMode.smart, .copy] {
                let made: Made
                do throws(MediaError) {
                    made = try cut(input, shown[from] - origin, render)
                } catch {
                    #expect(render == .copy && error.code == .spliceFailed, "frame \(from): \(error)")
                    continue
                }
                try verify(made, in: scratch)
                #expect(made.result.warnings == [], "frame \(from)")
                #expect(try Truth(made.file).frames().map(\.time) == [.zero], "frame \(from), \(render)")
            }
        }
    }

    /// One frame.
    private func cut(_ input: String, _ start: Time, _ render: RenderMode) throws(MediaError) -> Made {
        do {
            return try export(
                input, "passthrough", start: start, end: start + Time(1, 5), in: scratch, type: "mp4"
            ) { ($0.render, $0.output.name) = (render, "out.mp4") }
        } catch let error as MediaError {
            throw error
        } catch { throw MediaError(.invalidRequest, "\(error)") }
    }

    @Test func whereNothingCanBeHiddenCopyingIsRefused() throws {
        let input = try film()
        for type in ["mkv", "ts"] {
            let error = try refusal(input, "passthrough", start: Time(1, 1), end: Time(3, 1), in: scratch) {
                $0.render = .copy
                $0.output.name = "out.\(type)"
            }
            #expect(error.code == .operationNotSupported)
            #expect(error.remedy?.contains("smart") == true)
        }
    }

    /// A sync sample lies at every 30th frame, 1.2 s.
    @Test func pointsMoveToSyncSamplesAsFarAsTheyMay() throws {
        let input = try film()
        func made(_ start: Time, _ end: Time, before: Time, after: Time) throws -> ExportResult {
            let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: "mkv") {
                $0.render = .auto
                $0.toleranceBefore = before
                $0.toleranceAfter = after
                $0.output.name = "out.mkv"
            }
            try verify(made, in: scratch)
            return made.result
        }
        let moved = try made(Time(13, 10), Time(31, 10), before: .positiveInfinity, after: .positiveInfinity)
        #expect(moved.render == .copy)
        #expect(moved.actual == TimeSpan(start: Time(6, 5), end: Time(18, 5)))
        #expect(moved.requested == TimeSpan(start: Time(13, 10), end: Time(31, 10)))
        let back = try made(Time(2, 1), Time(3, 1), before: .positiveInfinity, after: .zero)
        #expect(back.actual == TimeSpan(start: Time(6, 5), end: Time(12, 5)))
        let stays = try made(Time(13, 10), Time(3, 1), before: Time(1, 100), after: Time(1, 100))
        #expect(stays.actual == TimeSpan(start: Time(13, 10), end: Time(3, 1)))
        #expect(stays.render == .smart || stays.render == .encode)
    }
}

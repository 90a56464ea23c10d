// The search for a position to begin decoding costs what the frames up to it cost, and is limited.
import Glibc
import Libav
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

struct KeyframeIndexTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Films with gradual refresh: after the first frame there is no sync sample. Each frame was once compared with all before it.
    @Test func aLongWayToASyncSampleCostsInProportion() throws {
        func seconds(_ frames: Int) throws -> Double {
            let film = try Film(
                name: "", type: "mp4",
                words: Film.video("100", size: "32x32", seconds: "\(frames / 100)") + [
                    "-c:v", "libx264", "-preset", "ultrafast", "-x264-params",
                    "intra-refresh=1:keyint=250:bframes=0",
                ]
            ).make(in: scratch)
            let source = try scratch.source(film)
            let asset = try Probe.asset(of: source)
            var index = KeyframeIndex(
                source: source, track: try #require(asset.mainVideo), origin: asset.start)
            let began = KeyframeIndexTests.processorTime
            let windows = try #require(try index.windows(start: 200, end: nil))
            let took = KeyframeIndexTests.processorTime - began
            #expect(windows.opening.samples.count == frames && windows.opening.isToEnd)
            index.mostSamples = 300
            let few = try #require(try index.windows(start: 200, end: nil))
            #expect(few.opening.samples.count == 300 && !few.opening.isToEnd)
            return took
        }
        let (short, long) = (try seconds(2000), try seconds(16_000))
        #expect(long < 24 * short, "\(long) s for eight times the frames of \(short) s")
    }

    /// A check of many presets plans each of them; the file is read for the first one.
    @Test func windowsAreReadOnce() throws {
        let film = try Film(
            name: "", type: "mp4", words: Film.video(size: "32x32", seconds: "2") + Film.h264()
        ).make(in: scratch)
        let source = try scratch.source(film)
        let asset = try Probe.asset(of: source)
        let track = try #require(asset.mainVideo)
        let index = KeyframeIndex(source: source, track: track, origin: asset.start)
        let windows = SampleWindows()
        let read = try #require(try index.windows(start: 200, end: 9000))
        let first = try #require(try windows.windows(index, start: 200, end: 9000))
        #expect(first.opening.samples == read.opening.samples && !read.opening.samples.isEmpty)
        #expect(first.closing?.samples == read.closing?.samples)
        // Nothing can be read from here.
        let gone = SourceFile(descriptor: -1, size: source.size, name: source.name)
        let closed = KeyframeIndex(source: gone, track: track, origin: asset.start)
        let again = try #require(try windows.windows(closed, start: 200, end: 9000))
        #expect(again.opening.samples == read.opening.samples)
        #expect(throws: MediaError.self) { try windows.windows(closed, start: 201, end: 9000) }
        #expect(throws: MediaError.self) { try windows.windows(closed, start: 200, end: nil) }
    }

    /// Seconds that this thread has worked: others may have the processors too.
    private static var processorTime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Of a long span, the frames at its beginning and at its end are kept.
    @Test func whatIsKeptOfAnEncodedEndIsBounded() throws {
        let film = try Film(
            name: "", type: "mp4", words: Film.video(size: "32x32", seconds: "1") + Film.h264()
        ).make(in: scratch)
        let source = try scratch.source(film)
        let asset = try Probe.asset(of: source)
        let track = try #require(asset.mainVideo)
        var signature: FrameSignature?
        try HeadTailDecoder(source: source, track: track, origin: .zero, diagnostics: Diagnostics()).decode(
            from: .zero, needed: 0, damaged: { _ in },
            { frame in
                signature = frame.signature
                return false
            })
        let made = try #require(signature)
        func sourceFrame(_ number: Int) -> HeadTailFrames.SourceFrame {
            HeadTailFrames.SourceFrame(time: Time(Int64(number), 25), pts: Int64(number), signature: made)
        }
        for (count, isWhole, skips) in [
            (50, true, false), (50, true, true), (60, true, false), (100_000, false, false),
            (100_000, false, true),
        ] {
            var span = HeadTailFrames.Span(most: 60, beside: 10)
            for number in 0..<count {
                if skips, !span.isOpening, number < count - 15 {
                    span.skip()
                } else {
                    span.append(sourceFrame(number))
                }
            }
            span.finish(reachesEnd: true)
            #expect(span.count == count && span.kept <= 80)
            let recordedFrames = HeadTailFrames()
            recordedFrames.record(span)
            func times(_ from: Int, _ to: Int) -> [Int64]? {
                recordedFrames.frames(from: Time(Int64(from), 25), to: Time(Int64(to), 25))?.map(\.pts)
            }
            #expect(times(0, 40) == Array(0..<40))
            #expect(times(count - 8, count) == Array(Int64(count - 8)..<Int64(count)))
            #expect((times(20, count) != nil) == isWhole)
        }
    }
}

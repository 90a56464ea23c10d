// Frame times in decimals, as ffprobe prints them, mean those frames; everything else stays exact.
import Libav
import Media
import MediaTime
import Testing

@testable import Pictures
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct DecimalTimeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// 29.97 frames a second with B-frames, in ticks that hold their times exactly or round them.
    private func film(_ type: String = "mp4", scale: Int = 30_000, seconds: String = "2") throws -> String {
        try Film(
            name: "", type: type,
            words: Film.video("30000/1001", seconds: seconds) + Film.h264()
                + (type == "mp4" ? ["-video_track_timescale", "\(scale)"] : [])
        ).make(in: scratch)
    }

    private struct Resolver {
        let source: SourceFile, asset: Asset

        func range(
            _ request: RangeRequest, strict: Bool = false
        ) throws -> (range: ResolvedRange, warnings: [Warning]) {
            let diagnostics = Diagnostics()
            let range = try TimeResolution(asset: asset, source: source, diagnostics: diagnostics).range(
                request, strict: strict)
            return (range, diagnostics.warnings)
        }
    }

    private func resolver(_ file: String) throws -> Resolver {
        let source = try scratch.source(file)
        return Resolver(source: source, asset: try Probe.asset(of: source))
    }

    /// Microseconds of a time, rounded or cut off.
    private func micro(_ time: Time, _ rounding: RoundingMethod) -> Int64 {
        time.converted(to: 1_000_000, rounding: rounding).value
    }

    private func text(_ micro: Int64) -> String {
        let digits = String(micro)
        let padded = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
        return padded.dropLast(6) + "." + padded.suffix(6)
    }

    @Test(arguments: [("mp4", 30_000), ("mp4", 90_000), ("mp4", 10_000_000), ("mkv", 0), ("ts", 0)])
    func everyFrameTimeThatFFprobePrintsMeansItsFrame(_ type: String, _ scale: Int) throws {
        let file = try film(type, scale: scale)
        let resolver = try resolver(file)
        let times = try Truth(file).frames().map(\.time)
        try #require(times.count > 50)
        var moved = 0
        for (frame, time) in times.enumerated().dropFirst().dropLast() {
            for rounding in [RoundingMethod.halfAwayFromZero, .towardZero] {
                let micro = micro(time, rounding)
                let written = Time(micro, 1_000_000)
                for spelling in [text(micro), "00:00:" + text(micro).padded, text(micro) + "s"] {
                    let (range, warnings) = try resolver.range(
                        RangeRequest(start: try .parse(spelling), end: .end))
                    #expect(range.start == time, "frame \(frame) as \(spelling)")
                    #expect(range.requested.start == written)
                    #expect(warnings.map(\.code) == (written == time ? [] : [.frameMeant]), "\(spelling)")
                    moved += written == time ? 0 : 1
                }
                var kept = RangeRequest()
                kept.keep = [RangeSpelling(start: nil, end: try .parse(text(micro)))]
                #expect(try resolver.range(kept).range.end == time)
            }
        }
        // Times in whole milliseconds need nothing.
        #expect((moved > 100) == (type != "mkv"), "\(moved)")
    }

    @Test func exactSpellingsStayExact() throws {
        let file = try film()
        let resolver = try resolver(file)
        let frame = try #require(try Truth(file).frames().map(\.time).dropFirst(20).first)
        let micro = micro(frame, .halfAwayFromZero)
        let near = Time(micro, 1_000_000)
        try #require(near != frame)
        for spelling in [
            TimeSpelling.time(near), try .parse("\(micro)/1000000"), try .parse(text(micro) + "0"),
            // More than a microsecond away.
            try .parse(text(micro + 2)), try .parse(text(micro - 2)),
        ] {
            let (range, warnings) = try resolver.range(RangeRequest(start: spelling))
            #expect(range.start != frame && range.start == spelling.assetTime, "\(spelling)")
            #expect(warnings.isEmpty)
        }
    }

    @Test func lengthsAndOffsetsFromTheEndMeanFramesToo() throws {
        // 59 frames: their end has no finite decimal either.
        let file = try film(seconds: "1.95")
        let resolver = try resolver(file)
        let times = try Truth(file).frames().map(\.time)
        let duration = try #require(resolver.asset.duration)
        let (from, to) = (times[7], times[41])
        let length = try TimeSpelling.parse(text(micro(to - from, .halfAwayFromZero)))
        let start = try TimeSpelling.parse(text(micro(from, .halfAwayFromZero)))
        let (range, warnings) = try resolver.range(RangeRequest(start: start, duration: length))
        #expect((range.start, range.end) == (from, to))
        // Each kind of warning is there once, with a count.
        #expect(
            warnings.map(\.code) == [.frameMeant] && warnings.first?.message.contains("and 1 more") == true)
        let back = try TimeSpelling.parse("-" + text(micro(duration - from, .halfAwayFromZero)))
        #expect(try resolver.range(RangeRequest(start: back)).range.start == from)
        // The end of the file, rounded up.
        let end = try TimeSpelling.parse(text(micro(duration, .towardPositiveInfinity)))
        let whole = try resolver.range(RangeRequest(end: end), strict: true)
        #expect(whole.range.end == duration && whole.warnings.map(\.code) == [.frameMeant])
    }

    @Test func aCutAtAPrintedTimeIsACutAtTheFrame() throws {
        let file = try film()
        let frame = try #require(try Truth(file).frames().map(\.time).dropFirst(20).first)
        let made = try export(file, "passthrough", in: scratch, type: "mp4") {
            $0.start = try? .parse(text(micro(frame, .halfAwayFromZero)))
            $0.end = try? .parse("1.501500")
            $0.render = .auto
        }
        #expect(made.result.actual == TimeSpan(start: frame, end: Time(45 * 1001, 30_000)))
        #expect(made.result.warnings.isEmpty && made.result.notes?.map(\.code) == [.frameMeant])
        let shown = try Truth(made.file).frames()
        #expect(shown.count == 25 && shown.first?.duration == Time(1001, 30_000))
        #expect(try Truth(made.file).streams.first?.time_base == Ratio(1, 30_000))
    }

    @Test func aStillAtAPrintedTimeShowsThatFrame() throws {
        let file = try film()
        let frame = try #require(try Truth(file).frames().map(\.time).dropFirst(20).first)
        let picture = scratch.name("png")
        // Cut off, it is before the frame.
        let at = try TimeSpelling.parse(text(micro(frame, .towardZero)))
        let report = try FrameGrab(scratch.source(file), at: at, width: nil, type: .png).run(
            output: scratch.output(picture))
        #expect(report.actual == frame && report.requested == at.assetTime)
        #expect(report.warnings.map(\.code) == [.frameMeant])
    }
}

extension String {
    /// Seconds with two digits before the point.
    fileprivate var padded: String { count < 9 ? "0" + self : self }
}

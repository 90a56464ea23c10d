// Values of the methods that draw and compare for SchemaSamples: full, or with nothing that may be left out. Their numbers
// mean nothing.
import Media
import MediaTime

@testable import Wire

extension FrameParams {
    static func sample(_ full: Bool) throws -> FrameParams {
        var params = FrameParams(path: "/a.mp4", at: full ? .end : .time(Time(1, 3)))
        if full {
            (params.picture, params.overwrite, params.width) = ("/o/a.png", true, 640)
            params.preview = PreviewRequest(.png, width: 640, height: 480)
            params.variant = "lowest"
        }
        return params
    }
}

extension SheetParams {
    static func sample(_ full: Bool) throws -> SheetParams {
        var params = SheetParams(path: "/a.mp4")
        guard full else { return params }
        (params.start, params.end, params.duration) = (.time(.zero), .end, .time(Time(5, 1)))
        params.keep = [try RangeSpelling.parse("1..2")]
        params.remove = [try RangeSpelling.parse("3..4")]
        (params.snap, params.round) = (.frame, .down)
        (params.picture, params.overwrite) = ("/o/a.jpg", false)
        params.options.columns = 4
        (params.options.sheetWidth, params.options.sheetHeight) = (1280, 720)
        params.options.every = Time(10, 1)
        params.variant = "2"
        params.preview = PreviewRequest(.sixel, width: 640, height: 480)
        return params
    }
}

extension VerifyParams {
    static func sample(_ full: Bool) throws -> VerifyParams {
        var params = VerifyParams(path: "/a.mp4", output: "/a-trim.m4v")
        guard full else { return params }
        (params.start, params.end, params.duration) = (.time(.zero), .end, .time(Time(5, 1)))
        params.keep = [try RangeSpelling.parse("1..2")]
        params.remove = [try RangeSpelling.parse("3..4")]
        (params.snap, params.round) = (.frame, .down)
        (params.picture, params.overwrite) = ("/o/a.png", true)
        params.preview = PreviewRequest(.sixel, width: 640, height: 480)
        if full { params.options = .full() }
        return params
    }
}

extension FrameReport {
    static func sample(_ full: Bool) -> FrameReport {
        var report = FrameReport(
            requested: .rounded, actual: .zero, width: 320, height: 180, bytes: 9,
            warnings: full ? [Warning(.snapped, "m", time: .zero, track: 0)] : [])
        report.output = "/a-frame.png"
        if full { (report.number, report.preview) = (3, "#0") }
        return report
    }
}

extension SheetReport {
    static func sample(_ full: Bool) -> SheetReport {
        var report = SheetReport(
            ranges: [TimeSpan(start: .zero, end: .rounded)],
            tiles: [Tile(requested: .zero, actual: .rounded, mark: full ? .end : nil)], columns: 1,
            width: 256,
            height: 300, hasWaveform: full, framesDecoded: 3, bytes: 9,
            warnings: full ? [Warning(.snapped, "m", time: .zero, track: 0)] : [])
        report.output = "/a-sheet.png"
        if full { (report.peak, report.preview) = (-3.5, "#0") }
        return report
    }
}

extension ComparisonReport {
    static func sample(_ full: Bool) -> ComparisonReport {
        var report = ComparisonReport(ranges: [TimeSpan(start: .zero, end: .rounded)])
        guard full else { return report }
        var video = Video(source: 0, output: 0, every: 2)
        (video.lowestPSNR, video.meanPSNR, video.lowestAt) = (30, 40, .zero)
        report.video = video
        var audio = Audio(source: 1, output: 1, sampleRate: 48000, expected: 9, found: 9)
        (audio.lag, audio.likeness) = (-1, 0.99)
        report.audio = [audio]
        report.findings = [Finding("audioLag", "m", time: .zero, track: 1)]
        report.warnings = [Warning(.snapped, "m", time: .zero, track: 0)]
        report.picture = "/o/a.png"
        (report.pictureWidth, report.pictureHeight, report.preview) = (824, 600, "#0")
        report.exact = false
        return report
    }
}

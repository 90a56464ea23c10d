// Formats stills, contact sheets and comparisons: the output of `trimctl frame`, `sheet` and `verify`. Text only; the JSON is the
// reports themselves.
internal import Media
internal import MediaTime

/// Formats reports about frames.
enum FrameText {
    /// A still: its path first, on a separate line.
    static func page(_ report: FrameReport) -> String {
        var lines = Labelled()
        lines.add("asked", Units.clock(report.requested))
        let off = report.requested - report.actual
        let deviation =
            off == .zero
            ? ""
            : off > .zero ? ", \(Units.seconds(off)) s before" : ", \(Units.seconds(.zero - off)) s after"
        let number = report.number.map { " (\($0)f)" } ?? ""
        lines.add("frame", Units.clock(report.actual) + number + deviation)
        lines.add("size", "\(report.width)x\(report.height), \(Units.size(report.bytes))")
        add(report.warnings, to: &lines)
        return report.output + "\n" + lines.text
    }

    /// A contact sheet: its path first, on a separate line.
    static func page(_ report: SheetReport) -> String {
        var lines = Labelled()
        for range in report.ranges { lines.add("range", Units.span(range)) }
        for tile in report.tiles {
            guard let mark = tile.mark else { continue }
            lines.add(mark.rawValue, Units.clock(tile.actual))
        }
        let frames = "\(Units.count(report.tiles.count, "frame")), \(report.columns) in a row"
        let shown = (report.tiles.isEmpty ? [] : [frames]) + (report.hasWaveform ? ["the audio"] : [])
        lines.add("shows", shown.joined(separator: ", and "))
        if report.hasWaveform {
            lines.add("peak", report.peak.map { "\(Units.fixed($0, 1)) dBFS" } ?? "silent")
        }
        lines.add("size", "\(report.width)x\(report.height), \(Units.size(report.bytes))")
        lines.add("decoded", report.tiles.isEmpty ? nil : Units.count(report.framesDecoded, "frame"))
        add(report.warnings, to: &lines)
        return report.output + "\n" + lines.text
    }

    /// The comparison of a file: the result first.
    static func page(_ report: ComparisonReport, of output: String) -> String {
        var lines = Labelled()
        for range in report.ranges { lines.add("range", Units.span(range)) }
        if let video = report.video { lines.add("video", words(video)) }
        for audio in report.audio { lines.add("audio", words(audio)) }
        lines.add("errors", report.decodeErrors == 0 ? nil : "\(report.decodeErrors) while decoding")
        for finding in report.findings {
            let position = finding.time.map { "at \(Units.clock($0)) of the source: " } ?? ""
            lines.add("wrong", (position + finding.message).oneLine)
        }
        add(report.warnings, to: &lines)
        lines.add("picture", report.picture)
        let conclusion =
            report.exact ? "exactly this part of the source" : "not exactly this part of the source"
        return "\(output.oneLine): \(conclusion)\n" + lines.text
    }

    private static func words(_ video: ComparisonReport.Video) -> String {
        let every = video.every > 1 ? ", one in \(video.every) of the source's" : ""
        var rows = [
            "\(video.found) of \(Units.count(video.expected, "frame"))\(every), \(video.identical) identical"
        ]
        if video.judged > 0 {
            rows.append(
                video.matched == video.judged
                    ? "every frame matches its source"
                    : "\(video.matched) of \(Units.count(video.judged, "frame")) match their source")
        }
        if let lowest = video.lowestPSNR, let mean = video.meanPSNR {
            let position = video.lowestAt.map { " at \(Units.clock($0))" } ?? ""
            rows.append(
                "lowest PSNR \(Units.fixed(lowest, 1)) dB\(position), \(Units.fixed(mean, 1)) on average")
        }
        rows.append(
            "times off by \(Units.seconds(video.timeError)) s at most, the end by \(Units.seconds(video.endError)) s"
        )
        return rows.joined(separator: "\n")
    }

    private static func words(_ audio: ComparisonReport.Audio) -> String {
        let off = audio.found - audio.expected
        let length =
            off == 0
            ? "as long"
            : off > 0 ? "\(Units.count(off, "sample")) too long" : "\(Units.count(-off, "sample")) too short"
        guard let lag = audio.lag else {
            return "track \(audio.output): no lag was measured, \(length)"
        }
        let deviation =
            lag == 0
            ? "no lag"
            : lag > 0 ? "\(Units.count(lag, "sample")) too late" : "\(Units.count(-lag, "sample")) too early"
        return "track \(audio.output): \(deviation), \(length) (\(audio.sampleRate) Hz)"
    }

    private static func add(_ warnings: [Warning], to lines: inout Labelled) {
        for line in WarningText.lines(warnings) { lines.add("warning", line) }
    }
}

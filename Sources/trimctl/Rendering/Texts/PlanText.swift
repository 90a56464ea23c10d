// Formats the plan of an export: `trimctl export --dry-run`. Text only; the JSON is the PlanReport itself.
internal import Media
internal import MediaTime

/// Formats a plan.
struct PlanText {
    /// The complete plan, with the output first.
    func page(_ plan: PlanReport) -> String {
        var lines = Labelled()
        for input in plan.sources?.map(\.path) ?? [plan.input] { lines.add("from", input) }
        lines.add("preset", "\(plan.preset.id): \(plan.preset.name)")
        lines.add("render", RenderText.summary(plan.tracks.map { ($0.kind, $0.way) }))
        for range in plan.ranges { lines.add("range", Units.span(range)) }
        if plan.ranges.count > 1 { lines.add("length", Units.duration(plan.length.seconds)) }
        for track in plan.tracks {
            lines.add("tracks", describe(track))
            if let burned = track.burned { lines.add("", describe(burned)) }
            for span in track.spans ?? [] where track.way == .smart { lines.add("", describe(span)) }
        }
        lines.add(
            "size",
            plan.estimatedBytes.map {
                "estimated \(Units.size($0.likely)) (\(Units.size($0.low)) to \(Units.size($0.high)), 90 % interval)"
            } ?? "unknown")
        if let chunks = plan.chunks {
            let begins = chunks.map { Units.duration($0.start.seconds) }
            lines.add("chunks", "\(chunks.count), from " + begins.joined(separator: ", "))
        }
        lines.add("chunks", plan.undivided.map { "none: \($0)" })
        for line in WarningText.lines(plan.warnings) { lines.add("warning", line) }
        for line in WarningText.lines(plan.notes ?? []) { lines.add("note", line) }
        for item in plan.dropped { lines.add("dropped", "\(item.what): \(item.reason)".oneLine) }
        return "would write \(plan.output)\n" + lines.text
    }

    private func describe(_ track: PlannedTrack) -> String {
        var parts = ["track \(track.source): \(track.kind.rawValue) \(track.codec)"]
        if let width = track.width, let height = track.height { parts.append("\(width)x\(height)") }
        if let rate = track.frameRate { parts.append("\(Units.rate(rate)) frames/s") }
        if let rate = track.sampleRate { parts.append("\(rate) Hz") }
        if let channels = track.channels {
            parts.append(channels == 1 ? "mono" : channels == 2 ? "stereo" : "\(channels) channels")
        }
        switch track.way {
        case .copy: parts.append("copied")
        case .encode: parts.append(track.passes == 2 ? "encoded in two passes" : "encoded")
        case .smart, .auto: parts.append("copied, encoded at the cuts")
        }
        return parts.joined(separator: ", ") + (track.reason.map { " (\($0))" } ?? "")
    }

    private func describe(_ burned: PlannedSubtitles) -> String {
        guard let file = burned.file else {
            return "drawn on it: subtitle track \(burned.track ?? 0) (\(burned.codec))"
        }
        let events = burned.events.map {
            $0 == 1 ? ", 1 subtitle in the range" : ", \($0) subtitles in the range"
        }
        return "drawn on it: \(file) (\(burned.codec)\(events ?? ""))".oneLine
    }

    private func describe(_ span: PlannedSpan) -> String {
        let what = span.way == .copy ? "copied " : "encoded"
        let frames = span.frames.map { ", " + Units.count($0, "frame") } ?? ""
        return "\(what) \(Units.span(span.range))\(frames)"
    }
}

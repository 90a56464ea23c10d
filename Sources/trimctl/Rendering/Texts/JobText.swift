// Formats jobs: the result of an export, all details of one job, and a table. Text only; the JSON is the JobReport itself.
internal import Media
internal import MediaTime
internal import Wire

/// Formats jobs.
struct JobText {
    /// The current time, for ages.
    let now: Moment

    /// The output of a finished job: the path first, on a separate line.
    func result(_ job: JobReport) -> String {
        var lines = Labelled()
        describe(job, in: &lines)
        return job.output + "\n" + lines.text
    }

    /// All details of one job.
    func page(_ job: JobReport) -> String {
        var lines = Labelled()
        lines.add("status", WaitingText.status(job) + progress(job))
        lines.add("why", job.draining == true ? JobReport.drainingWords : nil)
        lines.add("why", job.unmet.map(WaitingText.words))
        lines.add("input", job.input)
        lines.add("", job.sourceCount.map { "and \(Units.count($0 - 1, "file")) behind it" })
        lines.add("output", job.output)
        let render = RenderText.summary(job.tracks.map { ($0.kind, $0.way) }) ?? job.render.rawValue
        lines.add("preset", "\(job.preset), \(render)")
        describe(job, in: &lines)
        if let error = job.error {
            lines.add("error", "\(ErrorText.line(error)) [\(error.code.rawValue)]".oneLine)
        }
        lines.add("after", job.after.map { "job \($0.map(String.init).joined(separator: ", "))" })
        lines.add("needs", job.needs?.joined(separator: ", "))
        lines.add("start", job.notBefore.map { "not before \($0)" })
        lines.add("again", job.retry.map { "at \($0)" })
        lines.add("created", moment(job.created))
        lines.add("started", job.started.map(moment))
        lines.add("ended", job.ended.map(moment))
        if job.attempts > 1 { lines.add("attempts", "\(job.attempts)") }
        return "job \(job.id)\n" + lines.text
    }

    private func describe(_ job: JobReport, in lines: inout Labelled) {
        let range = job.actual ?? job.requested
        if let parts = job.tracks.compactMap(\.ranges).first {
            for part in parts { lines.add("range", Units.span(part)) }
        } else {
            lines.add("range", range.map(Units.span))
        }
        if let requested = job.requested, let actual = job.actual, requested != actual {
            lines.add("asked", Units.span(requested))
        }
        for track in job.tracks { lines.add("tracks", self.track(track, in: job)) }
        lines.add("chunks", job.units.flatMap { chunks($0, job) })
        let shared = job.bytesCloned.map { ", of which \(Units.size($0)) are the source's on the disk" } ?? ""
        lines.add("size", job.bytes.map { Units.size($0) + shared })
        lines.add("took", taken(job))
        for line in WarningText.lines(job.warnings) { lines.add("warning", line) }
        for line in WarningText.lines(job.notes ?? []) { lines.add("note", line) }
        for item in job.dropped { lines.add("dropped", "\(item.what): \(item.reason)".oneLine) }
    }

    /// How many chunks are made, and were kept; nil: nothing worth saying of a job that has ended.
    private func chunks(_ units: UnitCounts, _ job: JobReport) -> String? {
        let kept = units.kept > 0 ? "resumed: \(units.kept) of \(units.total) chunks kept" : nil
        if job.status == .completed { return kept }
        let making =
            job.status == .exporting ? units.making.map { "making \($0.joined(separator: ", "))" } : nil
        return (["\(units.done) of \(units.total) made"] + [making, kept].compactMap(\.self)).joined(
            separator: "; ")
    }

    private func track(_ track: TrackResult, in job: JobReport) -> String {
        var parts = ["\(track.kind.rawValue) \(track.codec)"]
        if let width = track.width, let height = track.height { parts.append("\(width)x\(height)") }
        if let rate = track.sampleRate { parts.append("\(rate) Hz") }
        if let channels = track.channels {
            parts.append(channels == 1 ? "mono" : channels == 2 ? "stereo" : "\(channels) channels")
        }
        parts.append(RenderText.track(track))
        var text = parts.joined(separator: ", ")
        if let hidden = track.framesHidden, hidden > 0, track.kind == .video {
            text +=
                "; \(Units.count(hidden, "frame")) hidden by the edit list \(hidden == 1 ? "stays" : "stay") in the file"
        }
        if track.ranges == nil, let actual = job.actual, track.actual != actual {
            text += "; \(Units.span(track.actual))"
        }
        if let remainder = track.remainder, remainder.isNumeric, remainder != .zero {
            text += "; begins \(Units.seconds(remainder)) s from the asked point"
        }
        return text
    }

    /// The elapsed time, and its ratio to the exported duration.
    func taken(_ job: JobReport) -> String? {
        guard let seconds = elapsed(job) else { return nil }
        guard let actual = job.actual, job.status == .completed, seconds > 0.05 else {
            return Units.duration(seconds)
        }
        let length = (job.tracks.map(\.length).max() ?? actual.end - actual.start).seconds
        guard length.isFinite, length > 0 else { return Units.duration(seconds) }
        return "\(Units.duration(seconds)) (\(Units.speed(length / seconds)))"
    }

    private func elapsed(_ job: JobReport) -> Double? {
        guard let started = job.started else { return nil }
        let end = job.ended ?? (job.status == .exporting ? now : nil)
        return end.map { max(0, Double($0.milliseconds - started.milliseconds) / 1000) }
    }

    private func progress(_ job: JobReport) -> String {
        guard job.status == .exporting else { return "" }
        let state = ProgressState(job)
        let words = ProgressLine(isUnicode: false, isColored: false).words(state)
        // The word that the status has already is not repeated.
        let isSaid = words.hasPrefix(WaitingText.status(job) + " ")
        return isSaid ? String(words.dropFirst(state.word.count)) : " (\(words))"
    }

    private func moment(_ moment: Moment) -> String { "\(moment) (\(Units.age(moment, now: now)))" }

    /// A table, one job per line; in a narrow terminal a block per job.
    func table(_ jobs: [JobReport], width: Int? = nil) -> String {
        guard !jobs.isEmpty else { return "no jobs\n" }
        var table = Columns([
            ("ID", .right), ("STATUS", .left), ("DONE", .right), ("PRESET", .left), ("LENGTH", .right),
            ("MB", .right),
            ("TAKEN", .right), ("CREATED", .right), ("OUTPUT", .left),
        ])
        for job in jobs {
            let length =
                (job.tracks.map(\.length).max() ?? (job.actual ?? job.requested).map { $0.end - $0.start })?
                .seconds
            table.add([
                "\(job.id)", WaitingText.status(job), "\(Units.percent(job.progress)) %", job.preset,
                length.map { $0.isFinite ? Units.duration($0) : "-" } ?? "-",
                job.bytes.map(Units.megabytes) ?? "-",
                elapsed(job).map(Units.duration) ?? "-", Units.age(job.created, now: now), job.output,
            ])
        }
        return table.text(within: width)
    }

    /// One line with a job's outcome.
    func line(_ job: JobReport) -> String {
        switch job.status {
        case .exporting:
            "job \(job.id): \(ProgressLine(isUnicode: false, isColored: false).words(ProgressState(job)))"
        case .completed:
            "job \(job.id): completed: \(job.output)\(job.bytes.map { ", \(Units.size($0))" } ?? "")"
        case .failed:
            "job \(job.id): failed: \(job.error.map(ErrorText.line) ?? "for an unknown reason")".oneLine
        case .waiting, .cancelled, .held:
            "job \(job.id): \(WaitingText.reason(job, now: now) ?? WaitingText.word(job))"
        }
    }
}

extension JobReport {
    /// Why a job waits while the daemon drains.
    static let drainingWords = "trimd is draining, and starts no job until `trimctl drain --off`"

    /// trimctl's exit code for a command about this job.
    var exitCode: Int32 {
        switch status {
        case .completed: 0
        case .cancelled: 4
        case .failed: max(error?.code.exitCode ?? 1, 1)
        case .waiting, .exporting, .held: 0
        }
    }
}

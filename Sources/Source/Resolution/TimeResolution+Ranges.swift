// Resolves a request to the parts of the asset: one range, several kept ranges, or all except some. Checks every part against the
// asset, and moves it to frame boundaries where requested.
internal import Libav
package import Media
package import MediaTime

extension TimeResolution {
    /// The parts of the asset that an export takes, and their chapters.
    package func range(_ request: ExportRequest) throws(MediaError) -> ResolvedRange {
        try range(
            request.range, strict: request.strict, chapters: request.chapters,
            speed: request.options?.speed ?? Ratio(1))
    }

    /// The parts of the asset that a range is, and their chapters.
    /// - Parameters:
    ///   - strict: whether an end past the end of the asset is an error; otherwise it is moved, with a warning.
    ///   - chapters: the requested chapters; nil: those of the range.
    ///   - speed: how much faster than the source the output plays.
    package func range(
        _ request: RangeRequest, strict: Bool = false, chapters asked: ChapterRequest? = nil,
        speed: Ratio = Ratio(1)
    ) throws(MediaError) -> ResolvedRange {
        var range = try parts(request, strict, asked)
        range.segments = range.segments.played(at: speed)
        let marks = try asked?.marks?.map { mark throws(MediaError) in
            (time: try resolve(mark.time, as: "chapter"), title: mark.title)
        }
        let joined = range.segments.all.count > 1
        let lost = marks?.first { mark in
            !range.segments.all.contains {
                mark.time >= $0.start && mark.time < $0.end ?? .positiveInfinity
            }
        }
        if joined, let lost {
            throw MediaError(
                .invalidTime, "the chapter '\(lost.title)' begins at \(lost.time), outside the ranges",
                time: lost.time, remedy: "chapters are given in times of the source")
        }
        var chapters: [Chapter] = []
        for segment in range.segments.all {
            let end = [segment.end, asset.duration].compactMap(\.self).min()
            let here =
                if let marks {
                    try ChapterList.set(
                        joined
                            ? marks.filter { $0.time >= segment.start && $0.time < end ?? .positiveInfinity }
                            : marks,
                        start: segment.start, end: end)
                } else {
                    ChapterList.clip(asset.chapters, start: segment.start, end: end, of: asset.duration)
                }
            chapters += here.map {
                Chapter(
                    start: $0.start.played(at: speed) + segment.at,
                    end: $0.end.played(at: speed) + segment.at,
                    title: $0.title)
            }
        }
        range.chapters = chapters
        return range
    }

    private func parts(
        _ request: RangeRequest, _ strict: Bool, _ chapters: ChapterRequest?
    ) throws(MediaError) -> ResolvedRange {
        if request.end != nil, request.duration != nil {
            throw MediaError(
                .invalidRequest, "both --end and --duration are given", remedy: "give one of them")
        }
        if let keep = request.keep, !keep.isEmpty {
            var parts: [(start: Time, end: Time?)] = []
            var asked: [TimeSpan] = []
            for (index, range) in keep.enumerated() {
                let (start, end) = try ends(of: range)
                asked.append(span(start, end))
                var part = try checked(start: start.time, end: end?.time, request, strict)
                // Only the last part may go to the end of each track: a following part must know where it begins.
                if part.end == nil, index < keep.count - 1 { part.end = try known(asset.duration) }
                parts.append(part)
            }
            return ResolvedRange(
                requested: TimeSpan(
                    start: asked.map(\.start).min() ?? .zero,
                    end: asked.map(\.end).max() ?? .positiveInfinity),
                segments: Segments(parts))
        }
        var (start, end) = try ends(of: request)
        if let chapters, let (first, last) = try ChapterList.range(chapters, of: asset) {
            (start, end) = (CutPoint(first), CutPoint(last))
        }
        let asked = span(start, end)
        let whole = try checked(
            start: start.time, end: end?.time, isToEnd: request.end == .end, request, strict)
        guard let remove = request.remove, !remove.isEmpty else {
            return ResolvedRange(requested: asked, segments: Segments([whole]))
        }
        let gone = try remove.map { range throws(MediaError) in
            let (start, end) = try ends(of: range)
            return Removed(
                asked: span(start, end),
                part: try checked(start: start.time, end: end?.time, request, strict))
        }
        let parts = try parts(of: whole, without: gone.map(\.part))
        // As requested, before they were moved to frames.
        let from = gone.first { $0.part.end == parts.first?.start }?.asked.end
        let to = gone.first { $0.part.start == parts.last?.end }?.asked.start
        return ResolvedRange(
            requested: TimeSpan(start: from ?? asked.start, end: to ?? asked.end), segments: Segments(parts))
    }

    /// A range to remove, as requested and as resolved.
    private struct Removed {
        var asked: TimeSpan
        var part: (start: Time, end: Time?)
    }

    /// The rest of a range after removing the others, in order.
    private func parts(
        of whole: (start: Time, end: Time?), without removed: [(start: Time, end: Time?)]
    ) throws(MediaError) -> [(start: Time, end: Time?)] {
        let gone = removed.sorted { $0.start < $1.start }
        var parts: [(start: Time, end: Time?)] = []
        var from: Time? = whole.start
        for range in gone {
            guard let next = from else { break }
            if range.start > next, whole.end.map({ next < $0 }) ?? true {
                parts.append((next, min(range.start, whole.end ?? range.start)))
            }
            // A removed range that reaches the end of the asset leaves nothing after it.
            let end = range.end ?? asset.duration
            from = end.map { max(next, $0) }
            if range.end == nil { from = nil }
        }
        if let from, whole.end.map({ from < $0 }) ?? (asset.duration.map { from < $0 } ?? true) {
            parts.append((from, whole.end))
        }
        guard !parts.isEmpty else {
            throw MediaError(
                .invalidTime, "nothing is left: the ranges to remove cover the whole file",
                remedy: "remove less")
        }
        return parts
    }

    /// The requested range.
    private func span(_ start: CutPoint, _ end: CutPoint?) -> TimeSpan {
        TimeSpan(start: start.asked, end: end?.asked ?? asset.duration ?? .positiveInfinity)
    }

    private func ends(of range: RangeSpelling) throws(MediaError) -> (CutPoint, CutPoint?) {
        // Of playlists, names were replaced by times before.
        if let named = range.named {
            throw MediaError.noInterstitials(source.name, named, isPlaylist: false)
        }
        let start = try range.start.map { spelling throws(MediaError) in try point(spelling, as: "start") }
        if let length = range.end?.lengthAfterStart {
            let start = start ?? CutPoint(.zero)
            return (start, try end(after: start, length))
        }
        let end = try range.end.map { spelling throws(MediaError) in try point(spelling, as: "end") }
        return (start ?? CutPoint(.zero), range.end == .end ? nil : end)
    }

    private func ends(of request: RangeRequest) throws(MediaError) -> (CutPoint, CutPoint?) {
        let start =
            try request.start.map { spelling throws(MediaError) in try point(spelling, as: "start") }
            ?? CutPoint(.zero)
        if let spelling = request.end, spelling.lengthAfterStart == nil {
            return (start, try point(spelling, as: "end"))
        }
        guard let spelling = request.duration ?? request.end?.lengthAfterStart else { return (start, nil) }
        return (start, try end(after: start, spelling))
    }

    /// The end of a range by its length.
    private func end(after start: CutPoint, _ spelling: TimeSpelling) throws(MediaError) -> CutPoint {
        if let length = spelling.assetTime {
            let end = start.time + length
            return spelling.isDecimal ? meant(by: end, as: "end") : CutPoint(end)
        }
        if case .frame(let count) = spelling {
            return CutPoint(try frameTime(after: start.time, count: count))
        }
        if case .percent = spelling {
            return CutPoint(start.time + (try resolve(spelling, as: "duration")))
        }
        throw MediaError(
            .invalidTime, "the duration is not a length of time, but a distance from the end: \(spelling)",
            remedy: "write seconds, such as 12.5, or frames, such as 250f")
    }

    /// A time at a sample of the main audio track. A file without audio has no samples between which a point could lie.
    private func rounded(_ time: Time, _ rounding: CutRounding) -> Time {
        guard let audio = TrackChoice.standard.tracks(of: asset.audioTracks).first,
            let rate = audio.audio.flatMap({ Int32(exactly: $0.sampleRate) }), rate > 0
        else { return time }
        let first = audio.start ?? .zero
        let sample = max(.zero, first + (time - first).converted(to: rate, rounding: rounding.method))
        return sample.isNumeric && sample != time ? sample : time
    }

    private func noteRounding(_ asked: [(name: String, time: Time)], _ taken: [Time], _ rounding: CutRounding)
    {
        let words = zip(asked, taken).filter { $0.time != $1 }.map {
            "the \($0.name) \($0.time) was rounded \(rounding.rawValue) to \($1)"
        }
        guard let first = words.first else { return }
        let more = words.dropFirst().map { ", and \($0)" }.joined()
        diagnostics.warn(Warning(.timeRounded, "\(first)\(more): a sample of the audio", time: taken.first))
    }

    private func known(_ duration: Time?) throws(MediaError) -> Time {
        guard let duration else {
            throw MediaError(
                .invalidTime, "the file's duration is unknown", remedy: "give the end of each range")
        }
        return duration
    }

    /// A range checked against the asset and moved to frame boundaries where requested.
    private func checked(
        start: Time, end: Time?, isToEnd: Bool = false, _ request: RangeRequest, _ strict: Bool
    ) throws(MediaError) -> (start: Time, end: Time?) {
        var (start, end) = (start, end)
        if let end, end <= start {
            let what = end == start ? "is empty" : "is inverted"
            throw MediaError(
                .invalidTime, "the range \(start) to \(end) \(what)", time: start,
                remedy: "the end must be after the start")
        }
        if let duration = asset.duration {
            if start >= duration {
                let relation = start == duration ? "at" : "past"
                throw MediaError(
                    .invalidTime, "the start is \(relation) the end (\(duration.clock()))", time: start,
                    remedy: "choose an earlier start")
            }
            if let asked = end, asked > duration {
                if strict {
                    throw MediaError(
                        .invalidTime,
                        "the end is past the end of the file (\(duration.clock()))", time: asked,
                        remedy: "choose an earlier end, or leave out --strict")
                }
                // Each track ends at its own end, none later than requested.
                diagnostics.warn(
                    Warning(
                        .endClamped,
                        "the end is past the end of the file and was moved to \(duration.clock())",
                        time: asked))
                if request.keep != nil || request.remove != nil { end = duration }
            } else if isToEnd {
                end = nil
            }
        }
        guard request.snap == .frame else {
            guard let round = request.round else { return (start, end) }
            var asked = [(name: "start", time: start)]
            if let end { asked.append((name: "end", time: end)) }
            (start, end) = (rounded(start, round), end.map { rounded($0, round) })
            noteRounding(asked, [start] + [end].compactMap(\.self), round)
            if let end, end <= start {
                throw MediaError(
                    .invalidTime, "the range is empty once both points are rounded to samples", time: start,
                    remedy: "leave out --round, or choose a longer range")
            }
            return (start, end)
        }
        start = try boundary(near: start, request.round ?? .nearest)
        end = try end.map { time throws(MediaError) in try boundary(near: time, request.round ?? .nearest) }
        if let end, end <= start {
            throw MediaError(
                .invalidTime, "the range is empty once both points are moved to frame boundaries",
                time: start)
        }
        diagnostics.warn(
            Warning(
                .snapped,
                "the range was moved to the frame boundaries \(start) to \(end ?? asset.duration ?? .positiveInfinity)"
            ))
        return (start, end)
    }
}

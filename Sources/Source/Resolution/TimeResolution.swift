// Converts user input to exact asset times: frame numbers, timecodes and offsets from the end, for the given asset. Reads packet
// times where a frame number or a frame boundary is requested; decodes nothing.
internal import Codecs
package import Libav
package import Media
package import MediaTime
internal import Text

/// The parts of the asset that an export takes, resolved.
package struct ResolvedRange {
    /// As requested: from the first time to the last.
    package var requested: TimeSpan
    /// The parts to cut to, in output order.
    package var segments: Segments

    /// The in point of the first part.
    package var start: Time { segments.start }
    /// The out point of the last part; nil: every track to its own end.
    package var end: Time? { segments.end }

    /// Shorter parts may end within what a decoder skips of the first packets: FFmpeg's skips nothing more once a packet has padding.
    private static let short = Time(1, 2)

    /// Whether it is one part that takes a track from its beginning, as it is played.
    package func begins(with track: Track) -> Bool {
        let first = track.start ?? .zero
        guard segments.all.count == 1, segments.speed == Ratio(1), start <= first else { return false }
        return end.map { $0 - first >= ResolvedRange.short } ?? true
    }

    /// Whether it reaches to the end of all tracks.
    package func ends(with asset: Asset) -> Bool {
        guard let end else { return true }
        return asset.duration.map { $0 <= end } ?? false
    }

    /// The output's chapters, in output time.
    package var chapters: [Chapter]?
}

/// Resolves the times of a request.
package struct TimeResolution {
    package let asset: Asset
    package let source: SourceFile
    package let diagnostics: Diagnostics

    package init(asset: Asset, source: SourceFile, diagnostics: Diagnostics) {
        self.asset = asset
        self.source = source
        self.diagnostics = diagnostics
    }

    /// A point in time: the frame that is meant, where it is spelled in decimals.
    package func resolve(_ spelling: TimeSpelling, as name: String) throws(MediaError) -> Time {
        try point(spelling, as: name).time
    }

    /// A point in time, as requested and as meant.
    package func point(_ spelling: TimeSpelling, as name: String) throws(MediaError) -> CutPoint {
        let asked = try exact(spelling, as: name)
        return spelling.isDecimal ? meant(by: asked, as: name) : CutPoint(asked)
    }

    private func exact(_ spelling: TimeSpelling, as name: String) throws(MediaError) -> Time {
        do throws(TimeError) {
            return try spelling.resolve(
                duration: asset.duration,
                frameTime: { number, isFromEnd throws(TimeError) in
                    try isFromEnd ? self.time(ofFrameFromEnd: number) : self.time(ofFrame: number)
                },
                timecode: { h, m, s, f, drop throws(TimeError) in
                    try self.time(ofTimecode: (h, m, s, f), drop: drop)
                })
        } catch {
            throw MediaError(.invalidTime, "the \(name) \(spelling): \(error.message)")
        }
    }

    /// The time of a frame of the main video track, counted from 0 in presentation order.
    private func time(ofFrame number: Int64) throws(TimeError) -> Time {
        guard let track = asset.mainVideo else {
            throw TimeError(.needsVideo, "frames can be counted only in a file with video")
        }
        guard number >= 0 else { throw TimeError(.outOfRange, "frames are counted from 0") }
        // Decoding order differs from presentation order by far fewer frames than this.
        let times = presentationTimes(track, from: nil, count: Int(clamping: min(number, .max - 64)) + 64)
        guard number < times.count else {
            if number == times.count, let end = asset.duration { return end }
            throw TimeError(.outOfRange, "the video has \(quantity(times.count, "frame")), numbered from 0")
        }
        return times[Int(number)]
    }

    /// The time of a frame of the main video track, counted back from the end: 1 is the last one, 0 the end.
    private func time(ofFrameFromEnd number: Int64) throws(TimeError) -> Time {
        guard let track = asset.mainVideo else {
            throw TimeError(.needsVideo, "frames can be counted only in a file with video")
        }
        if let time = self.time(ofLateFrame: number, of: track) { return time }
        let times = presentationTimes(track, from: nil, count: .max)
        guard number <= times.count else {
            throw TimeError(.outOfRange, "the video has \(quantity(times.count, "frame"))")
        }
        if number > 0 { return times[times.count - Int(number)] }
        guard let end = asset.duration else {
            throw TimeError(.needsDuration, "the file's duration is not known; count from the start")
        }
        return end
    }

    /// The time of a frame of the last two seconds, counted back from the end, which is found without reading the whole file; nil where
    /// it is not among them, and where the clock of a stream goes back: there the last frame may be anywhere.
    private func time(ofLateFrame number: Int64, of track: Track) -> Time? {
        guard number > 0, let end = asset.duration, !asset.faults.contains(where: { $0.code == .clockJump })
        else { return nil }
        let times = presentationTimes(track, from: end, count: 0)
        guard number <= times.count else { return nil }
        let time = times[times.count - Int(number)]
        return time >= end - Time(2, 1) ? time : nil
    }

    private func time(ofTimecode t: (Int, Int, Int, Int), drop: Bool) throws(TimeError) -> Time {
        guard let video = asset.mainVideo, let rate = video.video?.frameRate else {
            throw TimeError(.needsVideo, "a timecode needs a file with video and a frame rate")
        }
        let base = asset.timecode
        guard let known = TimecodeRate.counting(rate, dropFrame: drop) else {
            throw TimeError(
                .noSuchTimecode,
                "there is no \(drop ? "drop-frame " : "")timecode at \(rate) frames a second; write seconds")
        }
        let wanted = try Timecode(hours: t.0, minutes: t.1, seconds: t.2, frames: t.3, rate: known)
        var first: Int64 = 0
        if let base,
            case .timecode(let h, let m, let s, let f, let baseDrop)? = try? TimeSpelling.parse(base),
            let baseRate = TimecodeRate.counting(rate, dropFrame: baseDrop)
        {
            guard baseDrop == drop else { throw .counted(otherwise: base, isDropFrame: baseDrop) }
            first = try Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: baseRate).frameNumber
        }
        guard wanted.frameNumber >= first else {
            throw TimeError(.outOfRange, "the file's timecode begins at \(base ?? "00:00:00:00")")
        }
        return known.frameDuration.multiplied(by: wanted.frameNumber - first, over: 1)
    }

    package func frameTime(after start: Time, count: Int64) throws(MediaError) -> Time {
        guard let track = asset.mainVideo else {
            throw MediaError(
                .invalidTime, "frames can be counted only in a file with video", remedy: "write seconds")
        }
        let times = presentationTimes(track, from: nil, count: .max)
        guard let first = times.lastIndex(where: { $0 <= start }) ?? (times.isEmpty ? nil : 0) else {
            throw MediaError(.invalidTime, "the video has no frames")
        }
        guard count >= 0 else {
            throw MediaError(.invalidTime, "a length of \(quantity(count, "frame")) is none")
        }
        guard count < times.count - first else { return asset.duration ?? .positiveInfinity }
        return times[first + Int(count)]
    }

    /// The frame boundary of a time: the nearest, of two equally near ones the earlier; or the one before or behind it.
    package func boundary(near time: Time, _ rounding: CutRounding = .nearest) throws(MediaError) -> Time {
        guard let track = asset.mainVideo else {
            throw MediaError(
                .invalidRequest, "--snap frame needs a file with video", remedy: "leave it out")
        }
        var times = presentationTimes(track, from: time, count: 0)
        if let end = asset.duration { times.append(end) }
        let found =
            switch rounding {
            case .nearest: times.min { ($0 - time).absoluteValue < ($1 - time).absoluteValue }
            case .down: times.last { $0 <= time }
            case .up, .away: times.first { $0 >= time }
            }
        return found ?? time
    }

    /// Asset times of a video track's frames in presentation order: the first `count` ones, or those around a time.
    package func presentationTimes(_ track: Track, from time: Time?, count: Int) -> [Time] {
        guard let samples = try? SampleReader(source), let packet = try? Packet() else { return [] }
        samples.select(track: track.index)
        let shown = ShownFrames(source, track, origin: asset.start)
        var stop: Time?
        if let time {
            // Two seconds to each side contain a frame in everything except slide shows, which are read from the beginning.
            stop = time + Time(2, 1)
            let before = time - Time(2, 1) + asset.start
            if before > asset.start {
                _ = samples.seek(
                    track: track.index,
                    toTicks: track.timebase.ticks(of: before, rounding: .towardNegativeInfinity).ticks)
            }
        }
        var seen: Set<Int64> = []
        while seen.count < count || stop != nil {
            guard case .packet = samples.read(into: packet) else { break }
            guard packet.track == track.index, shown.contains(packet), let pts = packet.pts else { continue }
            seen.insert(pts)
            let decoding = packet.dts ?? pts
            if let limit = stop, track.timebase.time(ofTicks: decoding) - asset.start > limit {
                stop = nil; if count == 0 { break }
            }
        }
        return seen.sorted().map { track.timebase.time(ofTicks: $0) - asset.start }
    }

    /// Presentation times, in ticks, of the frames of a range, including the frame before it.
    package func ticks(_ track: Track, _ range: ResolvedRange) throws(MediaError) -> [Int64] {
        let reader = try TrackReader.open(
            source, track: track, origin: asset.start, at: range.segments.hull.start, back: Time(2, 1))
        guard let packet = try? Packet() else { return [] }
        let (start, end) = range.segments.hull
        let first = track.timebase.ticks(of: start + asset.start, rounding: .towardNegativeInfinity)
            .ticks
        let last = end.map {
            track.timebase.ticks(of: $0 + asset.start, rounding: .towardPositiveInfinity).ticks
        }
        let codec = track.videoCodec
        var times: [Int64] = []
        while reader.read(into: packet, diagnostics) {
            guard !packet.isDiscarded, !packet.isSecondField, !codec.isNonShown(packet), let pts = packet.pts
            else { continue }
            if let last, let dts = packet.dts, dts >= last { break }
            if last.map({ pts < $0 }) ?? true { times.append(pts) }
        }
        times.sort()
        let from = times.lastIndex { $0 <= first } ?? 0
        return Array(times.dropFirst(from))
    }
}

// Resolves a request to the parts of the asset: one range, several kept ranges, or all except some. Checks every part against the
// asset, and moves it to frame boundaries where requested.
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
                segments: segments(parts))
        }
        var (start, end) = try ends(of: request)
        if let chapters, let (first, last) = try ChapterList.range(chapters, of: asset) {
            (start, end) = (CutPoint(first), CutPoint(last))
        }
        let asked = span(start, end)
        let whole = try checked(
            start: start.time, end: end?.time, isToEnd: request.end == .end, request, strict)
        guard let remove = request.remove, !remove.isEmpty else {
            return ResolvedRange(requested: asked, segments: segments([whole]))
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
            requested: TimeSpan(start: from ?? asked.start, end: to ?? asked.end), segments: segments(parts))
    }

    /// Ranges in order, divided where films of their own meet; what is behind the end of the last of these is none of it.
    package func segments(_ ranges: [(start: Time, end: Time?)]) -> Segments {
        guard let films = source.joined?.films else { return Segments(ranges) }
        return Segments(
            ranges.map { ($0.start, $0.end ?? films.end - asset.start) },
            seams: films.seams.map { $0 - asset.start })
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

// The frame timing of a range: input for a cap on the frame rate and for the check of its result.
extension TimeResolution {
    /// The timing of a video track's frames in a range, including the frame before it.
    package func timing(_ track: Track, _ range: ResolvedRange) throws(MediaError) -> FrameTiming {
        let times = try ticks(track, range)
        var timing = FrameTiming(
            times: times, timebase: track.timebase,
            nominal: [track.video?.frameRate].compactMap(\.self))
        // One interval shows no pattern: the whole track's timing counts.
        if Set(times).count < 3, track.video?.isVariable == true { timing.isVariable = true }
        // The rate of a camera's clock wanders: the cap counts by that of the whole track.
        if timing.isSteady, let own = timing.rate?.value, let rate = track.video?.frameRate,
            abs(rate.value / own - 1) < 0.01
        {
            timing.rate = rate
        }
        return timing
    }

    /// Asset times of a video track's frames, in order.
    package func times(_ track: Track) -> [Time] { presentationTimes(track, from: nil, count: .max) }
}

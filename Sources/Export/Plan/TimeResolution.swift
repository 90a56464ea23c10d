// From what a user wrote to exact asset times: frame numbers, timecodes and distances from the end, for the asset at
// hand. Reads packets' times where a frame number or a frame boundary is asked for; decodes nothing.
internal import Libav
internal import Media
internal import MediaTime

/// The range of an export, resolved.
struct ResolvedRange {
    /// As it was asked for.
    var requested: TimeSpan
    /// The in point to cut at.
    var start: Time
    /// The out point to cut at; nil: every track to its own end.
    var end: Time?
    /// The output's chapters, from its own zero.
    var chapters: [Chapter]?
}

/// Resolves the times of a request.
struct TimeResolution {
    let asset: Asset
    let source: SourceFile
    let notes: Notes

    /// The range a request means.
    func range(_ request: ExportRequest) throws(MediaError) -> ResolvedRange {
        if request.end != nil, request.duration != nil {
            throw MediaError(
                .invalidRequest, "both --end and --duration are given", remedy: "give one of them")
        }
        var start =
            try request.start.map { spelling throws(MediaError) in try resolve(spelling, as: "start") }
            ?? .zero
        var end: Time?
        if let spelling = request.end {
            end = try resolve(spelling, as: "end")
        } else if let spelling = request.duration {
            if case .time(let length) = spelling {
                end = start + length
            } else if case .frame(let count) = spelling {
                end = try frameTime(after: start, count: count)
            } else {
                throw MediaError(
                    .invalidTime, "the duration \(spelling) is not a length of time",
                    remedy: "write seconds, such as 12.5, or frames, such as 250f")
            }
        }
        if let request = request.chapters, let (first, last) = try ChapterList.range(request, of: asset) {
            (start, end) = (first, last)
        }
        let asked = TimeSpan(start: start, end: end ?? asset.duration ?? .positiveInfinity)
        if let end, end <= start {
            let what = end == start ? "is empty" : "is inverted"
            throw MediaError(
                .invalidTime, "the range \(start) to \(end) \(what)", time: start,
                remedy: "the end must be after the start")
        }
        if let duration = asset.duration {
            if start >= duration {
                throw MediaError(
                    .invalidTime, "the start \(start) is at or beyond the asset's end", time: start,
                    remedy: "the asset is \(duration) s long (\(duration.clock()))")
            }
            if let asked = end, asked > duration {
                if request.strict {
                    throw MediaError(
                        .invalidTime, "the end \(asked) is beyond the asset's end", time: asked,
                        remedy: "the asset is \(duration) s long")
                }
                // Each track ends where it ends, and none later than asked.
                notes.warn(
                    Warning(
                        "endClamped",
                        "the end \(asked) is beyond the asset's end and was moved to \(duration)", time: asked
                    ))
            } else if request.end == .end {
                end = nil
            }
        }
        if request.snap == .frame {
            start = try boundary(near: start)
            end = try end.map { time throws(MediaError) in try boundary(near: time) }
            if let end, end <= start {
                throw MediaError(
                    .invalidTime, "the range is empty once both points are moved to frame boundaries",
                    time: start)
            }
            notes.warn(
                Warning(
                    "snapped",
                    "the range was moved to the frame boundaries \(start) to \(end ?? asset.duration ?? .positiveInfinity)"
                ))
        }
        var range = ResolvedRange(requested: asked, start: start, end: end)
        let last = [end, asset.duration].compactMap(\.self).min()
        if let marks = request.chapters?.marks {
            var times: [(time: Time, title: String)] = []
            for mark in marks { times.append((try resolve(mark.time, as: "chapter"), mark.title)) }
            range.chapters = try ChapterList.set(times, start: start, end: last)
        } else {
            range.chapters = ChapterList.clip(asset.chapters, start: start, end: last)
        }
        return range
    }

    /// The asset time a spelling means.
    func resolve(_ spelling: TimeSpelling, as name: String) throws(MediaError) -> Time {
        do throws(TimeError) {
            return try spelling.resolve(
                duration: asset.duration,
                frameTime: { number throws(TimeError) in try self.time(ofFrame: number) },
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
            throw TimeError(.needsVideo, "frames can be counted only in an asset with video")
        }
        guard number >= 0 else { throw TimeError(.outOfRange, "frames are counted from 0") }
        // Frames are stored in another order than they are shown in, by far less than this many.
        let times = presentationTimes(track, from: nil, count: Int(clamping: min(number, .max - 64)) + 64)
        guard number < times.count else {
            if number == times.count, let end = asset.duration { return end }
            throw TimeError(.outOfRange, "the video has \(times.count) frames, numbered from 0")
        }
        return times[Int(number)]
    }

    private func time(ofTimecode t: (Int, Int, Int, Int), drop: Bool) throws(TimeError) -> Time {
        guard let video = asset.mainVideo, let rate = video.video?.frameRate else {
            throw TimeError(.needsVideo, "a timecode needs an asset with video and a frame rate")
        }
        let base = asset.timecode
        guard let known = TimecodeRate.rate(for: rate, dropFrame: drop) else {
            throw TimeError(
                .noSuchTimecode,
                "there is no \(drop ? "drop-frame " : "")timecode at \(rate) frames a second; write seconds")
        }
        let wanted = try Timecode(hours: t.0, minutes: t.1, seconds: t.2, frames: t.3, rate: known)
        var first: Int64 = 0
        if let base,
            case .timecode(let h, let m, let s, let f, let baseDrop)? = try? TimeSpelling.parse(base),
            let baseRate = TimecodeRate.rate(for: rate, dropFrame: baseDrop)
        {
            first = try Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: baseRate).frameNumber
        }
        guard wanted.frameNumber >= first else {
            throw TimeError(.outOfRange, "the asset's timecode begins at \(base ?? "00:00:00:00")")
        }
        return known.frameDuration.multiplied(by: wanted.frameNumber - first, over: 1)
    }

    private func frameTime(after start: Time, count: Int64) throws(MediaError) -> Time {
        guard let track = asset.mainVideo else {
            throw MediaError(
                .invalidTime, "frames can be counted only in an asset with video", remedy: "write seconds")
        }
        let times = presentationTimes(track, from: nil, count: .max)
        guard let first = times.lastIndex(where: { $0 <= start }) ?? (times.isEmpty ? nil : 0) else {
            throw MediaError(.invalidTime, "the video has no frames")
        }
        guard count >= 0 else { throw MediaError(.invalidTime, "a length of \(count) frames is none") }
        guard count < times.count - first else { return asset.duration ?? .positiveInfinity }
        return times[first + Int(count)]
    }

    /// The frame boundary nearest to a time; of two equally near ones, the earlier.
    private func boundary(near time: Time) throws(MediaError) -> Time {
        guard let track = asset.mainVideo else {
            throw MediaError(
                .invalidRequest, "--snap frame needs an asset with video", remedy: "leave it out")
        }
        var times = presentationTimes(track, from: time, count: 0)
        if let end = asset.duration { times.append(end) }
        return times.min { ($0 - time).absoluteValue < ($1 - time).absoluteValue } ?? time
    }

    /// Asset times of a video track's frames in presentation order: the first `count` ones, or those around a time.
    private func presentationTimes(_ track: Track, from time: Time?, count: Int) -> [Time] {
        guard let demuxer = try? Demuxer(source), let packet = try? Packet() else { return [] }
        demuxer.select(track: track.index)
        var stop: Time?
        if let time {
            // Two seconds to each side hold a frame in all but slide shows; those are read from the beginning.
            stop = time + Time(2, 1)
            let before = time - Time(2, 1) + asset.start
            if before > asset.start {
                _ = demuxer.seek(
                    track: track.index,
                    toTicks: track.timebase.ticks(of: before, rounding: .towardNegativeInfinity).ticks)
            }
        }
        var seen: Set<Int64> = []
        while seen.count < count || stop != nil {
            guard case .packet = demuxer.read(into: packet) else { break }
            guard packet.track == track.index, !packet.isDiscarded, let pts = packet.pts else { continue }
            seen.insert(pts)
            let decoding = packet.dts ?? pts
            if let limit = stop, track.timebase.time(ofTicks: decoding) - asset.start > limit {
                stop = nil; if count == 0 { break }
            }
        }
        return seen.sorted().map { track.timebase.time(ofTicks: $0) - asset.start }
    }

    /// Presentation times, in ticks, of the frames of a range and of the one before it.
    func ticks(_ track: Track, _ range: ResolvedRange) throws(MediaError) -> [Int64] {
        let reader = try TrackReader.open(
            source, track: track, origin: asset.start, at: range.start, back: Time(2, 1))
        guard let packet = try? Packet() else { return [] }
        let first = track.timebase.ticks(of: range.start + asset.start, rounding: .towardNegativeInfinity)
            .ticks
        let last = range.end.map {
            track.timebase.ticks(of: $0 + asset.start, rounding: .towardPositiveInfinity).ticks
        }
        var times: [Int64] = []
        while reader.read(into: packet, notes) {
            guard !packet.isDiscarded, let pts = packet.pts else { continue }
            if let last, let dts = packet.dts, dts >= last { break }
            if last.map({ pts < $0 }) ?? true { times.append(pts) }
        }
        times.sort()
        let from = times.lastIndex { $0 <= first } ?? 0
        return Array(times.dropFirst(from))
    }
}

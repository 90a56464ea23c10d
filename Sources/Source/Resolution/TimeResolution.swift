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

// Checks the times of a list against an asset: starts past the end, empty ranges, and timecodes at the list's own rate. Does not
// look up frames: the worker checks whether a frame number exists. Pure.
internal import Lists
internal import Media
internal import MediaTime
internal import Wire

/// Checks and resolves times.
struct BatchTimes {
    let asset: Media.Asset

    private var times: ListedTimes { ListedTimes(asset) }

    /// Sets the times of a list in a request, converted to asset times where the list counts differently.
    func apply(_ listed: ListedExport, into request: inout SubmitParams) throws(MediaError) {
        request.start = try times.placed(listed.start, listed)
        request.end = try times.placed(listed.end, listed)
        request.duration = listed.duration
        guard let keep = listed.keep else { return }
        var parts: [RangeSpelling] = []
        for part in keep {
            guard part.named == nil else {
                parts.append(part)
                continue
            }
            parts.append(
                RangeSpelling(
                    start: try times.placed(part.start, listed), end: try times.placed(part.end, listed)))
        }
        request.keep = parts
    }

    /// Throws if the range cannot be exported; returns its duration in seconds, where known.
    func check(_ request: SubmitParams) throws(MediaError) -> Double? {
        guard let parts = request.keep else {
            return try length(request.start, request.end, request.duration, request.strict == true)
        }
        var sum = 0.0
        // Only the source knows how long these are.
        if parts.contains(where: { $0.named != nil }) { return nil }
        for part in parts { sum += try length(part.start, part.end, nil, request.strict == true) ?? 0 }
        return sum
    }

    private func length(
        _ start: TimeSpelling?, _ end: TimeSpelling?, _ duration: TimeSpelling?, _ isStrict: Bool
    ) throws(MediaError) -> Double? {
        let from = try resolve(start ?? .time(.zero), "start")
        let length = try self.length(duration ?? end?.lengthAfterStart)
        if let length, length <= .zero {
            throw MediaError(.invalidTime, "the duration is \(length) s, so the range is empty")
        }
        if let from, let whole = asset.duration, from >= whole {
            throw MediaError(
                .invalidTime,
                "the start \(Units.clock(from)) is \(from == whole ? "at" : "past") the end "
                    + "(\(Units.clock(whole)))")
        }
        var to = end?.lengthAfterStart == nil ? try resolve(end ?? .end, "end") : nil
        if let from, let length { to = from + length }
        if let from, let to, to <= from {
            throw MediaError(
                .invalidTime, "the start \(from) s \(from == to ? "is also" : "is after") the end \(to) s")
        }
        if let end = to, let whole = asset.duration, end > whole {
            guard !isStrict else {
                throw MediaError(
                    .invalidTime,
                    "the end \(Units.clock(end)) is past the end of the file (\(Units.clock(whole)))",
                    remedy: "leave out --strict, and it ends with the file")
            }
            to = whole
        }
        guard let from, let to, from.isNumeric, to.isNumeric else { return nil }
        return (to - from).seconds
    }

    /// A length of time; nil if there is none, or it depends on the frames.
    private func length(_ spelling: TimeSpelling?) throws(MediaError) -> Time? {
        if case .percent? = spelling {
            return try spelling.flatMap { share throws(MediaError) in try resolve(share, "duration") }
        }
        return spelling?.assetTime
    }

    /// A time of the asset; nil if it depends on the frames.
    private func resolve(_ spelling: TimeSpelling, _ name: String) throws(MediaError) -> Time? {
        switch spelling {
        case .frame(let number), .frameFromEnd(let number):
            let track = asset.mainVideo
            guard let track else {
                throw MediaError(
                    .invalidTime, "the \(name) \(spelling): the file has no video whose frames count")
            }
            // Where fields are samples, the number of frames is unknown.
            let samples = track.video?.fieldCoding == .separateSamples ? nil : track.samples
            if let count = track.frameCount ?? samples, number > count {
                throw MediaError(
                    .invalidTime, "the \(name) \(spelling): the video has \(Units.count(count, "frame"))")
            }
            return nil
        case .timecode(let h, let m, let s, let f, let drop): return try times.time(h, m, s, f, drop, at: nil)
        case .end: return asset.duration
        case .fromEnd where asset.duration == nil, .decimalFromEnd where asset.duration == nil,
            .percent where asset.duration == nil:
            return nil
        case .time, .decimal, .fromEnd, .decimalFromEnd, .percent, .afterStart:
            do throws(TimeError) {
                return try spelling.resolve(
                    duration: asset.duration, frameTime: { _, _ throws(TimeError) in .zero },
                    timecode: { _, _, _, _, _ throws(TimeError) in .zero })
            } catch {
                throw MediaError(.invalidTime, "the \(name): \(error.message)")
            }
        }
    }
}

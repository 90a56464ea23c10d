// Decides which samples of a range are copied, and which frames at its head and tail must be encoded so that the output begins
// and ends on the requested frame and holds nothing else. Pure: computed from the times and kinds of stored samples.
//
//     in point          K                              C                out point
//     |  head (encoded) |  copied, in decoding order   |  tail (encoded) |
//
// K is the first closed sync sample shown at or after the first frame; C ends the longest run of samples after K whose frames are
// all shown before those of the samples that follow.
internal import MediaTime
internal import Source

/// The plan for the video of one range.
package struct SmartTrimPlan: Hashable, Sendable {
    /// Stored samples to copy, in decoding order.
    package struct Copy: Hashable, Sendable {
        /// The presentation time of the first sample, in the track's ticks; later samples that are shown before it are left out.
        package var first: Int64
        /// The presentation time of the first sample, in decoding order, that is not copied; nil: all that follow are copied.
        package var stop: Int64?
        /// Samples before the first frame and after the last may be stored, hidden by the edit list.
        package var hides = false
    }
    /// Frames to decode and encode: those on screen at some moment of [from, to), in the track's ticks.
    package struct EncodedSpan: Hashable, Sendable {
        /// The presentation time of its first frame.
        package var from: Int64
        /// The presentation time of the first frame after it; nil: up to the range's end.
        package var to: Int64?
        /// Number of frames, as far as the windows show.
        package var frames: Int
        /// Begins with the second field of a frame whose first field is copied.
        package var isInFrame = false
    }
    /// Why a whole range is encoded.
    enum Obstacle: String, Hashable, Sendable {
        case noSyncSample, sameTimestamps, tooShort, otherParameters

        /// The reason, for people.
        var sentence: String {
            switch self {
            case .noSyncSample: "no keyframe in the range from which copying could begin"
            case .sameTimestamps: "several frames have the same time"
            case .tooShort: "too little of the range is between keyframes"
            case .otherParameters: "a part has other parameters than the rest"
            }
        }
    }
    package var head: EncodedSpan?
    package var copy: Copy?
    package var tail: EncodedSpan?
    /// Reorder delay of the source's decoders, in frames.
    var delay: Int
    /// Why nothing is copied; nil if something is.
    var obstacle: Obstacle?
    /// The first frame's presentation time.
    package var firstFrame: Int64
    /// The out point lies inside a frame, or is not known to be the start of one.
    var cutsLastFrame = false
    /// The last frame's presentation time, where frames follow the out point.
    var lastFrame: Int64?
    /// Frames follow the out point, so the last one is shown up to it, whatever its own duration says.
    var reachesEnd = false

    /// Shorter copied spans are not worth a join.
    static let fewestCopied = 2

    /// Plans a range of one track. Times are in the track's ticks, as in the file.
    /// - Parameters:
    ///   - opening: samples from a sync sample at or before the in point to the first closed one at or after it, or to the out
    ///     point.
    ///   - closing: samples from a sync sample before the out point to the last one shown before it, and all that are decoded
    ///     before that; nil if `opening` reaches that far.
    ///   - start: the in point, rounded down where it lies between two ticks.
    ///   - end: the out point, rounded up; nil: to the end of the track.
    ///   - isEndRounded: the out point lies between two ticks.
    init?(
        opening: SampleWindow, closing: SampleWindow?, start: Int64, end: Int64?, isEndRounded: Bool = false
    ) {
        let shown = SmartTrimPlan.frames(opening.samples).sorted()
        guard let earliest = shown.first else { return nil }
        firstFrame = shown.last { $0 <= start } ?? earliest
        if let end, firstFrame >= end { return nil }
        // A track shows nothing after its last frame.
        if opening.isToEnd, let last = opening.samples.max(by: { $0.pts < $1.pts }), last.duration > 0,
            shown.last == firstFrame, last.pts + last.duration <= start
        {
            return nil
        }
        let first = firstFrame
        delay = max(
            DecodingTimes.delay(of: opening.samples.map(\.pts)),
            DecodingTimes.delay(of: closing?.samples.map(\.pts) ?? []))
        let all = opening.samples + (closing?.samples ?? [])
        if Set(opening.samples.map(\.pts)).count < opening.samples.count
            || closing.map({ Set($0.samples.map(\.pts)).count < $0.samples.count }) == true
        {
            obstacle = .sameTimestamps
        }
        if let end {
            let window = closing ?? opening
            let last = window.samples.max { $0.pts < $1.pts }
            reachesEnd = last.map { $0.pts >= end } ?? false
            if reachesEnd { lastFrame = window.samples.map(\.pts).filter { $0 < end }.max() }
            // An out point that was rounded up lies inside the frame that ends there.
            let exact = isEndRounded ? end - 1 : end
            cutsLastFrame =
                (isEndRounded || !window.samples.contains { $0.pts == end })
                && last.map { $0.pts > exact || $0.duration == 0 || $0.pts + $0.duration > exact } ?? false
        }
        let isIntraOnly = all.allSatisfy(\.isKey)
        /// Whether copied samples may begin here after others.
        func canBegin(_ sample: StoredSample) -> Bool {
            !sample.isSecondField && (isIntraOnly || sample.access == .closed || sample.access == .open)
        }
        func shownBefore(_ limit: Int64?) -> Int {
            Set(SmartTrimPlan.frames(all)).count { $0 >= first && $0 < limit ?? .max }
        }
        func encodeAll(_ why: Obstacle) {
            head = EncodedSpan(from: first, to: nil, frames: shownBefore(end))
            obstacle = why
        }
        if let obstacle {
            encodeAll(obstacle)
            return
        }
        guard
            let key = opening.samples.first(where: { sample in
                canBegin(sample) && sample.pts >= first && end.map { sample.pts < $0 } ?? true
            })
        else {
            encodeAll(.noSyncSample)
            return
        }
        if key.pts > first {
            head = EncodedSpan(
                from: first, to: key.pts,
                frames: Set(shown).count { $0 >= first && $0 < key.pts })
        }
        copy = Copy(first: key.pts, stop: nil)
        guard let end else { return }

        // The window in which the copied samples end; they begin in it or before it.
        let window = closing ?? opening
        let begin = window.samples.firstIndex { $0.pts == key.pts }
        let rest = Array(window.samples[(begin ?? 0)...])
        let isAfterKey = closing != nil && begin == nil
        let taken = SmartTrimPlan.closedPrefix(of: rest, from: key.pts, before: end)
        let reach = rest[..<taken].map(\.pts).max()
        guard isAfterKey || taken >= SmartTrimPlan.fewestCopied || (isIntraOnly && taken > 0) else {
            copy = nil
            encodeAll(.tooShort)
            return
        }
        if taken < rest.count { copy?.stop = rest[taken].pts }
        let left = rest[taken...].filter { $0.pts < end && $0.pts > reach ?? key.pts - 1 }
        if let first = left.min(by: { $0.pts < $1.pts }) {
            let frames = left.count { !$0.isSecondField }
            tail = EncodedSpan(from: first.pts, to: nil, frames: frames, isInFrame: first.isSecondField)
        }
    }

    /// Plans a range in which nothing is encoded: from the last sample before the in point from which all shown frames decode, to
    /// the last shown frame; extra samples are hidden. Nil if the range holds nothing, or nothing from which it decodes.
    init?(
        hiding opening: SampleWindow, closing: SampleWindow?, start: Int64, end: Int64?,
        isEndRounded: Bool = false
    ) {
        let shown = SmartTrimPlan.frames(opening.samples).sorted()
        guard let first = shown.last(where: { $0 <= start }) ?? shown.first, end.map({ first < $0 }) ?? true
        else { return nil }
        firstFrame = first
        delay = max(
            DecodingTimes.delay(of: opening.samples.map(\.pts)),
            DecodingTimes.delay(of: closing?.samples.map(\.pts) ?? []))
        let isIntraOnly = (opening.samples + (closing?.samples ?? [])).allSatisfy(\.isKey)
        let keys = opening.samples.filter { $0.isKey && !$0.isSecondField && $0.pts <= first }
        // After a recovery point, frames are correct only after a while: the access point before it is always enough.
        let clean = keys.last { isIntraOnly || $0.access == .closed || $0.access == .open }
        guard let key = clean ?? (keys.count > 1 ? keys[keys.count - 2] : keys.first) else { return nil }
        copy = Copy(first: key.pts, stop: nil, hides: true)
        guard let end else { return }
        let window = closing ?? opening
        guard let last = window.samples.lastIndex(where: { $0.pts < end }) else { return nil }
        if last + 1 < window.samples.count { copy?.stop = window.samples[last + 1].pts }
        cutsLastFrame = isEndRounded || !window.samples.contains { $0.pts == end }
        reachesEnd = window.samples.contains { $0.pts >= end }
    }

    /// Encodes everything, since the part has other parameters than the track.
    /// - Parameter frames: about how many frames there are.
    mutating func encodeOther(frames: Int) {
        (copy, tail, obstacle) = (nil, nil, .otherParameters)
        head = EncodedSpan(from: firstFrame, to: nil, frames: max(1, frames))
    }

    /// When the frames of samples are shown.
    private static func frames(_ samples: [StoredSample]) -> [Int64] {
        samples.filter { !$0.isSecondField }.map(\.pts)
    }

    /// How many samples from the first on, in decoding order, are all shown before those that follow, and before a time. Those
    /// shown before `from` are left out of the output and do not count.
    static func closedPrefix(of samples: [StoredSample], from: Int64, before end: Int64) -> Int {
        /// The earliest presentation time of the samples from an index on.
        var earliestFrom = [Int64](repeating: .max, count: samples.count + 1)
        for index in samples.indices.reversed() {
            let pts = samples[index].pts < from ? Int64.max : samples[index].pts
            earliestFrom[index] = min(earliestFrom[index + 1], pts)
        }
        var latest = Int64.min
        var best = 0
        for index in samples.indices {
            if samples[index].pts >= from { latest = max(latest, samples[index].pts) }
            if latest >= end { break }
            if latest < earliestFrom[index + 1] { best = index + 1 }
        }
        return best
    }
}

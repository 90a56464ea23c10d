// The plan for a video track that is not fully encoded: its parts, and which samples of each are copied and which encoded.
// Computed from the samples around the cut points; an immutable value.
package import Libav
package import Media
package import MediaTime
package import Source

/// The plan for a video track that is not fully encoded.
package struct SmartTrimTrackPlan: Sendable {
    /// One part of the source.
    package struct Part: Hashable, Sendable {
        package var segment: Segment
        /// The copied and encoded spans.
        package var plan: SmartTrimPlan
    }
    /// The source track.
    package var track: Track
    /// Seconds per tick of the output.
    package var timebase: Timebase
    /// In output order; at least one.
    package var parts: [Part]
    /// `copy` or `smart`.
    package var way: RenderMode
    /// Minimum reorder delay of the output in frames, where it is known to exceed the plan's.
    var minimalDelay: Int
    /// The parameter sets of head and tail must differ from the source's, since joining with those has failed.
    package var avoidsMatch = false

    /// Reorder delay of the output in frames, as far as the plan saw.
    package var delay: Int { parts.map(\.plan.delay).reduce(minimalDelay, max) }
    /// Where the last part ends in the output, where known: no later than the end of its edit list.
    var outputEnd: Time? { parts.last.flatMap { part in part.segment.end.map(part.segment.output) } }
    /// Number of encoded frames.
    package var headTailFrames: Int {
        parts.reduce(0) { $0 + ($1.plan.head?.frames ?? 0) + ($1.plan.tail?.frames ?? 0) }
    }
    /// Whether anything is encoded.
    package var hasHeadOrTail: Bool { parts.contains { $0.plan.head != nil || $0.plan.tail != nil } }
    /// The last frame of the output is shown for less time than in the source.
    var cutsLastFrame: Bool { parts.last?.plan.cutsLastFrame ?? false }
    /// Whether the file may hold hidden samples.
    var hides: Bool { parts.contains { $0.plan.copy?.hides == true } }

    /// Whether some of the source has other parameters than the track, and is converted to them.
    package var hasOtherParts: Bool { parts.contains { $0.plan.obstacle == .otherParameters } }

    /// Why a part is fully encoded; nil if none is.
    package var obstacle: String? { parts.compactMap(\.plan.obstacle).first?.sentence }

    /// One line for a job's log.
    var summary: String {
        let parts = parts.map { part in
            var words: [String] = []
            if let head = part.plan.head { words.append("\(head.frames) encoded") }
            if let copy = part.plan.copy {
                words.append("copied from \(copy.first) to \(copy.stop.map { "\($0)" } ?? "end")")
            }
            if let tail = part.plan.tail { words.append("\(tail.frames) encoded") }
            if let obstacle = part.plan.obstacle { words.append(obstacle.rawValue) }
            return words.joined(separator: ", ")
        }
        return
            "track \(track.index) \(track.codec): \(parts.joined(separator: " | ")); delay \(delay), ticks \(timebase)"
    }
}

extension SmartTrimTrackPlan {
    /// Plans the video track; nil if it has nothing in the range.
    /// - Parameter windows: those that plans of this source have read, where several are made.
    init?(
        _ track: Track, _ asset: Asset, _ range: ResolvedRange, fileType: FileType, source: SourceFile,
        request: ExportRequest, delay: Int, windows known: SampleWindows = SampleWindows()
    ) throws(MediaError) {
        self.track = track
        minimalDelay = delay
        timebase =
            try fileType.countsFrames
            ? SmartTrimTrackPlan.frameTimebase(track, fileType)
            : fileType.fixedTimebase
                ?? Timescale.video(source: track.timebase, range.segments, origin: asset.start)
        parts = []
        let index = KeyframeIndex(source: source, track: track, origin: asset.start)
        let runs = range.segments.all.flatMap { segment in
            ParameterRun.of(track, in: source, origin: asset.start, segment)
        }
        for run in runs {
            var segment = run.segment
            let start = track.timebase.ticks(
                of: segment.start + asset.start, rounding: .towardNegativeInfinity
            )
            .ticks
            func ticks(_ end: Time) -> Int64 {
                track.timebase.ticks(of: end + asset.start, rounding: .towardPositiveInfinity).ticks
            }
            var end = segment.end.map(ticks)
            var found = try known.windows(index, start: start, end: end)
            // Samples after the end of the edit list are not shown.
            if let last = track.editEnd.map(ticks), end.map({ $0 > last }) ?? true,
                let ending = try known.windows(index, start: start, end: last),
                (ending.closing ?? ending.opening).samples.contains(where: { $0.pts >= last })
            {
                (found, end, segment.end) = (ending, last, track.editEnd)
            }
            guard let windows = found else {
                throw MediaError(
                    .spliceFailed,
                    "track \(track.index) has samples without times, so that it cannot be copied",
                    track: track.index, remedy: "use --render encode")
            }
            try SmartTrimTrackPlan.checkFields(
                track, segment, windows, start: start, end: end, origin: asset.start, fileType)
            let isRounded = segment.end.map { asked in
                end.map { track.timebase.time(ofTicks: $0) - asset.start > asked } ?? false
            }
            guard
                var plan = SmartTrimPlan(
                    opening: windows.opening, closing: windows.closing, start: start, end: end,
                    isEndRounded: isRounded ?? false)
            else { continue }
            if !run.isMain {
                let length = (segment.end ?? asset.duration ?? segment.start) - segment.start
                plan.encodeOther(frames: Int(length.seconds * (track.video?.frameRate?.value ?? 25)))
            }
            if request.render == .copy, plan.head != nil || plan.tail != nil {
                let hiding = SmartTrimPlan(
                    hiding: windows.opening, closing: windows.closing, start: start, end: end,
                    isEndRounded: isRounded ?? false)
                plan = try SmartTrimTrackPlan.hidden(hiding, track, range, fileType, request)
            }
            parts.append(Part(segment: segment, plan: plan))
        }
        guard !parts.isEmpty else { return nil }
        way = .copy
        if hasHeadOrTail { way = .smart }
        if fileType.keepsOrder, self.delay > 0 {
            let words = FileType.Loss.order.words
            throw MediaError(
                .presetNotValid, "\(words.what), and .\(fileType.rawValue) cannot store that",
                track: track.index,
                remedy: words.remedy)
        }
    }

    /// Seconds per frame, for containers that count frames.
    private static func frameTimebase(
        _ track: Track, _ fileType: FileType
    ) throws(MediaError) -> Timebase {
        guard let rate = track.video?.frameRate, let numerator = Int32(exactly: rate.numerator),
            let denominator = Int32(exactly: rate.denominator),
            let timebase = Timebase(numerator: denominator, denominator: numerator)
        else {
            throw MediaError(
                .operationNotSupported,
                "the frame rate of track \(track.index) is not known, and .\(fileType.rawValue) stores no times",
                track: track.index, remedy: "choose .mp4, .mov or .mkv")
        }
        return timebase
    }

    /// Throws if a cut point lies inside a frame whose fields are separate samples, or that must be as long as the others.
    private static func checkFields(
        _ track: Track, _ segment: Segment, _ windows: (opening: SampleWindow, closing: SampleWindow?),
        start: Int64, end: Int64?, origin: Time, _ fileType: FileType
    ) throws(MediaError) {
        guard track.isBottomFieldFirst != nil || fileType.countsFrames else { return }
        func begins(_ window: SampleWindow, _ tick: Int64, _ time: Time) -> Bool {
            let frames = window.samples.filter { !$0.isSecondField }.map(\.pts)
            let isExact = track.timebase.time(ofTicks: tick) - origin == time
            let isOutside = frames.allSatisfy { $0 > tick } || window.samples.allSatisfy { $0.pts < tick }
            return isOutside || isExact && (frames.contains(tick) || fileType == .avi && track.countsFrames)
        }
        guard begins(windows.opening, start, segment.start),
            zip([end].compactMap(\.self), [segment.end].compactMap(\.self)).allSatisfy({
                begins(windows.closing ?? windows.opening, $0, $1)
            })
        else {
            if fileType.countsFrames {
                throw MediaError(
                    .operationNotSupported,
                    ".\(fileType.rawValue) counts frames instead of storing times, and can be cut between frames only",
                    track: track.index, remedy: "use --snap frame, or choose .mp4, .mov or .mkv")
            }
            throw MediaError(
                .spliceFailed,
                "track \(track.index) is HEVC coded in fields, and can be cut without encoding between frames only",
                track: track.index, remedy: "use --snap frame, or a preset that encodes")
        }
    }

    /// Throws if samples of this track cannot be copied, or cannot be joined with encoded ones.
    package func checkJoin(source: SourceFile, fileType: FileType) throws(MediaError) {
        guard way != .smart || HeadTailSetup.canEncode(track.codec) else {
            throw HeadTailSetup.noEncoder(for: track)
        }
        _ = try SmartTrimFormat(source: source, track: track, fileType: fileType, plan: self)
    }

    /// Returns the plan that hides extra samples, where hiding is allowed.
    private static func hidden(
        _ plan: SmartTrimPlan?, _ track: Track, _ range: ResolvedRange, _ fileType: FileType,
        _ request: ExportRequest
    ) throws(MediaError) -> SmartTrimPlan {
        func refusal(_ why: String) -> MediaError {
            MediaError(
                .operationNotSupported, "copying alone cannot cut there: \(why)", track: track.index,
                remedy:
                    "use --render smart, give --tolerance-before inf, or cut at keyframes (trimctl probe --keyframes)"
            )
        }
        guard fileType.hasEditLists else {
            throw refusal(
                "the range does not begin and end at keyframes, and .\(fileType.rawValue) has no edit list to hide the rest"
            )
        }
        guard range.segments.all.count == 1 else {
            throw refusal("only parts that begin and end at keyframes can be joined as they are")
        }
        guard request.noHidden != true else {
            throw refusal(
                "the range does not begin and end at keyframes, so that hidden frames would be left in the file"
            )
        }
        guard let plan else { throw refusal("there is no keyframe from which it decodes") }
        return plan
    }
}

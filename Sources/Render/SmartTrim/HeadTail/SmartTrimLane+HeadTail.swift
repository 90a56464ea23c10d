// Encodes head and tail of a smart-trimmed track: decodes the source's frames around a cut point, encodes them to fit the copied
// samples, and sends them with their exact times. Runs on a thread of `EncodedSpans`.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension SmartTrimLane {
    /// Encodes head or tail.
    /// - Parameter threads: those of the decoder.
    func encode(
        _ span: SmartTrimPlan.EncodedSpan, _ segment: Segment, _ format: SmartTrimFormat, threads: Int,
        _ diagnostics: Diagnostics, _ send: EncodedSpans.Send
    ) throws(MediaError) {
        let from = track.timebase.time(ofTicks: span.from) - origin
        // A frame that is shown lasts at least one tick.
        let shortest = segment.start + plan.timebase.time(ofTicks: 1)
        let stop = span.to.map { track.timebase.time(ofTicks: $0) - origin }
        let to = stop.map { max(shortest, $0) }
        var encoder = try format.headTailEncoder(isInFrame: span.isInFrame)
        var size = HeadTailSetup(track: track, delay: format.delay).size
        let changesSize = (track.videoCodec as? any HeadTailCodec.Type)?.keyframesHaveSizes == true
        var timeline = FrameTimeline<Frame>(
            Segment(start: segment.start, end: to ?? segment.end, at: segment.at), timebase: plan.timebase,
            cadence: .all)
        var clock = FrameClock(track: track, origin: origin)
        let messages = format.messages()
        let fitter = plan.hasOtherParts ? FrameFitter(track) : nil
        var failure: MediaError?
        var isTaken = true
        func pass(_ packets: [Packet]) throws(MediaError) {
            for packet in packets where isTaken {
                try format.complete(packet)
                isTaken = send(packet)
            }
        }
        func give(_ placed: FrameTimeline<Frame>.Placed?) {
            guard let placed, failure == nil, isTaken else { return }
            do throws(MediaError) {
                let shape = placed.payload.shape
                if changesSize, size != (shape.width, shape.height) {
                    size = (shape.width, shape.height)
                    try pass(encoder.finish())
                    encoder = try format.headTailEncoder(size: size)
                }
                let sei = placed.payload.bestEffort.flatMap { messages?.take($0) } ?? PictureSEI()
                let done = try encoder.encode(
                    placed.payload, pts: placed.pts, duration: placed.duration, messages: sei)
                try pass(done)
            } catch { failure = error }
        }
        let decoder = HeadTailDecoder(
            source: source, track: track, origin: origin, diagnostics: diagnostics, messages: messages,
            threads: threads)
        // Slightly more frames than are encoded: the join check compares both sides.
        let needed = span.from - HeadTailFrames.margin(track)
        let beside = HeadTailFrames.beside(delay: format.delay)
        var seen = HeadTailFrames.Span(
            most: checksAll(segment) ? HeadTailFrames.mostAtOneEnd : beside, beside: beside)
        /// The last frames begin here, at the latest; nil: it is not known.
        let closing = [stop, segment.end].compactMap(\.self).min().map { $0 - length(of: 2 * beside) }
        /// When the first frame that decodes is shown.
        var first: Time?
        var reachesEnd = true
        func reportInSpan(_ damage: Damage) throws(MediaError) {
            seen.isDamaged = true
            try report(damage, in: segment, diagnostics)
        }
        let end = [stop, segment.end].compactMap(\.self).min()
        let before = try decoder.decode(from: from, to: end, needed: needed, damaged: reportInSpan) { own in
            let (time, duration) = clock.time(of: own)
            let pts = own.bestEffort ?? 0
            var frame = own
            if let fitter, pts >= needed {
                do throws(MediaError) { frame = try fitter.fitted(own) } catch {
                    failure = error
                    return false
                }
            }
            if pts >= needed {
                if seen.isOpening || closing.map({ time >= $0 }) ?? true, let signature = frame.signature {
                    seen.append(HeadTailFrames.SourceFrame(time: time, pts: pts, signature: signature))
                } else {
                    seen.skip()
                }
            }
            guard time >= from else { return true }
            if first == nil { first = min(time, stop ?? time) }
            if let stop, let to, stop < to, time >= stop {
                reachesEnd = false
                return false
            }
            give(timeline.offer(frame, at: time, duration: duration))
            reachesEnd = failure == nil && isTaken && !timeline.isDone
            return reachesEnd
        }
        if let before {
            seen.isDamaged = true
            // Damage before a tail is in the range, and copied: the check of the joins tells of it.
            if before.time.map({ $0 < segment.start }) ?? true {
                try report(before, in: segment, diagnostics)
            }
        }
        if let first { try reportMissing(max(from, segment.start), before: first, segment, diagnostics) }
        if fitter?.hasConverted == true {
            diagnostics.warn(
                Warning(
                    .shapeChanged,
                    "the frame size or pixel format changes; all frames are converted to those of most of the film",
                    time: segment.start, track: track.index))
        }
        seen.finish(reachesEnd: reachesEnd)
        recordedFrames.record(seen)
        if !timeline.isDone { give(timeline.finish()) }
        if let failure { throw failure }
        guard isTaken else { return }
        try pass(encoder.finish())
    }

    /// Whether the check of a segment compares all its frames: where it is short, or its length is not known.
    private func checksAll(_ segment: Segment) -> Bool {
        segment.length.map { $0 <= length(of: HeadTailFrames.fewFrames + 1) } ?? true
    }

    /// The usual length of so many frames.
    private func length(of frames: Int) -> Time {
        (track.video?.usualLength ?? Time(1, 25)).multiplied(by: Int64(frames), over: 1)
    }

    /// Where the sync sample does not decode, nothing is shown before the next one.
    private func reportMissing(
        _ from: Time, before time: Time, _ segment: Segment, _ diagnostics: Diagnostics
    ) throws(MediaError) {
        guard time - from > Time(1, 1000) else { return }
        try report(
            Damage(
                "the frames from \(from.clock()) to \(time.clock()) cannot be decoded and are missing",
                at: from), in: segment, diagnostics)
    }

    /// Reports damage that shows in a part.
    private func report(
        _ damage: Damage, in segment: Segment, _ diagnostics: Diagnostics
    ) throws(MediaError) {
        if strict { throw damage.error(track: track.index) }
        diagnostics.warn(damage.warning(track: track.index, in: segment))
    }
}

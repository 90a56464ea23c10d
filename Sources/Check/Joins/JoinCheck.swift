// Checks a finished output where copied and encoded frames meet and at its head and tail: are the frames the source's, at their
// times? Decodes the output around each such position, decodes the source where `HeadTailFrames` has not recorded it, and
// compares frame by frame. Short parts are checked as a whole. Of parts that are copied as a whole, it compares the samples first.
package import Libav
package import Media
package import MediaTime
package import Render
package import Source

/// The check of one smart-trimmed track.
package struct JoinCheck: Sendable {
    /// The output differs from the source.
    package struct Mismatch: Error {
        /// The difference, as the end of a sentence.
        package var why: String
        /// Where it is, in the source's time.
        package var time: Time
    }
    /// A frame at its output time.
    private struct Shown {
        var time: Time
        var signature: FrameSignature
        /// Its time in the source's ticks, where it comes from the source.
        var pts: Int64 = 0
    }

    let source: SourceFile
    let output: SourceFile
    let plan: SmartTrimTrackPlan
    /// The source's container time of asset time 0.
    let origin: Time
    /// The track's index in the output.
    let index: Int
    let fileType: FileType
    /// The source frames recorded while they were decoded for encoding.
    let recordedFrames: HeadTailFrames
    /// Copied samples that do not decode are no error, and another check of the output reports them.
    var leavesDecoding = false

    /// Creates a value of its parts.
    package init(
        source: SourceFile, output: SourceFile, plan: SmartTrimTrackPlan, origin: Time, index: Int,
        fileType: FileType, recordedFrames: HeadTailFrames, leavesDecoding: Bool = false
    ) {
        (self.source, self.output, self.plan, self.origin) = (source, output, plan, origin)
        (self.index, self.fileType, self.recordedFrames, self.leavesDecoding) = (
            index, fileType, recordedFrames, leavesDecoding
        )
    }

    /// The usual duration of a GOP.
    private static let usualGOP = Time(2, 1)
    /// Encoded frames whose brightness differs by more are different frames: neighbours differ by as much where anything moves,
    /// encoding at high quality by a tenth of it.
    private static let mostDifference = 0.02

    /// Throws the first mismatch.
    /// - Parameter made: the output.
    /// - Returns: where the source itself does not decode, so there is nothing to compare with.
    package func run(_ made: ProbedFile) throws(Mismatch) -> [Damage] {
        let asset: Asset
        do throws(MediaError) { asset = try made.headers() } catch {
            throw Mismatch(why: "the output does not open: \(error.message)", time: .zero)
        }
        guard let track = asset.tracks.first(where: { $0.index == index }) else {
            throw Mismatch(why: "the output has no track \(index)", time: .zero)
        }
        guard plan.track.isDecodable, track.isDecodable else { return [] }
        let zero = fileType.zero
        // Matroska does not say how long a track is.
        let end = (MediaEnd.of(track, asset, output) ?? asset.duration ?? .zero) + asset.start - zero
        let all = plan.parts.flatMap { part in
            windows(part, length: part.segment.length ?? (end - part.segment.at))
        }
        // Each has decoders of its own, which share the processors, and the memory as the encoders of these spans did.
        let pixels = (track.video?.width ?? 0) * (track.video?.height ?? 0)
        let atOnce = EncodedSpans.atOnce(all.count, pixels: pixels, processors: Decoder.processors)
        let share = max(1, Decoder.processors / atOnce)
        let found = try all.concurrentMap(atOnce: atOnce) { window throws(Mismatch) in
            try check(window, track, zero, threads: share)
        }
        // Spans of some frames may have none of their own where the rate varies, but there is one at the beginning.
        let isEmpty = found.allSatisfy { finding in if case .nothing = finding { true } else { false } }
        if isEmpty {
            throw Mismatch(
                why: "no frame is where it is due", time: plan.parts.first?.segment.start ?? .zero)
        }
        return found.compactMap(\.damage)
    }

    /// Compares a span, unless it is certainly a copy.
    /// - Parameter most: decoder threads, at most.
    private func check(_ window: Window, _ track: Track, _ zero: Time, threads most: Int) throws(Mismatch)
        -> Finding
    {
        if isCopy(window, track, zero) { return .same }
        if let rest = fromTail(window, track, zero) {
            let threads = HeadTailDecoder.threads(forFrames: count(rest.to - rest.from), of: track)
            do throws(Mismatch) {
                return try compare(rest, track, zero, threads: min(most, threads))
            } catch {
                // It counts where the whole span shows it too.
            }
        }
        // Decoding begins at the sync sample before.
        let before = window.from > .zero ? JoinCheck.usualGOP : .zero
        let threads = min(
            most, HeadTailDecoder.threads(forFrames: count(before + window.to - window.from), of: track))
        do throws(Mismatch) { return try compare(window, track, zero, threads: threads) } catch {
            guard threads > 1 else { throw error }
            // Multithreaded decoders do not decode damage deterministically.
            return try compare(window, track, zero, threads: 1)
        }
    }

    /// Compares a span, of which the frames after the source's first damage are left out.
    private func compare(
        _ window: Window, _ track: Track, _ zero: Time, threads: Int
    ) throws(Mismatch) -> Finding {
        let part = window.part
        let from = part.segment.at + window.from
        var to = part.segment.at + window.to
        let (wanted, count, damage) = expected(part, from: from, to: to, threads: threads)
        if let damage {
            // Frames shown before a damaged one may refer to it, and multithreaded decoders report late.
            let limit = (damage.time ?? .zero) - frames(plan.delay + HeadTailFrames.beside + threads)
            to = min(to, part.segment.output(limit))
        }
        guard to > from else { return damage.map(Finding.damaged) ?? .nothing }
        let start = part.segment.start + window.from
        let found: [Shown]
        let fault: Damage?
        do throws(MediaError) {
            // Rounding may show the first frame slightly earlier, in a container of coarse ticks.
            let begin = max(.zero, from - slack(track))
            let key = window.keyframe.map { part.segment.at + $0 + slack(track) }
            (found, fault) = try shown(track, zero, from: begin, to: to, decodingFrom: key ?? begin, threads)
        } catch {
            throw Mismatch(why: "it does not decode there: \(error.message)", time: start)
        }
        do throws(Mismatch) {
            try compare(wanted.filter { $0.time < to }, found, part, from: from, to: to, track)
        } catch {
            guard damage == nil, let fault else { throw error }
            throw Mismatch(why: "it does not decode there: \(fault.cause)", time: error.time)
        }
        // Both show the same, so the source does not decode there either: multithreaded decoders do not always report it.
        let first = damage ?? fault.map { Damage($0.cause, at: source($0.time ?? from, part)) }
        return first.map(Finding.damaged) ?? (count > 0 ? .same : .nothing)
    }

    /// The source's frames in a span of the output, how many there are with those that cannot be compared, and the first of the damage.
    private func expected(
        _ part: SmartTrimTrackPlan.Part, from: Time, to: Time, threads: Int
    ) -> (shown: [Shown], count: Int, damage: Damage?) {
        // The first frame of a part may be on screen already when the part begins.
        let isFirst = from == part.segment.at
        let start =
            isFirst
            ? plan.track.timebase.time(ofTicks: part.plan.firstFrame) - origin
            : from - part.segment.at + part.segment.start
        let end = to - part.segment.at + part.segment.start
        var list: [Shown] = []
        var others = 0
        func show(_ frame: HeadTailFrames.SourceFrame) {
            let time = max(part.segment.output(frame.time), part.segment.at)
            if let last = list.last, last.time == time { list.removeLast() }
            guard time >= from, time < to else { return }
            list.append(Shown(time: time, signature: frame.signature, pts: frame.pts))
        }
        // Between the borders of head and tail, a span was decoded completely for encoding, or not at all.
        let borders = [part.plan.copy?.first, part.plan.tail?.from].compactMap(\.self)
            .map { plan.track.timebase.time(ofTicks: $0) - origin }.filter { start < $0 && $0 < end }
        for (from, to) in zip([start] + borders, borders + [end]) {
            if let known = recordedFrames.frames(from: from, to: to) {
                for frame in known { show(frame) }
                continue
            }
            let (found, more, damage) = decoded(from: from, to: to, threads: threads)
            for frame in found { show(frame) }
            others += more
            if let damage { return (list, list.count + others, damage) }
        }
        return (list, list.count + others, nil)
    }

    /// The source's frames in a span of source time, the number of those without a signature, and the first damage; earlier damage that
    /// affects the span counts at its beginning.
    private func decoded(
        from: Time, to: Time, threads: Int
    ) -> (frames: [HeadTailFrames.SourceFrame], others: Int, damage: Damage?) {
        var list: [HeadTailFrames.SourceFrame] = []
        var others = 0
        var first: Damage?
        var clock = FrameClock(track: plan.track, origin: origin)
        let decoder = HeadTailDecoder(
            source: source, track: plan.track, origin: origin, diagnostics: Diagnostics(), threads: threads)
        let fitter = plan.hasOtherParts ? FrameFitter(plan.track) : nil
        do throws(MediaError) {
            let before = try decoder.decode(
                from: from, to: to, needed: ticks(from + origin, of: plan.track),
                damaged: { first = first ?? $0 },
                { frame in
                    let (time, _) = clock.time(of: frame)
                    if time >= to { return false }
                    let fitted = time < from ? nil : fitter.map { try? $0.fitted(frame) } ?? frame
                    if let signature = fitted?.signature {
                        list.append(
                            HeadTailFrames.SourceFrame(
                                time: time, pts: frame.bestEffort ?? 0, signature: signature))
                    } else if fitted != nil {
                        others += 1
                    }
                    return true
                })
            if let before { first = Damage(before.cause, at: from) }
        } catch { first = Damage(error.message, at: from) }
        if first != nil, first?.time == nil { first?.time = from }
        return (list, others, first)
    }

    /// The output's frames in a span, and the first damage.
    /// - Parameter first: the sync sample at or before this time is the first that is decoded.
    private func shown(
        _ track: Track, _ zero: Time, from: Time, to: Time, decodingFrom first: Time, _ threads: Int
    ) throws(MediaError) -> (frames: [Shown], damage: Damage?) {
        var list: [Shown] = []
        var found: Damage?
        var clock = FrameClock(track: track, origin: zero)
        let decoder = HeadTailDecoder(
            source: output, track: track, origin: zero, diagnostics: Diagnostics(), threads: threads,
            isOutput: true)
        let before = try decoder.decode(
            from: first, to: to, needed: ticks(from + zero, of: track),
            damaged: { found = found ?? $0 },
            { frame in
                let (time, _) = clock.time(of: frame)
                if time >= to { return false }
                if time >= from, let signature = frame.signature {
                    list.append(Shown(time: time, signature: signature))
                }
                return true
            })
        return (list, before ?? found)
    }

    private func compare(
        _ wanted: [Shown], _ found: [Shown], _ part: SmartTrimTrackPlan.Part, from: Time, to: Time,
        _ track: Track
    ) throws(Mismatch) {
        let slack = slack(track)
        var rest = found[...]
        for (number, frame) in wanted.enumerated() {
            // At the borders of the span, rounding may move a frame to the other side.
            let isBorder = frame.time - from <= slack || to - frame.time <= slack
            while let first = rest.first, first.time + slack < frame.time {
                guard first.time - from <= slack else { throw extra(first, part) }
                rest.removeFirst()
            }
            let near = rest.prefix { ($0.time - frame.time).absoluteValue <= slack }
            let sum = frame.signature.checksum
            let alike = near.indices.filter { near[$0].signature.checksum == sum }
            // Frames that follow each other more closely than times are known may be alike: as many are left as are still due.
            let last = near.last?.time ?? frame.time
            let due = wanted[(number + 1)...].prefix { $0.time - slack <= last }
                .count { $0.signature.checksum == sum }
            // Of source frames with one time, which follow each other by a tick, the last is the one shown.
            let match = alike.isEmpty ? nil : alike[max(0, alike.count - 1 - due)]
            guard let same = match.map({ near[$0] }) ?? near.first else {
                if isBorder, frame.time > part.segment.at { continue }
                throw Mismatch(why: "a frame is missing", time: source(frame.time, part))
            }
            rest = rest[((match ?? rest.startIndex) + 1)...]
            if same.signature.checksum == sum { continue }
            guard !isCopied(frame.pts, part) else {
                throw Mismatch(
                    why: "a copied frame differs from the source's", time: source(frame.time, part))
            }
            guard same.signature.distance(to: frame.signature) <= JoinCheck.mostDifference else {
                throw Mismatch(
                    why: "an encoded frame differs from the source's", time: source(frame.time, part))
            }
        }
        if let extra = rest.first(where: { to - $0.time > slack }) { throw self.extra(extra, part) }
    }

    private func extra(_ frame: Shown, _ part: SmartTrimTrackPlan.Part) -> Mismatch {
        Mismatch(why: "there is an extra frame", time: source(frame.time, part))
    }

    private func source(_ time: Time, _ part: SmartTrimTrackPlan.Part) -> Time {
        time - part.segment.at + part.segment.start
    }

    private func isCopied(_ pts: Int64, _ part: SmartTrimTrackPlan.Part) -> Bool {
        guard let copy = part.plan.copy else { return false }
        if copy.hides { return true }
        return pts >= copy.first && part.plan.tail.map { pts < $0.from } ?? true
    }
}

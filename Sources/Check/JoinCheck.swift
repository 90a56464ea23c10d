// Checks a finished output where copied and encoded frames meet and at its head and tail: are the frames the source's, at their
// times? Decodes the output around each such position, decodes the source where `HeadTailFrames` has not recorded it, and
// compares frame by frame. Short parts are checked as a whole. Of parts that are copied as a whole, it compares the samples first.
internal import Codecs
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

// Shows without decoding that a copied span is the source's: from a sample on that refers to none before it, output and source hold the
// same samples, byte for byte and under the same header, at the same times. Decoders then give the same frames. Where that does not
// show, the frames are compared. Whether the samples decode at all is left to the check of the stored samples, in another process;
// those before a tail have been decoded for it, in the source.
extension JoinCheck {
    /// A sample and its file time.
    private struct Sample {
        var time: Time
        var decoding: Time
        var isShown: Bool
    }

    /// Copied frames of a part: the same span in the output's time and in the source's.
    private struct CopiedSpan {
        var from: Time
        var to: Time
        var start: Time
        var end: Time
        /// The presentation time of the source's sample that is not copied any more, in ticks; nil: the span ends by its times.
        var stop: Int64?
    }

    /// Whether a span certainly shows the source's frames, at their times.
    func isCopy(_ window: Window, _ track: Track, _ zero: Time) -> Bool {
        let part = window.part
        guard leavesDecoding, part.plan.copy != nil, part.plan.head == nil, part.plan.tail == nil,
            !plan.hasOtherParts, track.codec == plan.track.codec,
            track.samples.map({ StoredCheck.decodesAll(Int(clamping: $0), of: track) }) == true
        else { return false }
        let (from, to) = (part.segment.at + window.from, part.segment.at + window.to)
        let start =
            from == part.segment.at
            ? plan.track.timebase.time(ofTicks: part.plan.firstFrame) - origin : part.segment.source(from)
        let span = CopiedSpan(from: from, to: to, start: start, end: part.segment.source(to))
        do throws(MediaError) { return try holdsSource(part, span, track, zero) } catch { return false }
    }

    /// The rest of a span, from its tail on, where the frames before that are certainly the source's. Decoding them would begin at the
    /// sync sample before, and take longer than the tail. Nil: the span is to be compared as a whole.
    func fromTail(_ window: Window, _ track: Track, _ zero: Time) -> Window? {
        let part = window.part
        guard leavesDecoding, let copy = part.plan.copy, let stop = copy.stop, !copy.hides,
            let tail = part.plan.tail, !tail.isInFrame, !plan.hasOtherParts,
            track.codec == plan.track.codec
        else { return nil }
        func time(_ ticks: Int64) -> Time { plan.track.timebase.time(ofTicks: ticks) - origin }
        let start = part.segment.source(part.segment.at + window.from)
        // A frame at the border of a span may be on either side of it, so that the rest begins a little before its first frame.
        let border = slack(track).multiplied(by: 3, over: 1)
        let end = time(tail.from)
        guard start > time(copy.first), end - border > start,
            let known = recordedFrames.soundFrames(from: start, to: end), let last = known.last,
            last.time < end - border
        else { return nil }
        let span = CopiedSpan(
            from: part.segment.at + window.from, to: part.segment.output(end), start: start, end: end,
            stop: stop)
        do throws(MediaError) {
            guard try holdsSource(part, span, track, zero) else { return nil }
        } catch { return nil }
        let from = span.to - part.segment.at
        return Window(part: part, from: from - border, to: window.to, keyframe: from)
    }

    private func holdsSource(
        _ part: SmartTrimTrackPlan.Part, _ span: CopiedSpan, _ track: Track, _ zero: Time
    ) throws(MediaError) -> Bool {
        let (from, to, start, end) = (span.from, span.to, span.start, span.end)
        let made = try TrackReader.open(output, track: track, origin: zero, at: from, back: .zero)
        let stored = try TrackReader.open(source, track: plan.track, origin: origin, at: start, back: .zero)
        guard let (header, sets) = try commonHeader(made, stored, track) else { return false }
        let framing = track.videoCodec.framing(extradata: header)
        /// Whether what follows is decoded with the sets of the header, as by whoever begins there: a sample may replace one.
        func leavesSets(_ packet: Packet) -> Bool {
            let bytes = packet.bytes
            return !track.videoCodec.accessUnit(bytes[...], framing: framing).hasParameterSets
                || (packet.isKey && sets.contains { $0.knowsSets(in: bytes, framing) })
        }
        let diagnostics = Diagnostics()
        let (mine, other) = try media(.outOfMemory) { () throws(LibavError) in (try Packet(), try Packet()) }
        /// The sample's times; nil where it lacks one, or does not stand for one frame.
        func sample(_ packet: Packet, _ track: Track, _ origin: Time) -> Sample? {
            guard let pts = packet.pts, let dts = packet.dts, dts <= pts, !packet.isSecondField,
                !packet.hasNewHeader, !track.videoCodec.isNonShown(packet)
            else { return nil }
            return Sample(
                time: track.timebase.time(ofTicks: pts) - origin,
                decoding: track.timebase.time(ofTicks: dts) - origin, isShown: !packet.isDiscarded)
        }
        func isWanted(_ sample: Sample) -> Bool { sample.time >= start && sample.time < end }

        guard made.read(into: mine, diagnostics), mine.isKey,
            SampleKind(codec: track.codec, extradata: header).access(of: mine.bytes) == .closed
        else { return false }
        // The source is read from a sample at or before the same one.
        while true {
            guard stored.read(into: other, diagnostics), let found = sample(other, plan.track, origin) else {
                return false
            }
            if other.isKey, other.hasBytes(of: mine) { break }
            guard !isWanted(found) else { return false }
        }
        while true {
            guard span.stop == nil || leavesSets(mine) else { return false }
            guard let own = sample(mine, track, zero), let theirs = sample(other, plan.track, origin) else {
                return false
            }
            let time = max(part.segment.output(theirs.time), part.segment.at)
            if isWanted(theirs) {
                guard own.isShown, theirs.isShown, (own.time - time).absoluteValue <= slack(track) else {
                    return false
                }
            } else if own.isShown, own.time > from - slack(track), own.time < to - slack(track) {
                return false
            }
            let isMore = made.read(into: mine, diagnostics)
            let isMoreStored = stored.read(into: other, diagnostics)
            guard isMore else {
                // Of the source none may follow that the output lacks.
                var goesOn = isMoreStored
                while goesOn {
                    guard let left = sample(other, plan.track, origin), !isWanted(left) else { return false }
                    goesOn = left.decoding < end && stored.read(into: other, diagnostics)
                }
                break
            }
            guard isMoreStored, let next = sample(mine, track, zero),
                let follows = sample(other, plan.track, origin)
            else { return false }
            if let stop = span.stop {
                guard other.pts != stop else {
                    // All frames that follow are shown after those before.
                    guard mine.isKey, (next.time - to).absoluteValue <= slack(track),
                        SampleKind(codec: track.codec, extradata: header).access(of: mine.bytes) == .closed
                    else { return false }
                    break
                }
            } else if next.decoding >= to, follows.decoding >= end {
                // Frames are shown no earlier than they are decoded.
                guard other.hasBytes(of: mine) else { return false }
                break
            }
            guard other.hasBytes(of: mine) else { return false }
        }
        return diagnostics.warnings.isEmpty && stored.broken == nil && made.broken == nil
    }

    /// Any ticks per second.
    private static let commonScale: Int64 = 1000

    /// The header of the output, which is that of the source but for the timing, and the sets of both: copied samples that repeat the
    /// source's replace none by another. Nil where the headers differ, or say less than decoders need.
    private func commonHeader(
        _ made: TrackReader, _ stored: TrackReader, _ track: Track
    ) throws(MediaError) -> (header: [UInt8], sets: [any ParameterSets])? {
        let (own, other) = try media(.decodeFailed) { () throws(LibavError) in
            (
                try CodecParameters(made.demuxer, track: track.index),
                try CodecParameters(stored.demuxer, track: plan.track.index)
            )
        }
        // With parameter sets, header and samples say all that decoders need to know; but an encoder's build is in the first sample
        // alone.
        let codec = track.videoCodec
        guard let sets = codec.parameterSets(extradata: own.extradata) as? any TimedParameterSets,
            let stored = codec.parameterSets(extradata: other.extradata),
            ![track, plan.track].compactMap({ $0.video?.x264Build }).contains(where: sets.needBuild)
        else { return nil }
        if own.extradata == other.extradata { return (own.extradata, [sets]) }
        // Containers have the times of frames, so that the timing of the stream changes no frame.
        let retimed = try media(.decodeFailed) { () throws(LibavError) in
            try [own, other].map { one throws(LibavError) in
                try type(of: sets).retimed(one, scale: JoinCheck.commonScale, tag: nil).extradata
            }
        }
        return retimed[0] == retimed[1] ? (own.extradata, [sets, stored]) : nil
    }
}

// Times, ticks and numbers of frames of a check of joins. Pure; reads nothing.
extension JoinCheck {
    /// The usual number of frames in this time.
    func count(_ time: Time) -> Int {
        Int(time.seconds * max(1, plan.track.video?.frameRate?.value ?? 25)) + 1
    }

    /// The usual duration of this many frames.
    func frames(_ count: Int) -> Time {
        let rate = max(1, plan.track.video?.frameRate?.value ?? 25)
        return Time(1000, Int32(clamping: Int(rate * 1000))).multiplied(by: Int64(count), over: 1)
    }

    /// A file time in a track's ticks, or slightly before it.
    func ticks(_ time: Time, of track: Track) -> Int64 {
        track.timebase.ticks(of: time, rounding: .towardNegativeInfinity).ticks - 2
    }

    /// How far the times of a frame may be apart in both files: each rounds to its ticks.
    func slack(_ track: Track) -> Time {
        track.timebase.time(ofTicks: 2) + plan.timebase.time(ofTicks: 1)
    }
}

// The spans of a smart-trimmed track that are checked: around each position where copied and encoded frames meet, and at both ends of a
// part; short parts as a whole. Pure: reads no media.
extension JoinCheck {
    /// A span of a part that is checked, in seconds from the part's beginning.
    struct Window: Sendable {
        var part: SmartTrimTrackPlan.Part
        var from: Time
        var to: Time
        /// The keyframe that decoding begins with, where nothing before it is wanted; nil: the one before `from`.
        var keyframe: Time?
    }

    /// The result for a span.
    enum Finding {
        /// It shows the source's frames, or others that cannot be compared.
        case same
        /// No frame begins there, neither in the source nor in the output.
        case nothing
        /// The source itself does not decode there.
        case damaged(Damage)

        /// The source's damage.
        var damage: Damage? {
            guard case .damaged(let damage) = self else { return nil }
            return damage
        }
    }

    /// Spans of a part that are checked.
    func windows(_ part: SmartTrimTrackPlan.Part, length: Time) -> [Window] {
        let rate = max(1, plan.track.video?.frameRate?.value ?? 25)
        if length.seconds * rate <= Double(HeadTailFrames.fewFrames) {
            return [Window(part: part, from: .zero, to: length)]
        }
        var points: [Time] = [.zero]
        if part.plan.head != nil, let key = part.plan.copy?.first { points.append(offset(key, part)) }
        if let tail = part.plan.tail { points.append(offset(tail.from, part)) }
        points.append(length)
        var windows: [Window] = []
        for point in points {
            let from = max(.zero, point - frames(HeadTailFrames.beside))
            let to = min(length, point + frames(plan.delay + HeadTailFrames.beside))
            if let last = windows.last, from <= last.to {
                windows[windows.count - 1].to = max(last.to, to)
            } else {
                windows.append(Window(part: part, from: from, to: to))
            }
        }
        return windows
    }

    private func offset(_ pts: Int64, _ part: SmartTrimTrackPlan.Part) -> Time {
        plan.track.timebase.time(ofTicks: pts) - origin - part.segment.start
    }
}

// Shows without decoding that a copied span is the source's: from a sample on that refers to none before it, output and source hold the
// same samples, byte for byte and under the same header, at the same times. Decoders then give the same frames. Where that does not
// show, the frames are compared. Whether the samples decode at all is left to the check of the stored samples, in another process;
// those before a tail have been decoded for it, in the source.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

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

// Shows without decoding that a copied span is the source's: from a sample on that refers to none before it, output and source hold the
// same samples, byte for byte and under the same header, at the same times. Decoders then give the same frames. Where that does not
// show, the frames are compared. Whether the samples decode at all is left to the check of the stored samples, in another process.
internal import Libav
internal import Media
internal import MediaTime

extension JoinCheck {
    /// A sample and its file time.
    private struct Sample {
        var time: Time
        var decoding: Time
        var isShown: Bool
    }

    /// Whether a span certainly shows the source's frames, at their times.
    func isCopy(_ window: Window, _ track: Track, _ zero: Time) -> Bool {
        let part = window.part
        guard leavesDecoding, part.plan.copy != nil, part.plan.head == nil, part.plan.tail == nil,
            !plan.hasOtherParts, track.codec == plan.track.codec,
            track.samples.map({ StoredCheck.decodesAll(Int(clamping: $0), of: track) }) == true
        else { return false }
        do throws(MediaError) { return try holdsSource(window, track, zero) } catch { return false }
    }

    private func holdsSource(
        _ window: Window, _ track: Track, _ zero: Time
    ) throws(MediaError) -> Bool {
        let part = window.part
        let (from, to) = (part.segment.at + window.from, part.segment.at + window.to)
        let end = part.segment.source(to)
        let start =
            from == part.segment.at
            ? plan.track.timebase.time(ofTicks: part.plan.firstFrame) - origin : part.segment.source(from)
        let made = try TrackReader.open(output, track: track, origin: zero, at: from, back: .zero)
        let stored = try TrackReader.open(source, track: plan.track, origin: origin, at: start, back: .zero)
        guard let header = try commonHeader(made, stored, track) else { return false }
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
            guard isMoreStored, other.hasBytes(of: mine) else { return false }
            guard let next = sample(mine, track, zero), let follows = sample(other, plan.track, origin) else {
                return false
            }
            // Frames are shown no earlier than they are decoded.
            if next.decoding >= to, follows.decoding >= end { break }
        }
        return diagnostics.warnings.isEmpty && stored.broken == nil && made.broken == nil
    }

    /// The header of both tracks; nil where they differ, or say less than decoders need.
    private func commonHeader(
        _ made: TrackReader, _ stored: TrackReader, _ track: Track
    ) throws(MediaError) -> [UInt8]? {
        let (own, other) = try media(.decodeFailed) { () throws(LibavError) in
            (
                try CodecParameters(made.demuxer, track: track.index).extradata,
                try CodecParameters(stored.demuxer, track: plan.track.index).extradata
            )
        }
        // With parameter sets, header and samples say all that decoders need to know; but an encoder's build is in the first sample
        // alone.
        guard own == other, let sets = track.videoCodec.parameterSets(extradata: own),
            ![track, plan.track].compactMap({ $0.video?.x264Build }).contains(where: sets.needBuild)
        else { return nil }
        return own
    }
}

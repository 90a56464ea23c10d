// Opens the track of a copied audio lane: what its header says of the samples that are not played.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension CopiedAudioLane {
    /// Opens the track, and sends the packet that its first one needs before it.
    /// - Parameters:
    ///   - first: samples from the range's start to the first one that is played.
    ///   - sample: the position of the first packet.
    ///   - count: its samples.
    /// - Returns: samples to skip, which the first packet is to say.
    func open(
        _ parameters: CodecParameters, _ timebase: Timebase, first: Int64, _ hidden: HiddenStart,
        _ packet: Packet, at sample: Int64, _ count: Int64
    ) throws(MediaError) -> Int {
        let lead: Packet?
        let stored: CodecParameters
        (stored, lead) = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            let lead = try hidden.lead(before: packet, skipping: max(0, -sample))
            let stored = try hidden.parameters(parameters, skipping: max(0, -sample))
            return (try described(stored, by: lead ?? packet), lead)
        }
        open(stored, timebase, first: first, delay: hidden.delay(skipping: max(0, -sample)))
        if fileType.audioEnds == .tag, segments.start > .zero {
            let milliseconds = (max(0, -sample) + (lead == nil ? 0 : count)) * 1000 / Int64(rate)
            diagnostics.warn(
                Warning(
                    .hiddenStart,
                    "\(milliseconds) ms before the start are stored for the decoder; players that do not read the LAME tag play them",
                    time: segments.start, track: track.index))
        }
        guard let lead else { return hidden.skip(-sample) }
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try lead.setDiscardedSamples(0, first: hidden.skip(count - sample))
        }
        place(lead, at: min(0, sample) - count, count: count, timebase)
        _ = packets.send(lead)
        return 0
    }

    private func open(_ parameters: CodecParameters, _ timebase: Timebase, first: Int64, delay: Int64) {
        let begins = Time(sample(segments.start) + first, Int32(clamping: rate))
        var result = TrackResult(
            index: 0, source: track.index, kind: .audio, codec: track.codec, way: .copy,
            actual: TimeSpan(start: begins, end: segments.end ?? segments.start))
        let off = begins - segments.start
        result.remainder = off == .zero ? nil : off
        (result.sampleRate, result.channels) = (rate, track.audio?.channels)
        _ = opening.send(
            LaneOpening(
                coding: .stored(parameters), timebase: timebase, track: track, result: result, delay: delay))
    }
}

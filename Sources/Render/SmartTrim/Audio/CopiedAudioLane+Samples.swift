// Counts samples of copied audio: those of a packet, and those that times are. On the lane's queue.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension CopiedAudioLane {
    /// Samples from one packet's time to the next one's.
    func gap(_ packet: Packet, _ next: Packet) -> Int64? {
        guard let from = packet.pts, let to = next.pts, to > from else { return nil }
        return sample(track.timebase.time(ofTicks: to)) - sample(track.timebase.time(ofTicks: from))
    }

    /// Whether a packet begins as the codec's frames do.
    func isFrame(_ packet: Packet, hasADTS: Bool) -> Bool {
        if hasADTS { return AACCodec.isWholeADTS(packet.bytes) }
        return !track.audioCodec.hasFrameHeaders || track.audioCodec.isWhole(packet.bytes)
    }

    /// A copy of the packet that is hidden behind it; nil: none is needed. FFmpeg takes the last packet of a movie's track to be as
    /// long as the edit list, and finds nothing to play where a range lies further inside a packet than it is long.
    /// - Parameter end: samples from the in point to the out point.
    func echo(of packet: Packet, _ span: AudioCopy.Span, end: Int64?) throws(LibavError) -> Packet? {
        let shown = span.sample + span.count
        guard fileType.hasEditLists, shown == end, 0 < shown, shown <= -span.sample else { return nil }
        let echo = try packet.copy()
        (echo.pts, echo.dts) = (
            packet.pts.map { $0 + packet.duration }, packet.dts.map { $0 + packet.duration }
        )
        // Of one without a duration, the muxer takes the codec's.
        echo.duration = 1
        echo.isHidden = true
        return echo
    }

    func samples(of packet: Packet, _ parameters: CodecParameters) -> Int64 {
        if !track.audioCodec.staysUnread, let stated = track.audioCodec.samples(in: packet.bytes) {
            return stated
        }
        let known = parameters.samples(inBytes: packet.size)
        if known > 0 { return Int64(known) }
        return track.timebase.time(ofTicks: packet.duration).multiplied(by: Int64(rate), over: 1)
            .converted(to: 1, rounding: .halfAwayFromZero).value
    }

    func sample(_ time: Time) -> Int64 {
        time.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value
    }

    func ticks(_ sample: Int64, _ timebase: Timebase) -> Int64 {
        timebase.ticks(of: Time(sample, Int32(clamping: rate)), rounding: .halfAwayFromZero).ticks
    }

    /// Gives a packet the time of its first sample, and the duration of its samples.
    func place(_ packet: Packet, at sample: Int64, count: Int64, _ timebase: Timebase) {
        let from = ticks(sample, timebase)
        packet.pts = from
        packet.dts = from
        packet.duration = ticks(sample + count, timebase) - from
        packet.isHidden = sample + count <= 0
    }

    /// The parameters with a header, where the source's container has none: some muxers cannot write such a track, and others write
    /// one that does not decode.
    func described(_ parameters: CodecParameters, by first: Packet) throws(LibavError) -> CodecParameters {
        guard parameters.extradata.isEmpty,
            let header = track.audioCodec.missingHeader(first.bytes, of: track)
        else { return parameters }
        return try CodecParameters(parameters, extradata: header, tag: nil)
    }

    /// The parameters of a track that counts in this rate.
    func withRate(_ rate: Int, _ parameters: CodecParameters) throws(MediaError) -> CodecParameters {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(parameters, extradata: nil, tag: nil, sampleRate: rate)
        }
    }
}

// Counts samples of copied audio: those of a packet, and those that times are. On the lane's queue.
internal import Libav
internal import Media
internal import MediaTime

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
}

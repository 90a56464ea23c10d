// How far the times of a source's audio packets are from where their samples add up to. Programs that move audio to another container
// keep times that were rounded to the ticks of the one before, which the ticks of the new one do not tell. Reads packets, decodes
// nothing. On the caller's thread.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// The rounding of the times of an audio track.
struct AudioTimeRounding {
    let source: SourceFile
    let track: Track
    /// The container time of the source's asset time 0.
    let origin: Time

    /// Packets this far to both sides of a range are looked at.
    private static let reach = Time(1, 1)

    /// The difference between the earliest and the latest of the times in a range and near it, each measured from where the samples
    /// before it end, in samples; 0 where packets do not say how many samples they have.
    func samples(from start: Time, to end: Time) throws(MediaError) -> Int {
        let rate = Int64(track.audio?.sampleRate ?? 0)
        guard rate > 0 else { return 0 }
        // Headers alone do not say how many samples a packet has.
        let reader = try TrackReader.open(
            source, track: track, origin: origin, at: start, back: AudioTimeRounding.reach, quick: false)
        return try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            let parameters = try CodecParameters(reader.demuxer, track: track.index)
            let packet = try Packet()
            var spread = Spread()
            while reader.read(into: packet, Diagnostics()), let pts = packet.pts {
                let begins = track.timebase.time(ofTicks: pts) - origin
                guard begins <= end + AudioTimeRounding.reach else { break }
                let known = track.audioCodec.samples(in: packet.bytes)
                let count = known ?? Int64(parameters.samples(inBytes: packet.size))
                guard count > 0 else { break }
                guard begins >= start - AudioTimeRounding.reach else { continue }
                spread.add(
                    begins.multiplied(by: rate, over: 1).converted(to: 1, rounding: .halfAwayFromZero).value,
                    count)
            }
            return Int(clamping: spread.widest)
        }
    }

    /// How far packets begin from where the ones before them end.
    struct Spread {
        private var next: Int64?
        private var lowest: Int64 = 0, highest: Int64 = 0
        /// The difference between the extremes, in samples.
        private(set) var widest: Int64 = 0

        /// Takes the next packet: where it begins, and how many samples it has.
        mutating func add(_ begin: Int64, _ count: Int64) {
            // Half a packet and more is a gap or an overlap: what follows is counted from there.
            if let next, abs(begin - next - highest) < count / 2 || abs(begin - next - lowest) < count / 2 {
                lowest = min(lowest, begin - next)
                highest = max(highest, begin - next)
                self.next = next + count
            } else {
                (next, lowest, highest) = (begin + count, 0, 0)
            }
            widest = max(widest, highest - lowest)
        }
    }
}

// Spares the reader of copied audio the packets that the output is given, where nothing looks at them. On the lane's queue.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension CopiedAudioLane {
    /// Audio near the ends of the range is read: packets may be shortened there, and a decoder needs some before them. The longest
    /// packets, of 4096 samples, last half a second.
    private static let ends = Time(2, 1)

    /// Spares a reader, before it reads, the packets that the output is given and whose bytes tell nothing that is needed. Others read
    /// them from between those of other tracks, block by block.
    /// - Parameter stop: the end of what is copied, in asset time.
    func leaveUnread(_ reader: TrackReader, from start: Time, to stop: Time?) {
        guard let runs, let stop, track.audioCodec.staysUnread, CloneDecision.isStored(track),
            !reader.looksAtSamples
        else { return }
        let (from, to) = (
            start + origin + CopiedAudioLane.ends, stop + origin - CopiedAudioLane.ends
        )
        guard from < to,
            let places = reader.demuxer.places(of: track.index, from: from.seconds, to: to.seconds)
        else { return }
        let unread = runs.within(places.map(\.bytes)).sorted { $0.lowerBound < $1.lowerBound }
        // Samples that share bytes: an index that nobody wrote so.
        guard !zip(unread, unread.dropFirst()).contains(where: { $0.upperBound > $1.lowerBound }) else {
            return
        }
        reader.demuxer.omit(unread)
    }
}

// Decides which audio packets are copied, and their positions in the output. Pure: a packet is a number of samples.
internal import MediaTime

/// Positions copied packets of one audio track on the output timeline.
struct AudioCopy {
    /// The position of a packet.
    struct Place: Hashable {
        /// Its first sample, relative to the in point; negative for preroll, which is decoded but not played, where the container
        /// can hide it.
        var sample: Int64
        /// Number of its samples that are part of the output.
        var count: Int64
        /// The samples to keep where packets can be cut (uncompressed audio); otherwise all.
        var keep: Range<Int64>
    }
    /// The first sample of the range, and the first after it; nil: to the end of the track.
    let start: Int64, end: Int64?
    /// Samples before the in point kept as decoder preroll; nil: the container cannot hide any.
    let preroll: Int64?
    /// Packets can be cut anywhere.
    let isDivisible: Bool
    /// The first decoded packet gives no samples (Vorbis), so it must be one before the range.
    var needsLead = false

    /// Whether this packet and all after it are past the range.
    func isDone(place: Int64) -> Bool { end.map { place >= $0 } ?? false }

    /// Returns the position for the samples `place ..< place + count`; nil: they are left out.
    func offer(place: Int64, count: Int64) -> Place? {
        let stop = min(place + count, end ?? .max)
        if isDivisible {
            let from = max(place, start)
            guard from < stop else { return nil }
            return Place(sample: from - start, count: stop - from, keep: (from - place)..<(stop - place))
        }
        guard place < end ?? .max else { return nil }
        if let preroll {
            // The packet that plays at the in point, and before it as many as decoding needs.
            guard place + count > start - preroll else { return nil }
            return Place(sample: place - start, count: stop - place, keep: 0..<count)
        }
        // The packet before the first one played; it takes no time.
        if needsLead, place < start, place + count >= start, end.map({ place + count < $0 }) ?? true {
            return Place(sample: 0, count: 0, keep: 0..<count)
        }
        // Nothing can be hidden: the packets nearest to the cut points, none before the in point.
        guard place >= start, end.map({ place + count / 2 <= $0 }) ?? true else { return nil }
        return Place(sample: place - start, count: count, keep: 0..<count)
    }
}

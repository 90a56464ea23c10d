// Decides which audio packets are copied, and their positions in the output. Pure: a packet is a number of samples.
internal import MediaTime

/// Positions copied packets of one audio track on the output timeline.
struct AudioCopy {
    /// The part of a packet that is copied, and its position.
    struct Span: Hashable {
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
    /// The container states where the last packet ends.
    var statesEnd = false
    /// The first packet is played at once: the one that begins nearest to the in point, be it before.
    var beginsNearest = false

    /// Whether this packet and all after it are past the range.
    func isDone(position: Int64) -> Bool { end.map { position >= $0 } ?? false }

    /// Returns the position for the samples `position ..< position + count`; nil: they are left out.
    func offer(position: Int64, count: Int64) -> Span? {
        let stop = min(position + count, end ?? .max)
        if isDivisible {
            let from = max(position, start)
            guard from < stop else { return nil }
            return Span(sample: from - start, count: stop - from, keep: (from - position)..<(stop - position))
        }
        guard position < end ?? .max else { return nil }
        if let preroll {
            // The packet that plays at the in point, and before it as many as decoding needs.
            guard position + count > start - preroll else { return nil }
            return Span(sample: position - start, count: stop - position, keep: 0..<count)
        }
        // The packet before the first one played; it takes no time.
        if needsLead, position < start, position + count >= start, end.map({ position + count < $0 }) ?? true
        {
            return Span(sample: 0, count: 0, keep: 0..<count)
        }
        if statesEnd {
            guard position >= start else { return nil }
            return Span(sample: position - start, count: stop - position, keep: 0..<count)
        }
        // Nothing can be hidden: the packets nearest to the cut points, none before the in point.
        let first = beginsNearest ? start - count / 2 : start
        guard position >= first, end.map({ position + count / 2 <= $0 }) ?? true else { return nil }
        return Span(sample: position - start, count: count, keep: 0..<count)
    }
}

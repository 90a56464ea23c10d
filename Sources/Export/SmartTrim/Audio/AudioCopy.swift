// Which packets of sound are taken over, and where they lie in the output. Pure: packets are numbers of samples.
internal import MediaTime

/// Places copied packets of one audio track on the output's timeline.
struct AudioCopy {
    /// Where a packet goes.
    struct Place: Hashable {
        /// Its first sample, from the in point; negative for what is decoded and not heard, but where nothing can be hidden.
        var sample: Int64
        /// Samples of it that are part of the output.
        var count: Int64
        /// The part of its samples that is taken, where packets can be cut (uncompressed sound); else all.
        var keep: Range<Int64>
    }
    /// The first sample of the range, and the first after it; nil: to the end of the track.
    let start: Int64, end: Int64?
    /// Samples before the in point that are kept to be decoded; nil: the container cannot hide any.
    let preroll: Int64?
    /// Packets can be cut anywhere.
    let isDivisible: Bool
    /// The first packet that is decoded gives no samples (Vorbis): it is one that is not to be heard.
    var needsLead = false

    /// All packets that follow lie beyond the range.
    func isDone(place: Int64) -> Bool { end.map { place >= $0 } ?? false }

    /// What becomes of the samples `place ..< place + count`; nil: they are left out.
    func offer(place: Int64, count: Int64) -> Place? {
        let stop = min(place + count, end ?? .max)
        if isDivisible {
            let from = max(place, start)
            guard from < stop else { return nil }
            return Place(sample: from - start, count: stop - from, keep: (from - place)..<(stop - place))
        }
        guard place < end ?? .max else { return nil }
        if let preroll {
            // The packet that sounds at the in point, and before it as many as decoding needs.
            guard place + count > start - preroll else { return nil }
            return Place(sample: place - start, count: stop - place, keep: 0..<count)
        }
        // The packet before the first one that is heard; it takes no time.
        if needsLead, place < start, place + count >= start, end.map({ place + count < $0 }) ?? true {
            return Place(sample: 0, count: 0, keep: 0..<count)
        }
        // Nothing can be hidden: the packets nearest to the cut points, none before the in point.
        guard place >= start, end.map({ place + count / 2 <= $0 }) ?? true else { return nil }
        return Place(sample: place - start, count: count, keep: 0..<count)
    }

    /// Samples of run-up a codec's decoder needs before what it gives is what it would have given.
    static func preroll(codec: String, profile: String?, packet: Int64, rate: Int) -> Int64 {
        switch codec {
        // The transform's overlap; spectral band replication needs more.
        case "aac": packet * (profile?.hasPrefix("HE") == true ? 3 : 1)
        // The bit reservoir reaches up to 511 bytes back, several packets at low rates.
        case "mp3", "mp2": packet * 10
        // RFC 7845: 80 ms.
        case "opus": Int64(rate) * 8 / 100
        case "ac3", "eac3", "vorbis", "wmav2", "dts": packet
        // Decoding begins at a major sync, of which there is one in 128 access units at least.
        case "truehd", "mlp": packet * 128
        default: 0
        }
    }
}

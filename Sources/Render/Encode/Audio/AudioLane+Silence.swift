// The silence in encoded audio, where its source has none that could be read. On the lane's queue.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension AudioLane {
    /// Fills the missing samples of a part with silence, so that later parts keep their positions, and the last one its length where
    /// the source says that it has one.
    func pad(_ missing: Time?, _ segment: Segment, _ out: inout Output) throws(MediaError) -> Bool {
        guard segment.at < segments.all.last?.at ?? .zero || silentEnd != nil else { return true }
        guard out.silence != nil else {
            out.owed = out.owed + (segment.sourceLength ?? .zero)
            return true
        }
        return try fill(missing ?? segment.sourceLength ?? .zero, &out)
    }

    /// Encodes silence.
    func fill(_ length: Time, _ out: inout Output) throws(MediaError) -> Bool {
        guard let silence = out.silence else { return true }
        var missing = length.multiplied(by: Int64(silence.sampleRate), over: 1)
            .converted(to: 1, rounding: .halfAwayFromZero).value
        while missing > 0 {
            let count = min(missing, Int64(silence.sampleRate))
            let piece = try media(.outOfMemory, track: track.index) { () throws(LibavError) in
                try Frame.silence(like: silence, samples: Int(count))
            }
            guard try push(piece, &out) else { return false }
            missing -= count
        }
        return true
    }
}

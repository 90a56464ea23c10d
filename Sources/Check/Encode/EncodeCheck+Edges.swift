// The first and the last frame of each part of an encode, compared with frames of the source that were reached from an earlier sync sample
// than the encode began at: a frame that a seek gave the time of another is found.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

extension EncodeCheck {
    /// Frames on either side of a frame, from which it must be told apart.
    private static let beside: Int64 = 8
    /// Frames with a smaller mean squared error look alike. A frame with one that is smaller than the second number is its own, and with one
    /// that is so many times as large as that to another frame, the other.
    private static let (alike, rounding, clear) = (0.5, 20.0, 4.0)

    /// Throws if the first or the last frame of a part is another frame of the source.
    func checkEdges() throws(MediaError) {
        // Elsewhere the output may show another frame at a time than the source.
        guard plan.cadence == .all, plan.gridPeriod == nil, plan.shortestFrame <= 1,
            plan.track.video?.isInterlaced == false, plan.track.isBottomFieldFirst == nil
        else { return }
        let parts = segments.all.filter { $0.at < end }
        let times = parts.flatMap { part -> [(part: Segment, time: Time)] in
            let stop = part.end ?? part.source(end)
            let last = stop - plan.track.timebase.time(ofTicks: 1)
            return [(part, part.start), (part, max(part.start, last))]
        }
        let threads = max(1, Decoder.processors / max(1, times.count))
        _ = try times.concurrentMap { part, time throws(MediaError) in
            try checkEdge(of: part, at: time, threads: threads)
        }
    }

    /// Throws if the output shows another frame than the source does at a time.
    private func checkEdge(of part: Segment, at time: Time, threads: Int) throws(MediaError) {
        guard let (own, others) = try? frames(around: time, threads: threads),
            let found = try? outputFrame(
                at: part.output(max(own.time, part.start)), from: part.at, .exact, threads: threads)
        else { return }
        let difference = own.small.difference(to: found)
        guard difference >= EncodeCheck.rounding else { return }
        // The output's ticks may not tell frames apart that follow each other closely.
        let slack = made.timebase.time(ofTicks: 2) + plan.track.timebase.time(ofTicks: 1)
        let better = others.first { other in
            guard (other.time - own.time).absoluteValue > slack,
                other.small.correlation(with: found) > own.small.correlation(with: found)
            else { return false }
            let off = other.small.difference(to: found)
            return off * EncodeCheck.clear <= difference
                && own.small.difference(to: other.small) > max(EncodeCheck.alike, 2 * off)
        }
        guard let better else { return }
        throw MediaError(
            .verificationFailed,
            "the encoded frame at \(time.clock()) is the source's frame at \(better.time.clock())",
            time: time, track: plan.track.index,
            remedy: "this is a fault of trimd; the output was removed")
    }

    /// The source's frame on screen at a time, and its neighbours.
    private func frames(around time: Time, threads: Int) throws(MediaError) -> (own: Seen, others: [Seen])? {
        let length = plan.track.usualLength(at: time).multiplied(by: EncodeCheck.beside, over: 1)
        let shrinker = Shrinker(plan.track, background: plan.background ?? "000000", edit: plan.edit)
        let reader = try FrameReader(
            source, plan.track, origin: origin, at: time, diagnostics: Diagnostics(), needed: time - length,
            isApart: true, threads: threads)
        var seen: [Seen] = []
        while let shown = try reader.next(), shown.time <= time + length {
            if shown.frame.isDamaged || reader.damaged > 0 { return nil }
            guard shown.time >= time - length else { continue }
            seen.append(Seen(time: shown.time, small: try shrinker.small(shown.frame)))
        }
        guard let index = seen.lastIndex(where: { $0.time <= time }) else { return nil }
        let own = seen.remove(at: index)
        return (own, seen)
    }
}

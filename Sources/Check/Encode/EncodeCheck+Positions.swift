// Where the check of an encode compares frames: at the beginning of each part, or a little later where that costs less.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

extension EncodeCheck {
    /// Maximum number of parts checked, each at its beginning.
    private static let mostParts = 4
    /// A part longer than this is also checked after its middle, a much longer one near its end too.
    private static let long = Time(10, 1), veryLong = Time(60, 1)

    /// Source times to check, with their parts.
    var positions: [(Segment, Time)] {
        let all = segments.all.filter { $0.at < end }
        let step = max(1, (all.count + EncodeCheck.mostParts - 1) / EncodeCheck.mostParts)
        let parts = stride(from: 0, to: all.count, by: step).map { all[$0] }
        return parts.flatMap { part -> [(Segment, Time)] in
            let length = min(part.length ?? (end - part.at), end - part.at)
            let eighths: [Int64] =
                parts.count > 1 || length < EncodeCheck.long
                ? [0] : length < EncodeCheck.veryLong ? [0, 5] : [0, 5, 7]
            return eighths.map { eighth in
                let time = part.start + length.multiplied(by: eighth, over: 8).unplayed(at: part.speed)
                return (part, syncSample(insteadOf: time, in: part) ?? time)
            }
        }
    }

    /// The next sync sample after a time, where the frames from the one before cost more to decode than those of the output up to it: of
    /// a cut of two seconds that is 4 % of its work. Nil where decoding began at a sync sample that is not closed: frames that are
    /// corrupt since it did are found at the beginning alone.
    private func syncSample(insteadOf time: Time, in part: Segment) -> Time? {
        let track = plan.track
        guard let format = track.video, !format.isInterlaced,
            let reader = try? TrackReader.open(source, track: track, origin: origin, at: time, back: .zero),
            let parameters = try? CodecParameters(reader.demuxer, track: track.index),
            let packet = try? Packet()
        else { return nil }
        let kind = SampleKind(codec: track.codec, extradata: parameters.extradata)
        let cost = Int64(format.width * format.height), outputCost = Int64(max(1, plan.width * plan.height))
        var before: Time?
        while reader.read(into: packet, Diagnostics()) {
            guard let pts = packet.pts else { return nil }
            let shown = track.timebase.time(ofTicks: pts) - origin
            // Past this, decoding the output costs more.
            if let before, shown - time > (time - before).multiplied(by: cost, over: outputCost) {
                return nil
            }
            guard packet.isKey else {
                if before == nil { return nil }
                continue
            }
            guard kind.access(of: packet.bytes) == .closed else { return nil }
            guard shown > time else {
                before = shown
                continue
            }
            let end = shown + reach
            return before != nil && end < part.end ?? part.source(self.end) ? shown : nil
        }
        return nil
    }
}

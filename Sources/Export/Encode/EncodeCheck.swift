// Looks at a few pictures of a finished encode: does it show what the source shows? The source is decoded once more for that, and
// in another way: as by a player that began at the beginning, so that pictures that are garbage only where decoding begins in the
// middle are found. It tells other pictures from these, not good from bad encoding, nor one frame from its neighbours.
internal import Libav
internal import Media
internal import MediaTime

/// The check of a video track that was encoded as a whole.
struct EncodeCheck {
    let source: SourceFile
    let output: SourceFile
    let plan: VideoPlan
    /// The source's container time of asset time 0.
    let origin: Time
    let segments: Segments
    let fileType: FileType
    /// The track's index in the output.
    let index: Int
    /// Where the output's pictures end.
    let end: Time

    /// Pictures that are less like those of the source, in decibels and in correlation, are others: encoding at the lowest rates
    /// leaves 25 dB at the size at which they are compared.
    private static let lowest = (decibels: 20.0, correlation: 0.9)
    /// Parts that are looked at, at most: each at its beginning.
    private static let mostParts = 4
    /// One that is longer than this is looked at once more behind its middle, one that is much longer near its end too.
    private static let long = Time(10, 1), veryLong = Time(60, 1)

    /// Throws where the output shows something else.
    func run() throws(MediaError) {
        guard let asset = try? Probe.asset(of: output),
            let made = asset.tracks.first(where: { $0.index == index }), made.isDecodable,
            plan.track.isDecodable
        else { return }
        for (segment, time) in places {
            guard let wanted = try? sourcePictures(around: time, in: segment), let last = wanted.last,
                let found = try? picture(of: made, at: segment.output(last.time))
            else { continue }
            let nearest = wanted.map { $0.small.difference(to: found) }.min() ?? 0
            let likeness = Thumbnail.decibels(nearest)
            let correlation = wanted.map { $0.small.correlation(with: found) }.max() ?? 1
            guard likeness < EncodeCheck.lowest.decibels, correlation < EncodeCheck.lowest.correlation else {
                continue
            }
            throw MediaError(
                .verificationFailed,
                "the encoded pictures are not the source's at \(last.time.clock()) (\(Int(likeness)) dB)",
                time: last.time, track: plan.track.index,
                remedy: "this is a fault of trimd; the output was removed")
        }
    }

    /// Times of the source, with the parts they belong to.
    private var places: [(Segment, Time)] {
        let all = segments.all.filter { $0.at < end }
        let step = max(1, (all.count + EncodeCheck.mostParts - 1) / EncodeCheck.mostParts)
        let parts = stride(from: 0, to: all.count, by: step).map { all[$0] }
        return parts.flatMap { part -> [(Segment, Time)] in
            let length = min(part.length ?? (end - part.at), end - part.at)
            let eighths: [Int64] =
                parts.count > 1 || length < EncodeCheck.long
                ? [0] : length < EncodeCheck.veryLong ? [0, 5] : [0, 5, 7]
            return eighths.map { (part, part.start + length.multiplied(by: $0, over: 8)) }
        }
    }

    private struct Seen {
        /// Its first moment, in asset time.
        var time: Time
        var small: Thumbnail
    }

    /// How long a picture of the output may be on screen while the source goes on.
    private var reach: Time {
        let rate = min(plan.frameRate.value, plan.track.video?.frameRate?.value ?? plan.frameRate.value)
        return Time(Int64(2500 / max(0.1, rate)), 1000)
    }

    /// The source's pictures, one of which the output shows while the last of them is on screen. Those of a keyframe in the part,
    /// where one lies before the time: nothing else need be decoded for them.
    private func sourcePictures(around time: Time, in segment: Segment) throws(MediaError) -> [Seen] {
        let shrinker = Shrinker(plan.track, background: plan.background ?? "000000")
        let reader = try FrameReader(
            source, plan.track, origin: origin, at: time, diagnostics: Diagnostics(), needed: time - reach,
            primed: true)
        var seen: [Seen] = []
        var before: FrameReader.Shown?
        func see(_ shown: FrameReader.Shown) throws(MediaError) {
            seen.append(Seen(time: max(shown.time, segment.start), small: try shrinker.small(shown.frame)))
        }
        var span: (from: Time, to: Time)?
        while let shown = try reader.next() {
            let wanted =
                span
                ?? (shown.time >= segment.start ? (shown.time, shown.time + reach) : (time - reach, time))
            span = wanted
            if shown.time > wanted.to || segment.end.map({ shown.time >= $0 }) == true { break }
            // Each decoder makes its own of what is damaged.
            if shown.frame.isDamaged || reader.damaged > 0 { return [] }
            if shown.time < wanted.from {
                before = shown
                continue
            }
            if let shown = before { try see(shown) }
            before = nil
            try see(shown)
        }
        if let before { try see(before) }
        return seen
    }

    /// The output's picture at a time.
    private func picture(of track: Track, at time: Time) throws(MediaError) -> Thumbnail? {
        let slack = track.timebase.time(ofTicks: 1)
        let zero = fileType.zero
        let reader = try FrameReader(
            output, track, origin: zero, at: time + slack, diagnostics: Diagnostics(), needed: time - reach)
        var found: FrameReader.Shown?
        while let shown = try reader.next() {
            if shown.time > time + slack, found != nil { break }
            found = shown
        }
        guard let found, reader.damaged == 0 else { return nil }
        return try Shrinker(track).small(found.frame)
    }
}

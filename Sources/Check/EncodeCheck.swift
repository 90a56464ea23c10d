// Compares a few frames of a finished encode with the source. Decodes the source again, and in another way: like a player that
// began at the start of the file, so that frames that are corrupt only where decoding begins in the middle are found. Detects
// different frames; it does not measure quality and does not distinguish a frame from its neighbours.
package import Libav
package import Media
package import MediaTime
package import Render
package import Source

/// The check of a fully encoded video track.
package struct EncodeCheck {
    let source: SourceFile
    let output: SourceFile
    let plan: VideoPlan
    /// The source's container time of asset time 0.
    let origin: Time
    let segments: Segments
    let fileType: FileType
    /// The track in the output.
    let made: Track
    /// Where the output's video ends.
    let end: Time

    /// Creates a value of its parts.
    package init(
        source: SourceFile, output: SourceFile, plan: VideoPlan, origin: Time, segments: Segments,
        fileType: FileType, made: Track, end: Time
    ) {
        (self.source, self.output, self.plan, self.origin) = (source, output, plan, origin)
        (self.segments, self.fileType, self.made, self.end) = (segments, fileType, made, end)
    }

    /// Frames with a lower PSNR in decibels or a lower correlation are different frames: encoding at the lowest rates leaves 25
    /// dB at the compared size.
    private static let lowest = (decibels: 20.0, correlation: 0.9)

    /// Throws if the output differs.
    package func run() throws(MediaError) {
        guard made.isDecodable, plan.track.isDecodable else { return }
        try SampleTimesCheck(source: source, track: plan.track, origin: origin).run(segments)
        try checkEdges()
        let positions = positions
        // So many frames are in memory as if one were compared after another.
        let threads = max(1, Decoder.processors / max(1, positions.count))
        _ = try positions.concurrentMap { part, time throws(MediaError) in
            try compare(part, at: time, threads: threads)
        }
    }

    /// How the frames of a position are compared. Nearly all outputs pass the rough comparison, at half the cost; none fails by it alone.
    private enum Care { case rough, exact }

    /// Compares frames around a source time. Throws if they differ.
    private func compare(_ segment: Segment, at time: Time, threads: Int) throws(MediaError) {
        guard try differ(segment, at: time, .rough, threads: threads) != nil,
            let (last, decibels) = try differ(segment, at: time, .exact, threads: threads)
        else { return }
        throw MediaError(
            .verificationFailed,
            "the encoded frames differ from the source's at \(last.clock()) (PSNR \(Int(decibels)) dB)",
            time: last, track: plan.track.index,
            remedy: "this is a fault of trimd; the output was removed")
    }

    /// Where frames around a source time differ, and their PSNR; nil: they do not, or cannot be compared.
    private func differ(
        _ segment: Segment, at time: Time, _ care: Care, threads: Int
    ) throws(MediaError) -> (Time, decibels: Double)? {
        guard let wanted = try? sourceFrames(around: time, in: segment, care, threads: threads),
            let last = wanted.last,
            let found = try? outputFrame(
                at: segment.output(last.time), from: segment.at, care, threads: threads)
        else { return nil }
        let nearest = wanted.map { $0.small.difference(to: found) }.min() ?? 0
        let likeness = Thumbnail.decibels(nearest)
        let correlation = wanted.map { $0.small.correlation(with: found) }.max() ?? 1
        let isAlike =
            likeness >= EncodeCheck.lowest.decibels || correlation >= EncodeCheck.lowest.correlation
        return isAlike ? nil : (last.time, likeness)
    }

    struct Seen {
        /// Its first moment, in asset time.
        var time: Time
        var small: Thumbnail
    }

    /// How long a frame of the output may stay on screen while the source advances.
    var reach: Time {
        // In frames of the source that the output shows.
        let shown = plan.frameRate.value / segments.speed.value
        let rate = min(shown, plan.track.video?.frameRate?.value ?? shown)
        return Time(Int64(2500 / max(0.1, rate)), 1000)
    }

    /// The source's frames, one of which the output shows while the last of them is on screen. Starts at a keyframe in the part
    /// where one precedes the time, so that nothing else is decoded.
    private func sourceFrames(
        around time: Time, in segment: Segment, _ care: Care, threads: Int
    ) throws(MediaError) -> [Seen] {
        // Where every frame is shown, the output shows the one of this time.
        let span = care == .rough && plan.cadence == .all && plan.gridPeriod == nil ? Time.zero : reach
        let shrinker = Shrinker(plan.track, background: plan.background ?? "000000", edit: plan.edit)
        let reader = try FrameReader(
            source, plan.track, origin: origin, at: time, diagnostics: Diagnostics(), needed: time - reach,
            primed: true, isRough: care == .rough, isSingle: span == .zero, threads: threads)
        var seen: [Seen] = []
        var before: FrameReader.Shown?
        func see(_ shown: FrameReader.Shown) throws(MediaError) {
            seen.append(Seen(time: max(shown.time, segment.start), small: try shrinker.small(shown.frame)))
        }
        var found: (from: Time, to: Time)?
        while let shown = try reader.next() {
            // Frames before the part are not shown, or in another part.
            let from = shown.time >= segment.start ? shown.time : max(time - span, segment.start)
            let wanted = found ?? (from, from + span)
            found = wanted
            if shown.time > wanted.to || segment.end.map({ shown.time >= $0 }) == true { break }
            // Decoders differ in how they decode damage.
            if reader.hasDamage { return [] }
            if shown.time < wanted.from {
                before = shown
                continue
            }
            if let shown = before { try see(shown) }
            before = nil
            try see(shown)
            if shown.time >= wanted.to { break }
        }
        if let before { try see(before) }
        return seen
    }

    /// The output's frame at a time; nil where it began before `start`, the beginning of its part: at a constant rate, the last frame
    /// of the part before it stays on screen until the next one is due.
    private func outputFrame(
        at time: Time, from start: Time, _ care: Care, threads: Int
    ) throws(MediaError) -> Thumbnail? {
        let slack = made.timebase.time(ofTicks: 1)
        let zero = fileType.zero
        let reader = try FrameReader(
            output, made, origin: zero, at: time + slack, diagnostics: Diagnostics(),
            needed: time - reach, isRough: care == .rough, isSingle: true, threads: threads)
        var found: FrameReader.Shown?
        while let shown = try reader.next() {
            if shown.time > time + slack, found != nil { break }
            found = shown
        }
        guard let found, found.time + slack >= start, !reader.hasDamage else { return nil }
        return try Shrinker(made.opaque(where: fileType == .gif)).small(found.frame)
    }
}

// The first and the last frame of each part of an encode, compared with frames of the source that were reached from an earlier sync sample
// than the encode began at: a frame that a seek gave the time of another is found.
extension EncodeCheck {
    /// Frames on either side of a frame, from which it must be told apart.
    private static let beside: Int64 = 8
    /// Frames with a smaller mean squared error look alike. A frame with one that is smaller than the second number is its own, and with one
    /// that is so many times as large as that to another frame, the other.
    private static let (alike, rounding, clear) = (0.5, 20.0, 4.0)

    /// Throws if the first or the last frame of a part is another frame of the source.
    private func checkEdges() throws(MediaError) {
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

// Where the check of an encode compares frames: at the beginning of each part, or a little later where that costs less.
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
            guard kind.access(of: packet) == .closed else { return nil }
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

// Reads the stored samples around a cut point: times, sizes and random access points, without decoding. Seeks through the
// container's own index, so that cost and memory depend on the length of a GOP, not of the file. Used on one queue; opens its own
// demuxers.
internal import Codecs
package import Libav
package import Media
package import MediaTime

/// Reads windows of stored samples of one video track.
package struct KeyframeIndex {
    package let source: SourceFile
    package let track: Track
    /// The container time of asset time 0.
    package let origin: Time

    /// Longer windows are dropped: no GOP is that long.
    package var mostSamples = 200_000

    package init(
        source: SourceFile, track: Track, origin: Time, mostSamples: Int = 200_000
    ) {
        self.source = source
        self.track = track
        self.origin = origin
        self.mostSamples = mostSamples
    }

    /// Returns the samples that a plan for [start, end) needs: `closing` is nil if `opening` reaches the out point. Nil if
    /// the track has samples without times.
    package func windows(start: Int64, end: Int64?) throws(MediaError) -> (
        opening: SampleWindow, closing: SampleWindow?
    )? {
        guard let opening = try opening(start: start, end: end) else { return nil }
        guard let end, !opening.isToEnd, opening.reach.map({ $0 < end }) ?? true else {
            return (opening, nil)
        }
        guard let closing = try closing(end: end) else { return nil }
        return (opening, closing)
    }

    /// Reads from a sync sample at or before the in point to a closed one at or after the first frame.
    private func opening(start: Int64, end: Int64?) throws(MediaError) -> SampleWindow? {
        for back in LookBack.video {
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: time(start), back: back, staysInFilm: true)
            var window = SampleWindow(samples: [], isFromBeginning: reader.isFromBeginning, isToEnd: true)
            var leads = reader.isFromBeginning
            /// The last sample shown at or before the in point.
            var first: Int64?
            /// The last random access point except the sample just read, which shows whether leading pictures follow the sync
            /// sample.
            var (key, newKey): (Int64?, Int64?)
            let isTimed = try read(reader) { sample in
                if !leads {
                    // A seek that went wrong lands too late.
                    if sample.isKey, sample.pts <= start {
                        leads = true
                    } else {
                        return sample.pts <= start
                    }
                }
                window.samples.append(sample)
                window.note(sample.pts)
                if sample.pts <= start { first = max(first ?? sample.pts, sample.pts) }
                key = [key, newKey].compactMap(\.self).max()
                newKey = sample.access == .closed || sample.access == .open ? sample.pts : nil
                if window.samples.count >= mostSamples {
                    window.isToEnd = false
                    return false
                }
                guard let reach = window.reach, reach > start else { return true }
                let isEnd = end.map { reach >= $0 } ?? false
                let isKnown = key.map { $0 >= first ?? window.samples[0].pts } ?? false
                window.isToEnd = !isEnd && !isKnown
                return window.isToEnd
            }
            guard isTimed else { return nil }
            if leads { return window }
        }
        return nil
    }

    /// Reads from a sync sample before the out point to the last sample decoded before it.
    private func closing(end: Int64) throws(MediaError) -> SampleWindow? {
        for back in LookBack.video {
            // Where parts of an edit list meet, the next one begins at the out point.
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: time(end - 1), back: back, staysInFilm: true)
            var window = SampleWindow(samples: [], isFromBeginning: reader.isFromBeginning, isToEnd: true)
            var leads = false
            let isTimed = try read(reader) { sample in
                if !leads, sample.isKey, sample.pts < end { leads = true }
                guard leads else { return sample.pts < end }
                window.samples.append(sample)
                window.note(sample.pts)
                guard window.reach.map({ $0 < end }) ?? true, window.samples.count < mostSamples
                else {
                    window.isToEnd = false
                    return false
                }
                return true
            }
            guard isTimed else { return nil }
            if leads { return window }
        }
        return nil
    }

    /// Returns the sync samples around a time: the last one shown at or before it and the first one after it.
    /// - Parameters:
    ///   - beginning: true counts samples that a copy may begin with, false those before which one may end.
    ///   - limit: the search stops here, in asset time.
    package func syncSamples(around tick: Int64, beginning: Bool, upTo limit: Time) throws(MediaError) -> (
        earlier: Int64?, later: Int64?
    ) {
        for back in LookBack.video {
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: time(tick), back: back, staysInFilm: true)
            var (earlier, later): (Int64?, Int64?)
            let isTimed = try read(reader) { sample in
                let fits =
                    !sample.isSecondField
                    && (sample.access == .closed || (beginning && sample.access == .open))
                if fits, sample.pts <= tick { earlier = max(earlier ?? sample.pts, sample.pts) }
                if fits, sample.pts > tick { later = sample.pts }
                return later == nil && time(sample.pts) <= limit
            }
            guard isTimed else { return (nil, nil) }
            if earlier != nil || reader.isFromBeginning { return (earlier, later) }
        }
        return (nil, nil)
    }

    /// Reads samples until `body` returns false; returns false if a sample has no times.
    private func read(_ reader: TrackReader, _ body: (StoredSample) -> Bool) throws(MediaError) -> Bool {
        let (codec, kind) = (
            track.videoCodec, SampleKind(codec: track.codec, extradata: try parameters(reader).extradata)
        )
        let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
        let diagnostics = Diagnostics()
        let hasSeams = !source.editSeams(of: track.index).isEmpty
        var (isTimed, isShown) = (false, false)
        while reader.read(into: packet, diagnostics) {
            if packet.isDiscarded && packet.pts == nil { continue }
            // Samples that the next part is decoded from.
            if hasSeams, isShown, packet.isDiscarded, packet.isKey { return true }
            if !packet.isDiscarded { isShown = true }
            // After a seek, the first packets of a stream may have no timestamps.
            guard let pts = packet.pts else {
                if !isTimed, !reader.isFromBeginning { continue }
                return false
            }
            isTimed = true
            if codec.isNonShown(packet) { continue }
            let sample = StoredSample(
                pts: pts, duration: packet.duration, size: packet.size, isKey: packet.isKey,
                access: packet.isKey ? kind.access(of: packet) : .none,
                isSecondField: packet.isSecondField)
            guard body(sample) else { return true }
        }
        return true
    }

    private func parameters(_ reader: TrackReader) throws(MediaError) -> CodecParameters {
        try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(reader.demuxer, track: track.index)
        }
    }

    private func time(_ ticks: Int64) -> Time { track.timebase.time(ofTicks: ticks) - origin }
}

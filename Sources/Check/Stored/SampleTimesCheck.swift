// Whether a source's samples have the same times wherever reading began: those around the beginning and the end of each part are read from
// the nearest sync sample, as the export read them, and from an earlier one. A container whose times follow from where a seek ended gives one
// sample two times, and the export other frames than were asked for. Decodes nothing.
package import Libav
package import Media
package import MediaTime
package import Source

/// The check of sample times at the cut points.
package struct SampleTimesCheck {
    let source: SourceFile
    let track: Track
    /// The container time of asset time 0.
    let origin: Time

    /// Creates a value of its parts.
    package init(source: SourceFile, track: Track, origin: Time) {
        (self.source, self.track, self.origin) = (source, track, origin)
    }

    /// How long samples are compared before and beyond a cut point.
    private static let reach = Time(1, 5)
    /// How far before a cut point reading begins for the comparison, where the earlier sync sample is not farther.
    private static let back = Time(2, 1)
    /// More samples are not compared: no GOP is that long.
    private static let most = 20_000

    /// The size and a checksum of a sample, which are the same wherever it was read from.
    private struct Identity: Hashable {
        let size: Int
        let sum: Int
    }

    /// Throws if a sample has two times.
    package func run(_ segments: Segments) throws(MediaError) {
        let points = segments.all.flatMap { part in [part.start, part.end].compactMap(\.self) }
        for point in points {
            let (near, first) = try times(at: point, back: .zero, upTo: point + SampleTimesCheck.reach)
            // From the beginning on, every time is what it is.
            guard let first else { continue }
            let back = max(SampleTimesCheck.back, point - first + SampleTimesCheck.back)
            let (far, _) = try times(at: point, back: back, upTo: point + SampleTimesCheck.reach)
            for (identity, ticks) in near {
                // The first samples behind a seek may get their times from later ones.
                let (from, to) = (point - SampleTimesCheck.reach, point + SampleTimesCheck.reach)
                let shown = ticks.filter {
                    let time = track.timebase.time(ofTicks: $0) - origin
                    return from <= time && time <= to
                }
                guard !shown.isEmpty, let others = far[identity], shown.isDisjoint(with: others) else {
                    continue
                }
                throw MediaError(
                    .verificationFailed,
                    "a frame of track \(track.index) has other times when reading begins elsewhere in the file",
                    time: point, track: track.index,
                    remedy: "`ffmpeg -i INPUT -c copy OUTPUT.mkv` gives its frames times of their own")
            }
        }
    }

    /// The times of the samples from a sync sample before a cut point on, and that of the first; nil: reading began at the beginning.
    private func times(
        at point: Time, back: Time, upTo end: Time
    ) throws(MediaError) -> (times: [Identity: Set<Int64>], first: Time?) {
        let reader = try TrackReader.open(source, track: track, origin: origin, at: point, back: back)
        let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
        var (times, first): ([Identity: Set<Int64>], Time?) = ([:], nil)
        // An index of all samples gives times that no seek changes.
        if back == .zero, reader.isFromBeginning || reader.demuxer.hasIndex { return (times, nil) }
        for _ in 0..<SampleTimesCheck.most {
            guard reader.read(into: packet, Diagnostics()) else { break }
            guard let pts = packet.pts else { continue }
            let time = track.timebase.time(ofTicks: packet.dts ?? pts) - origin
            first = first ?? time
            let identity = packet.withBytes { bytes in
                Identity(
                    size: bytes.count, sum: bytes.indices.reduce(0) { $0 &* 31 &+ Int(bytes[$1]) })
            }
            times[identity, default: []].insert(pts)
            if time > end { break }
        }
        return (times, first)
    }
}

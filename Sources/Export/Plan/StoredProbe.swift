// How much of each track lies in a range, as it is stored: by the container's index where that names every sample, else by
// reading the range, or three places of a long one. Decodes nothing. Runs on the caller's thread.
internal import Libav
internal import Media
internal import MediaTime

/// A look at the stored sizes of a range's samples.
struct StoredProbe {
    let source: SourceFile
    let asset: Asset

    /// Ranges up to this long are read as a whole.
    private static let short = Time(6, 1)
    /// Of longer ones, this much at each of three places.
    private static let window = Time(2, 1)
    /// Bytes that are read at one place, at most.
    private static let most = 32 << 20

    /// The amounts of the main video track and of the sound, by the tracks' indices; none of tracks that cannot be read.
    func amounts(_ spans: [TimeSpan]) -> [Int: StoredAmount] {
        let index = try? Demuxer(source, quick: true)
        let tracks = [asset.mainVideo].compactMap(\.self) + asset.audioTracks
        return tracks.reduce(into: [:]) { amounts, track in
            let parts = spans.compactMap { counted(track, $0, index) ?? read(track, $0) }
            guard parts.count == spans.count else { return }
            amounts[track.index] = StoredAmount(
                bytes: parts.reduce(0) { $0 + $1.bytes }, isCounted: parts.allSatisfy(\.isCounted))
        }
    }

    private func counted(_ track: Track, _ span: TimeSpan, _ index: Demuxer?) -> StoredAmount? {
        func ticks(_ time: Time) -> Int64 {
            track.timebase.ticks(of: time, rounding: .towardNegativeInfinity).ticks
        }
        // Pictures are stored in another order than they are shown in.
        let frame = track.video?.frameRate.map { 1 / max(1, $0.value) } ?? 0
        let later = Time(Int64(frame * 2000), 1000)
        let end = min(span.end + later, track.end ?? span.end)
        return index?.indexedBytes(
            track: track.index, from: ticks(span.start + asset.start), to: ticks(end + asset.start),
            lag: ticks(Time(1, 1))
        ).map { StoredAmount(bytes: Double($0), isCounted: true) }
    }

    private func read(_ track: Track, _ span: TimeSpan) -> StoredAmount? {
        let length = span.end - span.start
        guard length > StoredProbe.short else {
            return window(track, span.start, span.end).map {
                let isWhole = $0.isLed && $0.seconds >= length.seconds
                return StoredAmount(
                    bytes: isWhole ? $0.bytes : $0.bytes / $0.seconds * length.seconds, isCounted: isWhole)
            }
        }
        let middle = span.start + length.multiplied(by: 1, over: 2).converted(to: 1000, rounding: .towardZero)
        let found = [span.start, middle, span.end - StoredProbe.window].compactMap {
            window(track, $0, $0 + StoredProbe.window)
        }
        let seconds = found.reduce(0) { $0 + $1.seconds }
        guard seconds > 0 else { return nil }
        return StoredAmount(
            bytes: found.reduce(0) { $0 + $1.bytes } / seconds * length.seconds, isCounted: false)
    }

    /// The bytes from the last sync sample at or before `start` up to `end`, and how much time they take. Not led where the
    /// container gave a place behind that sample, as a transport stream does.
    private func window(
        _ track: Track, _ start: Time, _ end: Time
    ) -> (bytes: Double, seconds: Double, isLed: Bool)? {
        do throws(MediaError) {
            let reader = try TrackReader.open(
                source, track: track, origin: asset.start, at: start, back: .zero)
            let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
            var bytes = 0
            var begun = start
            var last = start
            var reached = Time.zero
            var isLed = reader.isFromBeginning
            let notes = Notes()
            while reader.read(into: packet, notes) {
                // Samples are stored in the order of their decoding times.
                guard let ticks = packet.dts ?? packet.pts else { return nil }
                let time = track.timebase.time(ofTicks: ticks) - asset.start
                if time >= end { return (Double(bytes), max(0.001, (end - begun).seconds), isLed) }
                if packet.isKey, time <= start { (bytes, begun, isLed) = (0, time, true) }
                bytes += packet.size
                last = max(last, time)
                reached = max(reached, time + track.timebase.time(ofTicks: packet.duration))
                if bytes > StoredProbe.most {
                    return (Double(bytes), max(0.001, (last - begun).seconds), isLed)
                }
            }
            // The track ends here, or has ended before.
            return (reached > start ? Double(bytes) : 0, max(0.001, (end - begun).seconds), isLed)
        } catch { return nil }
    }
}

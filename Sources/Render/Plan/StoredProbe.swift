// Measures the stored size of each track in a range: from the container's index where that lists every sample, otherwise by
// reading the range, or three positions of a long one. Decodes nothing. Runs on the caller's thread.
package import Libav
package import Media
internal import MediaTime

/// Measures the stored sizes of a range's samples.
package struct StoredProbe {
    let source: SourceFile
    let asset: Asset

    /// Creates a value of its parts.
    package init(source: SourceFile, asset: Asset) {
        (self.source, self.asset) = (source, asset)
    }

    /// Ranges up to this long are read completely.
    private static let short = Time(6, 1)
    /// Longer ranges are read this long at each of three positions.
    private static let window = Time(2, 1)
    /// Maximum number of bytes read at one position.
    private static let most = 32 << 20

    /// The amounts of the main video track and of the audio, by track index; nothing for tracks that cannot be read.
    package func amounts(_ spans: [TimeSpan]) -> [Int: StoredAmount] {
        let tracks = [asset.mainVideo].compactMap(\.self) + asset.audioTracks
        let index = asset.container.isISOMedia ? try? Demuxer(source, quick: true) : nil
        var amounts: [Int: StoredAmount] = [:]
        for (number, span) in spans.enumerated() {
            let counted = tracks.reduce(into: [Int: StoredAmount]()) {
                $0[$1.index] = self.counted($1, span, index)
            }
            let found = counted.count == tracks.count ? counted : read(tracks, span)
            for track in tracks {
                guard let part = found[track.index], number == 0 || amounts[track.index] != nil else {
                    amounts[track.index] = nil
                    continue
                }
                let before = amounts[track.index] ?? StoredAmount(bytes: 0, isCounted: true)
                amounts[track.index] = StoredAmount(
                    bytes: before.bytes + part.bytes, isCounted: before.isCounted && part.isCounted)
            }
        }
        return amounts
    }

    private func counted(_ track: Track, _ span: TimeSpan, _ index: Demuxer?) -> StoredAmount? {
        func ticks(_ time: Time) -> Int64 {
            track.timebase.ticks(of: time, rounding: .towardNegativeInfinity).ticks
        }
        // Decoding order differs from presentation order.
        let frame = track.video?.frameRate.map { 1 / max(1, $0.value) } ?? 0
        let later = Time(Int64(frame * 2000), 1000)
        let end = min(span.end + later, track.end ?? span.end)
        return index?.indexedBytes(
            track: track.index, from: ticks(span.start + asset.start), to: ticks(end + asset.start),
            lag: ticks(Time(1, 1))
        ).map { StoredAmount(bytes: Double($0), isCounted: true) }
    }

    private func read(_ tracks: [Track], _ span: TimeSpan) -> [Int: StoredAmount] {
        let length = span.end - span.start
        guard length > .zero else { return [:] }
        var windows = [(span.start, span.end)]
        if length > StoredProbe.short {
            let middle =
                span.start + length.multiplied(by: 1, over: 2).converted(to: 1000, rounding: .towardZero)
            windows = [span.start, middle, span.end - StoredProbe.window].map {
                ($0, $0 + StoredProbe.window)
            }
        }
        let found = windows.map { window(tracks, $0.0, $0.1) }
        return tracks.reduce(into: [:]) { amounts, track in
            let own = found.compactMap { $0[track.index] }
            guard let first = own.first, own.count == found.count else { return }
            let seconds = own.reduce(0) { $0 + $1.seconds }
            let isWhole = own.count == 1 && first.isLed && first.seconds >= length.seconds
            amounts[track.index] = StoredAmount(
                bytes: isWhole
                    ? first.bytes : own.reduce(0) { $0 + $1.bytes } / max(0.001, seconds) * length.seconds,
                isCounted: isWhole)
        }
    }

    /// The content of a window, for one track.
    private struct Held {
        /// Bytes from the last sync sample at or before the window on, and their duration.
        var bytes = 0.0, seconds: Double
        /// There is such a sample. A transport stream seeks to a position after it.
        var isLed: Bool
        var begun: Time
        var last: Time
        var reached = Time.zero
    }

    /// Reads all tracks at once from where the video can be decoded: a container without an audio index would be read from its
    /// beginning for the audio.
    private func window(_ tracks: [Track], _ start: Time, _ end: Time) -> [Int: Held] {
        guard let main = tracks.first, var demuxer = try? Demuxer(source, quick: true),
            let packet = try? Packet()
        else { return [:] }
        let ticks = main.timebase.ticks(of: start + asset.start, rounding: .towardNegativeInfinity).ticks
        var isFromBeginning = start <= max(main.start ?? .zero, .zero)
        if !isFromBeginning, !demuxer.seek(track: main.index, toTicks: ticks) {
            guard let fresh = try? Demuxer(source, quick: true) else { return [:] }
            (demuxer, isFromBeginning) = (fresh, true)
        }
        var held = tracks.reduce(into: [Int: Held]()) {
            $0[$1.index] = Held(
                seconds: max(0.001, (end - start).seconds), isLed: isFromBeginning, begun: start, last: start)
        }
        var open = Set(tracks.map(\.index))
        var sum = 0
        while !open.isEmpty, sum < StoredProbe.most, case .packet = demuxer.read(into: packet) {
            let index = packet.track
            guard open.contains(index), var own = held[index],
                let track = tracks.first(where: { $0.index == index }), let ticks = packet.dts ?? packet.pts
            else { continue }
            let time = track.timebase.time(ofTicks: ticks) - asset.start
            if time >= end {
                // Tracks are interleaved within about a second.
                open.remove(index)
                if time > end + Time(1, 1) || index == main.index && tracks.count == 1 { break }
                own.last = end
            } else {
                if packet.isKey, time <= start { (own.bytes, own.begun, own.isLed) = (0, time, true) }
                own.bytes += Double(packet.size)
                own.last = max(own.last, time)
                own.reached = max(own.reached, time + track.timebase.time(ofTicks: packet.duration))
                sum += packet.size
            }
            held[index] = own
        }
        let isFull = sum >= StoredProbe.most
        // Without seeking, reading may not have reached the window.
        guard !isFull || held.values.contains(where: { $0.reached > start }) else { return [:] }
        return held.mapValues { own in
            var own = own
            if own.reached <= start {
                // The track has ended before, or has nothing here.
                (own.bytes, own.begun) = (0, start)
            }
            let last = isFull && own.last < end ? max(own.last, own.reached) : end
            own.seconds = max(0.001, (last - own.begun).seconds)
            return own
        }
    }
}
